"""The vector loops against the same in NumPy."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rulenet import kernels as shared
from rulenet.anneal import kernels, vectors
from rulenet.anneal import walk as walking
from rulenet.anneal.vectors import (
    GROUP,
    copy_signal,
    count_differing,
    find_input,
    find_pair,
    fire_unit,
    new_lists,
)
from rulenet.compiled import find_sources
from rulenet.drawing import first_bits, share_of
from rulenet.vectors import (
    LINE_BYTES,
    N_WORDS,
    count_four,
    count_two,
    new_signals,
    split_rows,
    split_tipping_rows,
)


@njit
def fire(signals, inputs, n_inputs, unit, backup):
    return fire_unit(signals, inputs, n_inputs, unit, backup)


@njit
def copy(signals, target, source):
    copy_signal(signals, target, source)


@njit
def count(signals, one, other, where):
    return count_differing(signals, one, other, where)


@njit
def find(inputs, n_inputs, unit, source):
    return find_input(inputs, n_inputs, unit, source)


@njit
def find_edge(pairs, n_pairs, first, second):
    return find_pair(pairs, n_pairs, first, second)


@njit
def split(halves, signals, planes, n_words):
    """Signal 0 is toggled, 1 is wrong."""
    return split_rows(halves, 2, signals, 0, planes, 1, signals, 1, n_words)


@njit
def split_tipping(halves, signals, planes, n_words):
    """Signal 2 is observed and tipping, 3 fires, 1 is wrong."""
    return split_tipping_rows(halves, 1, signals, 2, signals, signals[1:], 2, planes, 0, signals, 1, n_words)


@njit
def count_halves(halves, signals, n_words):
    return count_four(halves, 1, signals, 3, 0, 2, 2, n_words), count_two(halves, 1, signals, 1, 3, n_words)


def make_signals(rng, n_signals, n_words):
    signals = new_signals(n_signals, n_words)
    # Few zeros, so that many inputs leave some rows on which the unit does not fire.
    signals[:] = np.bitwise_or.reduce(rng.integers(0, 2**64, (3, *signals.shape), dtype=np.uint64))
    return signals


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 3 * GROUP), st.integers(0, 2**32 - 1))
def test_a_unit_fires_where_any_input_is_not_set(n_words, n_inputs, seed):
    rng = np.random.default_rng(seed)
    signals = make_signals(rng, 14, n_words)
    signals[13] = kernels.ALL
    before = signals.copy()
    inputs = new_lists(12, 3 * GROUP)
    inputs[:] = 13
    inputs[11, :n_inputs] = rng.integers(0, 11, n_inputs)
    difference = fire(signals, inputs, n_inputs, 11, 12)
    # No inputs: nothing is not set.
    fires = np.bitwise_or.reduce(~before[inputs[11, :n_inputs]], axis=0) if n_inputs else np.zeros_like(before[0])
    assert np.array_equal(signals[11], fires)
    assert np.array_equal(signals[[*range(11), 13]], before[[*range(11), 13]])
    assert np.array_equal(signals[12], before[11])
    assert (difference != 0) == (fires != before[11]).any()
    copy(signals, 11, 12)
    assert np.array_equal(signals[:12], before[:12])
    assert fire(signals, inputs, n_inputs, 11, 12) == difference
    assert fire(signals, inputs, n_inputs, 11, 12) == 0


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 2**32 - 1))
def test_rows_where_two_signals_differ_are_counted(n_words, seed):
    signals = make_signals(np.random.default_rng(seed), 4, n_words)
    assert count(signals, 3, 1, 2) == np.bitwise_count((signals[3] ^ signals[1]) & signals[2]).sum()


def make_planes(rng, n_words):
    planes = new_signals(2, n_words)
    planes[:, :n_words] = rng.integers(0, 2**64, (2, n_words), dtype=np.uint64)
    return planes


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 2**32 - 1))
def test_rows_are_split_into_those_righted_and_those_wronged(n_words, seed):
    rng = np.random.default_rng(seed)
    signals, planes, halves = make_signals(rng, 4, n_words), make_planes(rng, n_words), new_signals(5, n_words)
    counts = split(halves, signals, planes, n_words)
    changed = signals[0] & planes[1]
    assert np.array_equal(halves[2:4], [changed, changed & ~signals[1]])
    assert counts == tuple(np.bitwise_count(rows).sum() for rows in (changed & signals[1], halves[3]))


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 2**32 - 1))
def test_rows_where_a_unit_tips_are_split_by_whether_it_fires(n_words, seed):
    rng = np.random.default_rng(seed)
    signals, planes, halves = make_signals(rng, 4, n_words), make_planes(rng, n_words), new_signals(5, n_words)
    counts = split_tipping(halves, signals, planes, n_words)
    changed = signals[2] & planes[0]
    on, off, errs = changed & signals[3], changed & ~signals[3], signals[1]
    assert np.array_equal(halves[1:], [on, on & ~errs, off, off & ~errs])
    assert counts == tuple(np.bitwise_count(rows).sum() for rows in (on & errs, on & ~errs, off & errs, off & ~errs))


@given(st.integers(1, 3 * N_WORDS + 1), st.integers(0, 2**32 - 1))
def test_what_is_righted_where_a_signal_is_set_and_wronged_where_not_is_counted(n_words, seed):
    rng = np.random.default_rng(seed)
    signals, planes, halves = make_signals(rng, 4, n_words), make_planes(rng, n_words), new_signals(5, n_words)
    split_tipping(halves, signals, planes, n_words)
    righted, wronged = halves[1] & ~halves[2], halves[2]
    expected = [np.bitwise_count((righted & rows) | (wronged & ~rows)).sum() for rows in signals]
    four, two = count_halves(halves, signals, n_words)
    assert four == tuple(expected[i] for i in (3, 0, 2, 2))
    assert two == tuple(expected[i] for i in (1, 3))


@given(st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_what_is_listed_is_found_and_what_is_not_is_not(n_inputs, seed):
    rng = np.random.default_rng(seed)
    inputs = new_lists(3, 40)
    inputs[:] = 100
    inputs[2, :n_inputs] = rng.permutation(50)[:n_inputs]
    for source in range(50):
        place = np.flatnonzero(inputs[2] == source)
        assert find(inputs, n_inputs, 2, source) == (place[0] if place.size else n_inputs)
    pairs = np.zeros((n_inputs + N_WORDS, 2), np.int32)
    pairs[:n_inputs] = rng.permutation(2_500)[:n_inputs, np.newaxis] // [50, 1] % 50
    for row in range(n_inputs):
        assert find_edge(pairs, n_inputs, *pairs[row]) == row
        swapped = np.flatnonzero((pairs[:n_inputs] == pairs[row, ::-1]).all(axis=1))
        assert find_edge(pairs, n_inputs, *pairs[row, ::-1]) == (swapped[0] if swapped.size else n_inputs)


@given(st.integers(1, 9), st.integers(1, 40))
def test_signals_are_whole_vectors_at_their_addresses(n_signals, n_words):
    signals = new_signals(n_signals, n_words)
    assert signals.shape[0] == n_signals
    assert n_words <= signals.shape[1] < n_words + N_WORDS
    assert signals.shape[1] % N_WORDS == 0
    assert signals.ctypes.data % (N_WORDS * signals.itemsize) == 0
    assert signals.flags.c_contiguous
    assert not signals.any()
    lists = new_lists(n_signals, n_words)
    assert lists.shape[0] == n_signals
    assert lists.shape[1] >= n_words
    assert lists.shape[1] * lists.itemsize // LINE_BYTES % 2 == 1
    assert lists.ctypes.data % LINE_BYTES == 0


def test_an_edit_of_the_vector_loops_compiles_the_walk_anew():
    sources = find_sources(kernels.__name__, Path(kernels.__file__))
    assert {Path(vectors.__file__), Path(kernels.__file__), Path(shared.__file__)} <= set(sources)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(any), st.integers(0, 2**53 - 1))
def test_bits_tell_what_shares_tell(parts, bits):
    cumulative = np.cumsum(parts)
    draw = share_of(np.uint64(bits << 11)) * cumulative[-1]
    assert np.array_equal(bits >= first_bits(cumulative), draw >= cumulative)


def test_logarithms_of_shares_are_within_their_bounds():
    bounds = walking._bound_logarithms()
    edges = np.arange(1 << kernels.LOG_BITS, dtype=np.uint64) << kernels.LOG_SHIFT
    for nth, words in enumerate(np.column_stack([edges, edges + (np.uint64(1) << kernels.LOG_SHIFT) - np.uint64(1)])):
        for word in words:
            assert bounds[nth, 0] <= np.log(share_of(word)) <= bounds[nth, 1]
