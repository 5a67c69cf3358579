"""Compiled loops of the encoding: items to codes, codes to bits."""

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

jit = njit(cache=True, nogil=True)
jit_with_gil = njit(cache=True)

# Python's C interface, found by name when linked, so that compiled code can be cached. Numba declares some of it too,
# so the types must be C's; elsewhere objects are addresses.
type_of = types.ExternalFunction("PyObject_Type", types.voidptr(types.voidptr))  # a new reference
release = types.ExternalFunction("Py_DecRef", types.void(types.voidptr))
hash_of = types.ExternalFunction("PyObject_Hash", types.intp(types.voidptr))
compare = types.ExternalFunction("PyObject_RichCompareBool", types.int32(types.voidptr, types.voidptr, types.int32))
clear_error = types.ExternalFunction("PyErr_Clear", types.void())
IS_EQUAL = 2  # Py_EQ

TILE = 8  # words: whole cache lines are written, and the bits of 200 values still fit into L1


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


@jit
def number_items(items, codes, firsts):
    """Number equal ``items`` (``int64[n]``) alike, in order of appearance, and return how many differ.

    ``codes[r]`` becomes the number of ``items[r]``, ``firsts[c]`` the row where number c appeared first.
    Returns -1 as soon as there are more numbers than ``firsts`` has room for (a power of two).
    """
    slots = np.full(4 * firsts.size, -1, np.int32)  # never more than a quarter full
    keys = np.empty(firsts.size, np.int64)
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


@jit
def pack_codes(codes, places, words):
    """Set bit r of ``words[places[1 + codes[r]]]`` for every row r, and clear all others.

    ``codes`` is ``int32[n]``, -1 or more; ``words`` is ``uint64[n_values, n_words]``. The place ``n_values`` means
    nowhere, so missing and unseen values need no branch.
    """
    n_values, n_words = words.shape
    tile = np.zeros((n_values + 1, TILE), np.uint64)
    for start in range(0, n_words, TILE):
        width = min(TILE, n_words - start)
        for w in range(width):
            row = 64 * (start + w)
            bit = np.uint64(1)
            for r in range(row, min(row + 64, codes.size)):
                tile[places[1 + codes[r]], w] |= bit
                bit <<= np.uint64(1)
        for v in range(n_values):
            for w in range(width):
                words[v, start + w] = tile[v, w]
                tile[v, w] = 0


@jit
def negate_values(equal, differs):
    """Fill ``differs[v]`` with the rows that have a known value other than v; both ``uint64[n_values, n_words]``."""
    n_values, n_words = equal.shape
    for w in range(n_words):
        known = np.uint64(0)
        for v in range(n_values):
            known |= equal[v, w]
        for v in range(n_values):
            differs[v, w] = known & ~equal[v, w]
