"""Eight words at a time: the innermost loops of a walk, written for vector registers.

Signals of a walk have few words, most often fewer than a loop that the compiler makes of words would take at once; so
these loops are built from vectors. Lists of inputs are read in groups, so that lists of different lengths take the same
way through the code.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from rulenet.vectors import (
    INTEGER,
    LINE_BYTES,
    N_WORDS,
    SET,
    UNSET,
    VECTOR,
    Matrix,
    arrays,
    counter,
    load,
    matrix,
    place,
    reduce,
    steps,
    store,
    whole,
)

N_NUMBERS = 16
# Inputs that are read together; beyond the last one stand signals that are always set. With 4 or 16 a proposal on 512
# rows takes up to a fifth longer.
GROUP = 8
NUMBER, FLAG = ir.IntType(32), ir.IntType(1)
NUMBERS = ir.VectorType(NUMBER, N_NUMBERS)


def new_lists(n_lists: int, n_numbers: int) -> NDArray[np.int32]:
    """Zeros for ``n_numbers`` per list, rounded up to whole vectors.

    A list takes an odd number of lines of the cache, so that the beginnings of lists do not drive out each other.
    """
    width, per_line = (-(-n_numbers // N_NUMBERS) | 1) * N_NUMBERS, LINE_BYTES // np.dtype(np.int32).itemsize
    room = np.zeros(n_lists * width + per_line, np.int32)
    begin = -room.ctypes.data // room.itemsize % per_line
    return room[begin : begin + n_lists * width].reshape(n_lists, width)


@intrinsic
def fire_unit(typing_context: Any, signals: Any, inputs: Any, n_inputs: Any, unit: Any, backup: Any) -> Any:
    """Set the signal of ``unit`` to where any of its inputs is not set, and that of ``backup`` to what it was.

    Returns a word with some bit set where they differ. Beyond the last input stand signals that are always set.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        signals, inputs = arrays(context, builder, signature.args, args, (0, 1))
        n_inputs, unit, backup = args[2:]
        sources = place(builder, matrix(builder, inputs), unit, whole(0))
        differs = cgutils.alloca_once(builder, VECTOR)
        builder.store(UNSET, differs)
        for rows in _of_any_width(builder, signals):
            with steps(builder, rows.width, N_WORDS) as word:
                together = cgutils.alloca_once(builder, VECTOR)
                builder.store(SET, together)
                with steps(builder, n_inputs, GROUP) as first:
                    values = [builder.load(together)]
                    for i in range(GROUP):
                        source = builder.load(builder.gep(sources, [builder.add(first, whole(i))]))
                        values.append(load(builder, place(builder, rows, builder.zext(source, INTEGER), word)))
                    builder.store(_all_of(builder, values), together)
                fires = builder.not_(builder.load(together))
                here = place(builder, rows, unit, word)
                before = load(builder, here)
                store(builder, before, place(builder, rows, backup, word))
                store(builder, fires, here)
                builder.store(builder.or_(builder.load(differs), builder.xor(fires, before)), differs)
        return reduce(builder, "or", builder.load(differs))

    return types.uint64(signals, inputs, types.int64, types.int64, types.int64), generate


@intrinsic
def copy_signal(typing_context: Any, signals: Any, target: Any, source: Any) -> Any:
    """Set one signal to another one."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (signals,) = arrays(context, builder, signature.args, args, (0,))
        for rows in _of_any_width(builder, signals):
            with steps(builder, rows.width, N_WORDS) as word:
                values = load(builder, place(builder, rows, args[2], word))
                store(builder, values, place(builder, rows, args[1], word))
        return context.get_dummy_value()

    return types.void(signals, types.int64, types.int64), generate


@intrinsic
def count_differing(typing_context: Any, signals: Any, one: Any, other: Any, where: Any) -> Any:
    """The number of bits of one signal that are not as in the ``other`` where a third one is set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (signals,) = arrays(context, builder, signature.args, args, (0,))
        counts = cgutils.alloca_once(builder, VECTOR)
        builder.store(UNSET, counts)
        count = counter(builder)
        for rows in _of_any_width(builder, signals):
            with steps(builder, rows.width, N_WORDS) as word:
                one, other, where = (load(builder, place(builder, rows, row, word)) for row in args[1:])
                counted = builder.call(count, [builder.and_(builder.xor(one, other), where)])
                builder.store(builder.add(builder.load(counts), counted), counts)
        return reduce(builder, "add", builder.load(counts))

    return types.int64(signals, types.int64, types.int64, types.int64), generate


