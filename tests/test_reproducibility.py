"""The same seed gives the same model: on any number of threads, for any hash seed; rows do not depend on each other."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rulenet import Anneal, Count, RuleNetworkClassifier
from rulenet.model_file import dumps

SEARCHES = {
    "anneal": Anneal(n_restarts=3, n_folds=2, n_proposals=500),
    "count": Count(n_walks=3, n_folds=2, n_proposals=500),
}


def make_table(n_rows=90):
    draws = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": draws.choice(["red", "green", "blue", None], n_rows),
            "size": draws.normal(size=n_rows).round(2),
            "flag": draws.random(n_rows) < 0.5,
        }
    )
    return X, np.where(X["colour"] == "red", "a", np.where(X["size"] > 0.3, "b", "c"))


def fitted(search, n_classes, n_jobs=None):
    X, y = make_table()
    y = y if n_classes > 2 else y == "b"
    return RuleNetworkClassifier(search=SEARCHES[search], random_state=7, n_jobs=n_jobs).fit(X, y)


def digests():
    """Of the model files of all kinds of fits, without the number of threads."""
    texts = [dumps(fitted(*kind).set_params(n_jobs=None)._state()) for kind in KINDS]
    return " ".join(hashlib.sha256(text.encode()).hexdigest() for text in texts)


KINDS = [("anneal", 2), ("count", 2), ("count", 3)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_model_file_is_the_same_on_any_number_of_threads(kind):
    texts = {dumps(fitted(*kind, n_jobs).set_params(n_jobs=None)._state()) for n_jobs in (None, 2, 3)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    "more", [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "12345"}, {"NUMBA_CPU_NAME": "generic"}], ids=str
)
def test_the_model_file_is_the_same_for_any_hash_seed_and_kind_of_processor(more):
    code = "import test_reproducibility; print(test_reproducibility.digests())"
    place = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": place, **more}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digests()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_a_row_gets_does_not_depend_on_the_rows_beside_it(kind):
    model, (X, _) = fitted(*kind), make_table(200)
    whole, order = model.predict_proba(X), np.random.default_rng(1).permutation(len(X))
    assert np.array_equal(model.predict_proba(X.iloc[order]), whole[order])
    for n_rows in (1, 63, 64, 65):
        blocks = [model.predict_proba(X.iloc[i : i + n_rows]) for i in range(0, len(X), n_rows)]
        assert np.array_equal(np.concatenate(blocks), whole)
