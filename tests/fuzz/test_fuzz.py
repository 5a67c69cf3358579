"""Some cases of every kind, and all that once broke: the contract of `contract.py` holds for each."""

import random
from pathlib import Path

import models
import pytest
import tables
from contract import broken_by
from run import KINDS

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_once_broke_holds(path):
    check = models.check if path.suffix == ".json" else tables.check_file
    assert broken_by(lambda: check(path.read_bytes())) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_cases_hold(kind):
    make, check = KINDS[kind]
    for number in range(20):
        case = make(random.Random(f"{kind} {number}"))
        assert broken_by(lambda case=case: check(case)) == "", f"{kind}:{number}"


def test_models_of_every_kind_come_back_as_they_were():
    for text in models.MODELS:
        models.check(text.encode())
