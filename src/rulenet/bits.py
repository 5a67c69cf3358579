"""One bit per row, 64 rows a word; bit r of word w is row 64 * w + r."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
# Rows that are unpacked at a time, whole words of them.
BLOCK = 1 << 12

Words = NDArray[np.uint64]
Number = TypeVar("Number", np.float32, np.float64)


def n_words(n_rows: int) -> int:
    """How many words hold ``n_rows`` bits.

    >>> n_words(0), n_words(64), n_words(65)
    (0, 1, 2)
    """
    return -(-n_rows // WORD_BITS)


def pack(rows: NDArray[np.bool_]) -> Words:
    """Pack the last axis of a Boolean array into words; spare bits of the last word are zero.

    >>> pack(np.array([True, False, True]))
    array([5], dtype=uint64)
    """
    rows = np.asarray(rows, dtype=np.bool_)
    size = n_words(rows.shape[-1])
    packed = np.zeros((*rows.shape[:-1], size * 8), dtype=np.uint8)
    bytes_ = np.packbits(rows, axis=-1, bitorder="little")
    packed[..., : bytes_.shape[-1]] = bytes_
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_rows: int) -> NDArray[np.bool_]:
    """The first ``n_rows`` bits of the last axis, as Booleans.

    >>> unpack(np.array([5], dtype=np.uint64), 3)
    array([ True, False,  True])
    """
    bytes_ = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(bytes_, axis=-1, count=n_rows, bitorder="little").view(np.bool_)


def table(literals: Words, n_rows: int, dtype: type[Number]) -> NDArray[Number]:
    """Packed literals as a table of zeros and ones, a row a row, for libraries that want numbers.

    >>> table(np.array([[1], [2]], dtype=np.uint64), 2, np.float32).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.ascontiguousarray(unpack(literals, n_rows).T, dtype=dtype)


def mask(n_rows: int) -> Words:
    """Words whose first ``n_rows`` bits are set.

    >>> mask(3)
    array([7], dtype=uint64)
    """
    words = np.full(n_words(n_rows), ~np.uint64(0), dtype=np.uint64)
    if n_rows % WORD_BITS:
        words[-1] = np.uint64((1 << n_rows % WORD_BITS) - 1)
    return words


def blocks(words: Words, n_rows: int) -> Iterator[tuple[slice, Words]]:
    """The rows part by part, at most `BLOCK` of them, with their words: what is unpacked stays small.

    >>> [(rows.start, rows.stop, part.shape[1]) for rows, part in blocks(np.zeros((2, 65), np.uint64), 4100)]
    [(0, 4096, 64), (4096, 4100, 1)]
    """
    for start in range(0, n_rows, BLOCK):
        end = min(start + BLOCK, n_rows)
        yield slice(start, end), words[:, start // WORD_BITS : n_words(end)]
