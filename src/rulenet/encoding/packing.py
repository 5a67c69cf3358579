"""Compiled loops of the encoding: items to codes, codes and numbers to bits."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from rulenet.compiled import jit, jit_with_gil, lean, part

# Python's C interface, found by name when linked, so that compiled code can be cached. Numba declares some of it too,
# so the types must be C's; elsewhere objects are addresses.
type_of = types.ExternalFunction("PyObject_Type", types.voidptr(types.voidptr))  # a new reference
release = types.ExternalFunction("Py_DecRef", types.void(types.voidptr))
hash_of = types.ExternalFunction("PyObject_Hash", types.intp(types.voidptr))
compare = types.ExternalFunction("PyObject_RichCompareBool", types.int32(types.voidptr, types.voidptr, types.int32))
clear_error = types.ExternalFunction("PyErr_Clear", types.void())
IS_EQUAL = 2  # Py_EQ

TILE = 8  # words: whole cache lines are written, and the bits of 200 values still fit into L1
MANY_CUTS = 64  # beyond, a search beats comparing with all
MAX_WHOLE = 2.0**53  # beyond, not every whole number is a float


class Runs(NamedTuple):
    """Conditions on an attribute with ``n_cells`` cells, as runs of cells; the cell after the last stands for missing.

    The runs of the condition in row ``rows[j]`` are those from ``starts[j]`` to ``starts[j + 1]``, each from its first
    cell to the one after its last.
    """

    n_cells: int
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    first: NDArray[np.int64]
    after: NDArray[np.int64]


@intrinsic
def pointer_to(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.intp), generate


@intrinsic
def address_of(typing_context: Any, pointer: Any) -> Any:
    """A pointer as an address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], context.get_value_type(types.intp))

    return types.intp(types.voidptr), generate


def number_items(items: NDArray[np.int64], codes: NDArray[np.int32], firsts: NDArray[np.int64]) -> int:
    """Number equal ``items`` (``int64[n]``) alike, in order of appearance, and return how many differ.

    ``codes[r]`` becomes the number of ``items[r]``, ``firsts[c]`` the row where number c appeared first.
    Returns -1 as soon as there are more numbers than ``firsts`` has room for (a power of two).
    """
    slots = np.full(4 * firsts.size, -1, np.int32)  # never more than a quarter full
    return int(find_numbers(items, codes, firsts, slots, np.empty(firsts.size, np.int64)))


