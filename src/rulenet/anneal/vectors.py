"""Eight words at a time: the innermost loops of a walk, written for vector registers.

Signals of a walk have few words, most often fewer than a loop that the compiler makes of words would take at once; so
these loops are built from vectors. The compiler splits them where a machine has shorter registers. Lists of inputs are
read in groups, so that lists of different lengths take the same way through the code.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

N_WORDS = 8
N_NUMBERS = 16
# Inputs that are read together; beyond the last one stand signals that are always set. With 4 or 16 a proposal on 512
# rows takes up to a fifth longer.
GROUP = 8
INTEGER, NUMBER = ir.IntType(64), ir.IntType(32)
FLAG = ir.IntType(1)
VECTOR, NUMBERS = ir.VectorType(INTEGER, N_WORDS), ir.VectorType(NUMBER, N_NUMBERS)
UNSET, SET = (ir.Constant(VECTOR, [value] * N_WORDS) for value in (0, 2**64 - 1))
LINE_BYTES = 64


def new_signals(n_signals: int, n_words: int) -> NDArray[np.uint64]:
    """Zeros for ``n_words`` per signal, rounded up to whole vectors; each begins at a multiple of a vector's bytes."""
    return _new_rows(n_signals, -(-n_words // N_WORDS) * N_WORDS, np.uint64)


def new_lists(n_lists: int, n_numbers: int) -> NDArray[np.int32]:
    """Zeros for ``n_numbers`` per list, rounded up to whole vectors.

    A list takes an odd number of lines of the cache, so that the beginnings of lists do not drive out each other.
    """
    return _new_rows(n_lists, (-(-n_numbers // N_NUMBERS) | 1) * N_NUMBERS, np.int32)


def _new_rows(n_rows: int, width: int, kind: Any) -> NDArray[Any]:
    per_line = LINE_BYTES // np.dtype(kind).itemsize
    room = np.zeros(n_rows * width + per_line, kind)
    begin = -room.ctypes.data // room.itemsize % per_line
    return room[begin : begin + n_rows * width].reshape(n_rows, width)


@intrinsic
def fire_unit(typing_context: Any, signals: Any, inputs: Any, n_inputs: Any, unit: Any, backup: Any) -> Any:
    """Set the signal of ``unit`` to where any of its inputs is not set, and that of ``backup`` to what it was.

    Returns a word with some bit set where they differ. Beyond the last input stand signals that are always set.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        signals, inputs = _arrays(context, builder, signature.args, args, (0, 1))
        n_inputs, unit, backup = args[2:]
        sources = _place(builder, _rows(builder, inputs), unit, _whole(0))
        differs = cgutils.alloca_once(builder, VECTOR)
        builder.store(UNSET, differs)
        for rows in _of_any_width(builder, signals):
            with _steps(builder, rows.width, N_WORDS) as word:
                together = cgutils.alloca_once(builder, VECTOR)
                builder.store(SET, together)
                with _steps(builder, n_inputs, GROUP) as first:
                    values = [builder.load(together)]
                    for i in range(GROUP):
                        source = builder.load(builder.gep(sources, [builder.add(first, _whole(i))]))
                        values.append(_load(builder, _place(builder, rows, builder.zext(source, INTEGER), word)))
                    builder.store(_all_of(builder, values), together)
                fires = builder.not_(builder.load(together))
                here = _place(builder, rows, unit, word)
                before = _load(builder, here)
                _store(builder, before, _place(builder, rows, backup, word))
                _store(builder, fires, here)
                builder.store(builder.or_(builder.load(differs), builder.xor(fires, before)), differs)
        return _reduce(builder, "or", builder.load(differs))

    return types.uint64(signals, inputs, types.int64, types.int64, types.int64), generate


@intrinsic
def copy_signal(typing_context: Any, signals: Any, target: Any, source: Any) -> Any:
    """Set one signal to another one."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (signals,) = _arrays(context, builder, signature.args, args, (0,))
        for rows in _of_any_width(builder, signals):
            with _steps(builder, rows.width, N_WORDS) as word:
                values = _load(builder, _place(builder, rows, args[2], word))
                _store(builder, values, _place(builder, rows, args[1], word))
        return context.get_dummy_value()

    return types.void(signals, types.int64, types.int64), generate


@intrinsic
def count_differing(typing_context: Any, signals: Any, one: Any, other: Any, where: Any) -> Any:
    """The number of bits of one signal that are not as in the ``other`` where a third one is set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (signals,) = _arrays(context, builder, signature.args, args, (0,))
        counts = cgutils.alloca_once(builder, VECTOR)
        builder.store(UNSET, counts)
        kind = ir.FunctionType(VECTOR, [VECTOR])
        count = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{N_WORDS}i64")
        for rows in _of_any_width(builder, signals):
            with _steps(builder, rows.width, N_WORDS) as word:
                one, other, where = (_load(builder, _place(builder, rows, row, word)) for row in args[1:])
                counted = builder.call(count, [builder.and_(builder.xor(one, other), where)])
                builder.store(builder.add(builder.load(counts), counted), counts)
        return _reduce(builder, "add", builder.load(counts))

    return types.int64(signals, types.int64, types.int64, types.int64), generate


@intrinsic
def find_input(typing_context: Any, inputs: Any, n_inputs: Any, unit: Any, source: Any) -> Any:
    """Where ``source`` stands in list ``unit``, which has ``n_inputs`` numbers; ``n_inputs`` if it does not.

    It does not stand beyond the last one.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (inputs,) = _arrays(context, builder, signature.args, args, (0,))
        place = _place(builder, _rows(builder, inputs), args[2], _whole(0))
        wanted = _splat(builder, builder.trunc(args[3], NUMBER), NUMBERS)
        return _find(builder, place, NUMBERS, wanted, args[1])

    return types.int64(inputs, types.int64, types.int64, types.int64), generate


@intrinsic
def find_pair(typing_context: Any, pairs: Any, n_pairs: Any, first: Any, second: Any) -> Any:
    """The row of ``pairs``, which has ``n_pairs`` rows of two and room for a vector, that is (first, second)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (pairs,) = _arrays(context, builder, signature.args, args, (0,))
        both = cgutils.alloca_once(builder, ir.ArrayType(NUMBER, 2))
        for i in (0, 1):
            builder.store(builder.trunc(args[2 + i], NUMBER), builder.gep(both, [_whole(0), _whole(i)]))
        pair = builder.load(builder.bitcast(both, INTEGER.as_pointer()))
        place = builder.bitcast(pairs.data, INTEGER.as_pointer())
        return _find(builder, place, VECTOR, _splat(builder, pair, VECTOR), args[1])

    return types.int64(pairs, types.int64, types.int64, types.int64), generate


def _find(builder: Any, place: Any, kind: Any, wanted: Any, n_values: Any) -> Any:
    """The first of ``n_values`` values at a place that is as ``wanted``, or ``n_values``."""
    found = cgutils.alloca_once(builder, INTEGER)
    builder.store(n_values, found)
    after = builder.append_basic_block("found")
    with _steps(builder, n_values, kind.count) as first:
        here = builder.bitcast(builder.gep(place, [first]), kind.as_pointer())
        same = builder.icmp_unsigned("==", builder.load(here, align=4), wanted)
        flags = builder.zext(builder.bitcast(same, ir.IntType(kind.count)), INTEGER)
        is_here, go_on = builder.append_basic_block("here"), builder.append_basic_block("not_here")
        builder.cbranch(builder.icmp_unsigned("!=", flags, _whole(0)), is_here, go_on)
        builder.position_at_end(is_here)
        count = builder.module.declare_intrinsic("llvm.cttz", [INTEGER], ir.FunctionType(INTEGER, [INTEGER, FLAG]))
        builder.store(builder.add(first, builder.call(count, [flags, ir.Constant(FLAG, 1)])), found)
        builder.branch(after)
        builder.position_at_end(go_on)
    builder.branch(after)
    builder.position_at_end(after)
    return builder.load(found)


@contextmanager
def _steps(builder: Any, stop: Any, step: int) -> Iterator[Any]:
    """A loop over 0, ``step``, 2 * ``step`` and so on below ``stop``, which is gone through once at least."""
    counter = cgutils.alloca_once(builder, INTEGER)
    builder.store(_whole(0), counter)
    again, after = builder.append_basic_block("step"), builder.append_basic_block("after")
    builder.branch(again)
    builder.position_at_end(again)
    number = builder.load(counter)
    yield number
    following = builder.add(number, _whole(step), flags=["nsw"])
    builder.store(following, counter)
    builder.cbranch(builder.icmp_signed("<", following, stop), again, after)
    builder.position_at_end(after)


def _arrays(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any], which: Sequence[int]) -> list[Any]:
    return [context.make_array(kinds[i])(context, builder, values[i]) for i in which]


def _whole(number: int) -> Any:
    return ir.Constant(INTEGER, number)


class _Rows(NamedTuple):
    """The rows of a matrix: where they are, and how many numbers each has."""

    data: Any
    width: Any


def _rows(builder: Any, array: Any) -> _Rows:
    return _Rows(array.data, cgutils.unpack_tuple(builder, array.shape)[1])


def _of_any_width(builder: Any, array: Any) -> Iterator[_Rows]:
    """Rows of signals, for code that is written twice: rows of one vector, found without a product, and of more.

    Up to 512 rows of a table, a proposal takes some 3% less time.
    """
    rows = _rows(builder, array)
    narrow = builder.icmp_unsigned("==", rows.width, _whole(N_WORDS))
    with builder.if_else(narrow) as (of_one_vector, of_more):
        with of_one_vector:
            yield rows._replace(width=_whole(N_WORDS))
        with of_more:
            yield rows


def _place(builder: Any, rows: _Rows, row: Any, column: Any) -> Any:
    """A pointer into a matrix."""
    start = builder.mul(row, rows.width, flags=["nsw"])
    return builder.gep(rows.data, [builder.add(start, column, flags=["nsw"])], inbounds=True)


def _load(builder: Any, place: Any) -> Any:
    return builder.load(builder.bitcast(place, VECTOR.as_pointer()), align=8)


def _store(builder: Any, values: Any, place: Any) -> None:
    builder.store(values, builder.bitcast(place, VECTOR.as_pointer()), align=8)


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


def _reduce(builder: Any, operation: str, values: Any) -> Any:
    """All words together."""
    name = f"llvm.vector.reduce.{operation}.v{N_WORDS}i64"
    reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(INTEGER, [VECTOR]), name)
    return builder.call(reduce, [values])
