import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rulenet import bits


@given(arrays(bool, st.tuples(st.integers(0, 4), st.integers(0, 200))))
def test_packing_then_unpacking_is_the_identity(rows):
    assert np.array_equal(bits.unpack(bits.pack(rows), rows.shape[1]), rows)


@given(arrays(bool, st.integers(0, 200)))
def test_spare_bits_are_zero_after_packing(rows):
    words = bits.pack(rows)
    assert np.bitwise_count(words).sum() == rows.sum()
    assert np.array_equal(words & bits.mask(len(rows)), words)


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 128])
def test_a_mask_has_as_many_bits_as_rows(n_rows):
    assert np.bitwise_count(bits.mask(n_rows)).sum() == n_rows
    assert bits.mask(n_rows).size == bits.n_words(n_rows)


def test_row_r_of_word_w_is_bit_r():
    rows = np.zeros(130, dtype=bool)
    rows[[0, 65, 129]] = True
    assert bits.pack(rows).tolist() == [1, 2, 2]