@lean
def find_numbers(items, codes, firsts, slots, keys):
    """`number_items`, with its working space."""
    mask = np.uint64(slots.size - 1)
    n_found = 0
    for r in range(items.size):
        item = items[r]
        slot = ((np.uint64(item) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & mask
        code = slots[slot]
        while code >= 0 and keys[code] != item:
            slot = (slot + np.uint64(1)) & mask
            code = slots[slot]
        if code < 0:
            if n_found == firsts.size:
                return -1
            code = np.int32(n_found)
            slots[slot] = code
            keys[code] = item
            firsts[code] = r
            n_found += 1
        codes[r] = code
    return n_found


@jit_with_gil
def number_objects(addresses, codes, firsts):
    """``number_items`` for objects: those of one type that are equal get the same number.

    Returns -2 where an object is not hashable. The objects must outlive the call. Three times faster than
    ``pandas.factorize``, which also takes True for 1.
    """
    slots = np.full(4 * firsts.size, -1, np.int32)
    keys = np.empty((firsts.size, 3), np.int64)  # address, type, hash
    mask = np.uint64(slots.size - 1)
    n_found = 0
    for r in range(addresses.size):
        item = addresses[r]
        cell = pointer_to(item)
        its_type = type_of(cell)
        release(its_type)  # the object keeps it alive
        kind, hashed = address_of(its_type), hash_of(cell)
        if hashed == -1:
            clear_error()
            return -2
        slot = ((np.uint64(hashed) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & mask
        code = slots[slot]
        while code >= 0 and not same_object(keys[code], item, kind, hashed):
            slot = (slot + np.uint64(1)) & mask
            code = slots[slot]
        if code < 0:
            if n_found == firsts.size:
                return -1
            code = np.int32(n_found)
            slots[slot] = code
            keys[code] = item, kind, hashed
            firsts[code] = r
            n_found += 1
        codes[r] = code
    return n_found


@jit_with_gil
def same_object(key, item, kind, hashed):
    """Whether ``key`` (address, type, hash) is an object of the same type that equals ``item``."""
    if key[0] == item:
        return True
    if key[1] != kind or key[2] != hashed:
        return False
    equal = compare(pointer_to(key[0]), pointer_to(item), IS_EQUAL)
    if equal < 0:
        clear_error()
    return equal == 1


def read_only(column: NDArray[Any]) -> NDArray[Any]:
    """A column that kernels do not write to: what may and what may not be written to is compiled once, not twice."""
    column = column.view()
    column.flags.writeable = False
    return column


def count_codes(codes: NDArray[np.int32], n_values: int) -> NDArray[np.int64]:
    """How many rows have each code, -1 first."""
    return np.bincount(codes + 1, minlength=1 + n_values)


def pack_codes(codes: NDArray[np.int32], places: NDArray[np.int32], runs: Runs, words: NDArray[np.uint64]) -> None:
    """Fill the rows of ``words`` (``uint64[n_conditions, n_words]``) that ``runs`` speaks of, from a column of codes.

    ``codes`` is ``int32[n]``, -1 or more; the cell of row r is ``places[1 + codes[r]]``. Missing values have the cell
    after the last, unknown ones the next, so they need no branch.
    """
    write_codes(read_only(codes), places, runs, words, np.zeros((runs.n_cells + 3, TILE), np.uint64))


@lean
def write_codes(codes, places, runs, words, tile):
    """`pack_codes`, with its working space."""
    for start in range(0, words.shape[1], TILE):
        for w in range(min(TILE, words.shape[1] - start)):
            row = 64 * (start + w)
            bit = np.uint64(1)
            for r in range(row, min(row + 64, codes.size)):
                tile[1 + places[1 + codes[r]], w] |= bit
                bit <<= np.uint64(1)
        write_tile(tile, runs, words, start)


def pack_numbers(
    values: NDArray[Any], cuts: NDArray[Any], nothing: float, runs: Runs, words: NDArray[np.uint64]
) -> None:
    """Like ``pack_codes``, from a column of numbers (``float64[n]`` or ``int64[n]``): cells count the cuts below.

    ``nothing`` is the number that stands for a missing value; NaN is missing anyway.
    """
    tile = np.zeros((runs.n_cells + 3, TILE), np.uint64)
    cells = np.empty(64 * TILE, np.int64)  # as wide as the values: comparisons then fill whole registers
    write_numbers(read_only(values), cuts, nothing, runs, words, tile, cells)


@lean
def write_numbers(values, cuts, nothing, runs, words, tile, cells):
    """`pack_numbers`, with its working space."""
    for start in range(0, words.shape[1], TILE):
        block = values[64 * start : min(64 * (start + TILE), values.size)]
        find_cells(block, cuts, nothing, cells)
        for w in range(min(TILE, words.shape[1] - start)):
            bit = np.uint64(1)
            for r in range(64 * w, min(64 * w + 64, block.size)):
                tile[1 + cells[r], w] |= bit
                bit <<= np.uint64(1)
        write_tile(tile, runs, words, start)


@part
def count_below(cuts, value):
    """How many of the sorted ``cuts`` are below a value."""
    first, after = 0, cuts.size
    while first < after:
        middle = (first + after) >> 1
        if cuts[middle] < value:
            first = middle + 1
        else:
            after = middle
    return first


@part
def find_cells(block, cuts, nothing, cells):
    """The cell of every value of a block, the one after the last where it is missing."""
    n = block.size
    if cuts.size <= MANY_CUTS:
        for r in range(n):
            cells[r] = 0
        for c in range(cuts.size):
            cut = cuts[c]
            for r in range(n):
                cells[r] += block[r] > cut
    else:
        for r in range(n):
            cells[r] = count_below(cuts, block[r])
    for r in range(n):
        if block[r] == nothing or block[r] != block[r]:
            cells[r] = cuts.size + 1


@part
def write_tile(tile, runs, words, start):
    """Write the conditions of the rows of ``tile``, whose row 1 + c has the bits of cell c, and clear it.

    The cells are disjoint, so those of a run are all that came up to its end without those before its start.
    """
    width = min(TILE, words.shape[1] - start)
    for cell in range(1, runs.n_cells + 2):
        for w in range(TILE):
            tile[cell, w] |= tile[cell - 1, w]
    for j in range(runs.rows.size):
        row = runs.rows[j]
        for w in range(width):
            words[row, start + w] = 0
        for k in range(runs.starts[j], runs.starts[j + 1]):
            first, after = runs.first[k], runs.after[k]
            for w in range(width):
                words[row, start + w] |= tile[after, w] & ~tile[first, w]
    for cell in range(1, tile.shape[0]):
        for w in range(TILE):
            tile[cell, w] = 0


@jit
def append_bits(words, first, piece, n_rows):
    """Write the first ``n_rows`` bits of every line of ``piece`` to ``words`` from row ``first`` on, which are zero.

    Bits of ``piece`` after these are zero too.
    """
    start, shift = first >> 6, np.uint64(first & 63)
    n_words = (n_rows + 63) >> 6
    for line in range(words.shape[0]):
        if shift == 0:
            for w in range(n_words):
                words[line, start + w] |= piece[line, w]
            continue
        carried = np.uint64(0)
        for w in range(n_words):
            word = piece[line, w]
            words[line, start + w] |= (word << shift) | carried
            carried = word >> (np.uint64(64) - shift)
        if carried:
            words[line, start + n_words] |= carried


def scan_numbers(values: NDArray[Any], nothing: float, found: NDArray[Any]) -> tuple[int, int, bool]:
    """How many values are missing, how many differ (no more than ``found`` has room for), and whether all are whole.

    The different ones are written to ``found``. Infinity counts as whole.
    """
    counts = np.zeros(3, np.int64)
    scan(read_only(values), nothing, found, counts)
    n_missing, n_found, whole = counts.tolist()
    return n_missing, n_found, bool(whole)


@lean
def scan(values, nothing, found, counts):
    """`scan_numbers`; what is found out is left in ``counts``."""
    n_missing, n_found, whole = 0, 0, True
    for r in range(values.size):
        value = values[r]
        if value == nothing or value != value:
            n_missing += 1
            continue
        if whole and value - value == 0:
            whole = value == np.floor(value) and abs(value) < MAX_WHOLE
        if n_found < found.size:
            k = 0
            while k < n_found and found[k] != value:
                k += 1
            if k == n_found:
                found[k] = value
                n_found += 1
    counts[0], counts[1], counts[2] = n_missing, n_found, whole
