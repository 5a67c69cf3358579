"""The vector loops against the same in NumPy."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rulenet import kernels as shared
from rulenet.anneal import kernels, vectors
from rulenet.anneal.vectors import N_WORDS, copy_signal, fire_unit, new_signals
from rulenet.compiled import find_sources


@njit
def fire(signals, backup, inputs, n_inputs, unit):
    return fire_unit(signals, backup, inputs, n_inputs, unit)


@njit
def copy(target, source, unit):
    copy_signal(target, source, unit)


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_a_unit_fires_where_any_input_is_not_set(n_words, n_inputs, seed):
    rng = np.random.default_rng(seed)
    signals, backup = new_signals(12, n_words), new_signals(12, n_words)
    # Few zeros, so that many inputs leave some rows on which the unit does not fire.
    words = rng.integers(0, 2**64, (3, *signals.shape), dtype=np.uint64)
    signals[:] = np.bitwise_or.reduce(words)
    before = signals.copy()
    inputs = np.zeros((12, 9), np.int32)
    inputs[11, :n_inputs] = rng.integers(0, 11, n_inputs)
    difference = fire(signals, backup, inputs, n_inputs, 11)
    # No inputs: nothing is not set.
    fires = np.bitwise_or.reduce(~before[inputs[11, :n_inputs]], axis=0) if n_inputs else np.zeros_like(before[0])
    assert np.array_equal(signals[11], fires)
    assert np.array_equal(signals[:11], before[:11])
    assert np.array_equal(backup[11], before[11])
    assert not backup[:11].any()
    assert difference == np.bitwise_or.reduce(fires ^ before[11])
    copy(signals, backup, 11)
    assert np.array_equal(signals, before)
    assert fire(signals, backup, inputs, n_inputs, 11) == difference
    assert fire(signals, backup, inputs, n_inputs, 11) == 0


@given(st.integers(1, 9), st.integers(1, 40))
def test_signals_are_whole_vectors_at_their_addresses(n_signals, n_words):
    signals = new_signals(n_signals, n_words)
    assert signals.shape[0] == n_signals
    assert n_words <= signals.shape[1] < n_words + N_WORDS
    assert signals.shape[1] % N_WORDS == 0
    assert signals.ctypes.data % (N_WORDS * signals.itemsize) == 0
    assert signals.flags.c_contiguous
    assert not signals.any()


def test_an_edit_of_the_vector_loops_compiles_the_walk_anew():
    sources = find_sources(kernels.__name__, Path(kernels.__file__))
    assert {Path(vectors.__file__), Path(kernels.__file__), Path(shared.__file__)} <= set(sources)