@intrinsic
def find_input(typing_context: Any, inputs: Any, n_inputs: Any, unit: Any, source: Any) -> Any:
    """Where ``source`` stands in list ``unit``, which has ``n_inputs`` numbers; ``n_inputs`` if it does not.

    It does not stand beyond the last one.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (inputs,) = arrays(context, builder, signature.args, args, (0,))
        numbers = place(builder, matrix(builder, inputs), args[2], whole(0))
        wanted = _splat(builder, builder.trunc(args[3], NUMBER), NUMBERS)
        return _find(builder, numbers, NUMBERS, wanted, args[1])

    return types.int64(inputs, types.int64, types.int64, types.int64), generate


@intrinsic
def find_pair(typing_context: Any, pairs: Any, n_pairs: Any, first: Any, second: Any) -> Any:
    """The row of ``pairs``, which has ``n_pairs`` rows of two and room for a vector, that is (first, second)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (pairs,) = arrays(context, builder, signature.args, args, (0,))
        both = cgutils.alloca_once(builder, ir.ArrayType(NUMBER, 2))
        for i in (0, 1):
            builder.store(builder.trunc(args[2 + i], NUMBER), builder.gep(both, [whole(0), whole(i)]))
        pair = builder.load(builder.bitcast(both, INTEGER.as_pointer()))
        first_pair = builder.bitcast(pairs.data, INTEGER.as_pointer())
        return _find(builder, first_pair, VECTOR, _splat(builder, pair, VECTOR), args[1])

    return types.int64(pairs, types.int64, types.int64, types.int64), generate


def _find(builder: Any, values: Any, kind: Any, wanted: Any, n_values: Any) -> Any:
    """The first of ``n_values`` values that is as ``wanted``, or ``n_values``."""
    found = cgutils.alloca_once(builder, INTEGER)
    builder.store(n_values, found)
    after = builder.append_basic_block("found")
    with steps(builder, n_values, kind.count) as first:
        here = builder.bitcast(builder.gep(values, [first]), kind.as_pointer())
        same = builder.icmp_unsigned("==", builder.load(here, align=4), wanted)
        flags = builder.zext(builder.bitcast(same, ir.IntType(kind.count)), INTEGER)
        is_here, go_on = builder.append_basic_block("here"), builder.append_basic_block("not_here")
        builder.cbranch(builder.icmp_unsigned("!=", flags, whole(0)), is_here, go_on)
        builder.position_at_end(is_here)
        count = builder.module.declare_intrinsic("llvm.cttz", [INTEGER], ir.FunctionType(INTEGER, [INTEGER, FLAG]))
        builder.store(builder.add(first, builder.call(count, [flags, ir.Constant(FLAG, 1)])), found)
        builder.branch(after)
        builder.position_at_end(go_on)
    builder.branch(after)
    builder.position_at_end(after)
    return builder.load(found)


def _of_any_width(builder: Any, array: Any) -> Iterator[Matrix]:
    """Rows of signals, for code that is written twice: rows of one vector, found without a product, and of more.

    Up to 512 rows of a table, a proposal takes some 3% less time.
    """
    rows = matrix(builder, array)
    narrow = builder.icmp_unsigned("==", rows.width, whole(N_WORDS))
    with builder.if_else(narrow) as (of_one_vector, of_more):
        with of_one_vector:
            yield rows._replace(width=whole(N_WORDS))
        with of_more:
            yield rows


def _all_of(builder: Any, values: list[Any]) -> Any:
    """What is set in all values, two by two: none waits for more than a few others."""
    while len(values) > 1:
        pairs = [builder.and_(*values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
        values = [*pairs, *values[2 * len(pairs) :]]
    return values[0]


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(NUMBER, 0))
    everywhere = ir.Constant(ir.VectorType(NUMBER, kind.count), None)
    return builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), everywhere)
