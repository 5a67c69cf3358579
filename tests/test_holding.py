from typing import NamedTuple

import numpy as np

from rulenet.compiled import jit, lean, part
from rulenet.holding import hold


class Bundle(NamedTuple):
    flag: bool
    words: np.ndarray
    share: float
    table: np.ndarray
    count: np.int32


@part
def weigh(bundle, row):
    return bundle.share * bundle.table[row, 1] + (bundle.count if bundle.flag else 0)


@lean
def fill(bundle):
    bundle = hold(bundle)
    for i in range(bundle.words.size):
        bundle.words[i] = weigh(bundle, i)


@jit
def fill_apart(first, second):
    held, other = hold(first), hold(second)
    for i in range(held.words.size):
        held.words[i] += other.words[i]
    return held.words


def make_bundle(flag=True):
    return Bundle(flag, np.zeros(3), 0.5, np.arange(6, dtype=np.uint8).reshape(3, 2), np.int32(-7))


def test_members_of_any_type_are_read_through_an_address():
    for flag in (True, False):
        bundle = make_bundle(flag)
        fill(bundle)
        assert bundle.words.tolist() == [0.5 * k + (-7 if flag else 0) for k in (1, 3, 5)]


def test_two_that_are_held_at_once_stay_apart_and_arrays_outlive_them():
    first, second = make_bundle(), make_bundle()
    first.words[:], second.words[:] = 1, (1, 2, 3)
    assert fill_apart(first, second).tolist() == [2, 3, 4]
    assert first.words.tolist() == [2, 3, 4]
