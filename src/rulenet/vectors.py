"""Eight words at a time: loops over packed rows for which the compiler would not use vector registers well.

Rows of signals begin at a multiple of a vector's bytes and are padded to whole vectors. The compiler splits vectors
where a machine has shorter registers.
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

from rulenet.compiled import maker

N_WORDS = 8
LINE_BYTES = 64
INTEGER = ir.IntType(64)
VECTOR = ir.VectorType(INTEGER, N_WORDS)
UNSET, SET = (ir.Constant(VECTOR, [value] * N_WORDS) for value in (0, 2**64 - 1))


@maker
def room_for_signals(n_signals, n_words):
    """Room for ``n_words`` per signal, rounded up to whole vectors; each begins at a multiple of a vector's bytes."""
    width = -(-n_words // N_WORDS) * N_WORDS
    room = np.empty(n_signals * width + N_WORDS, np.uint64)
    begin = -(room.ctypes.data // 8) % N_WORDS
    return room[begin : begin + n_signals * width].reshape((n_signals, width))


def new_signals(n_signals: int, n_words: int) -> NDArray[np.uint64]:
    """The same, with zeros."""
    signals: NDArray[np.uint64] = room_for_signals(n_signals, n_words)
    signals[:] = 0
    return signals


@intrinsic
def split_rows(
    typing_context: Any, split: Any, first: Any, toggled: Any, unit: Any, plane_rows: Any, plane: Any, wrong: Any,
    output: Any, n_words: Any
) -> Any:  # fmt: skip
    """Put the rows ``toggled[unit]`` of a plane into row ``first`` of ``split``, and those not wrong into the next one.

    Returns how many are wrong, and how many are not.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        split, *sources = (
            matrix(builder, each) for each in arrays(context, builder, signature.args, args, (0, 2, 4, 6))
        )
        counts = _Counts(builder, 2)
        with steps(builder, args[8], N_WORDS) as word:
            toggled, counted, errs = (
                load(builder, place(builder, rows, args[i], word)) for rows, i in zip(sources, (3, 5, 7), strict=True)
            )
            _split(builder, builder.and_(toggled, counted), errs, split, args[1], word, counts, 0)
        return context.make_tuple(builder, signature.return_type, counts.totals())

    i = types.int64
    return types.UniTuple(i, 2)(split, i, toggled, i, plane_rows, i, wrong, i, i), generate


@intrinsic
def split_tipping_rows(
    typing_context: Any, split: Any, first: Any, observed: Any, seen: Any, tipping: Any, signals: Any, unit: Any,
    plane_rows: Any, plane: Any, wrong: Any, output: Any, n_words: Any
) -> Any:  # fmt: skip
    """The same of the rows in which a unit is observed and tipping: two rows of ``split`` for those where it fires.

    And two more for those where it does not. Returns the numbers of both.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        split, *sources = (
            matrix(builder, each) for each in arrays(context, builder, signature.args, args, (0, 2, 4, 5, 7, 9))
        )
        counts = _Counts(builder, 4)
        with steps(builder, args[11], N_WORDS) as word:
            seen, tips, fires, counted, errs = (
                load(builder, place(builder, rows, args[i], word))
                for rows, i in zip(sources, (3, 6, 6, 8, 10), strict=True)
            )
            changed = builder.and_(builder.and_(seen, tips), counted)
            firing = builder.and_(changed, fires)
            _split(builder, firing, errs, split, args[1], word, counts, 0)
            _split(builder, builder.xor(changed, firing), errs, split, args[1], word, counts, 2)
        return context.make_tuple(builder, signature.return_type, counts.totals())

    i = types.int64
    return types.UniTuple(i, 4)(split, i, observed, i, tipping, signals, i, plane_rows, i, wrong, i, i), generate


def _split(
    builder: Any, changed: Any, errs: Any, split: Any, first: Any, word: Any, counts: "_Counts", number: int
) -> None:
    """Store rows that change, and those of them that do not err; count those that err, and these."""
    righted = builder.and_(changed, errs)
    wronged = builder.xor(changed, righted)
    for i, (stored, counted) in enumerate(((changed, righted), (wronged, wronged))):
        store(builder, stored, place(builder, split, builder.add(first, whole(number + i)), word))
        counts.add(number + i, counted)


@intrinsic
def count_four(
    typing_context: Any, split: Any, first: Any, signals: Any, a: Any, b: Any, c: Any, d: Any, n_words: Any
) -> Any:
    """For each of four signals, the rows righted where it is set, and those wronged where it is not.

    Rows of ``split`` from ``first`` on are those that change, and those of them that are wronged.
    """
    i = types.int64
    return types.UniTuple(i, 4)(split, i, signals, i, i, i, i, i), _count


@intrinsic
def count_two(typing_context: Any, split: Any, first: Any, signals: Any, a: Any, b: Any, n_words: Any) -> Any:
    """The same of two signals."""
    i = types.int64
    return types.UniTuple(i, 2)(split, i, signals, i, i, i), _count


def _count(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    split, signals = (matrix(builder, each) for each in arrays(context, builder, signature.args, args, (0, 2)))
    first, sources, n_words = args[1], args[3:-1], args[-1]
    counts = _Counts(builder, len(sources))
    with steps(builder, n_words, N_WORDS) as word:
        changed, wronged = (load(builder, place(builder, split, builder.add(first, whole(i)), word)) for i in range(2))
        for number, source in enumerate(sources):
            values = load(builder, place(builder, signals, source, word))
            counts.add(number, builder.xor(builder.and_(values, changed), wronged))
    return context.make_tuple(builder, signature.return_type, counts.totals())


class _Counts:
    """Numbers that grow by the set bits of vectors."""

    def __init__(self, builder: Any, n: int) -> None:
        self.builder, self.count = builder, counter(builder)
        self.sums = [cgutils.alloca_once(builder, VECTOR) for _ in range(n)]
        for each in self.sums:
            builder.store(UNSET, each)

    def add(self, number: int, values: Any) -> None:
        known, more = self.builder.load(self.sums[number]), self.builder.call(self.count, [values])
        self.builder.store(self.builder.add(known, more), self.sums[number])

    def totals(self) -> list[Any]:
        return [reduce(self.builder, "add", self.builder.load(each)) for each in self.sums]


class Matrix(NamedTuple):
    """Where rows of numbers are, and how many numbers each has."""

    data: Any
    width: Any


def matrix(builder: Any, array: Any) -> Matrix:
    """That of an array of two dimensions."""
    return Matrix(array.data, cgutils.unpack_tuple(builder, array.shape)[1])


def arrays(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any], which: Sequence[int]) -> list[Any]:
    """Those of the arguments that are arrays."""
    return [context.make_array(kinds[i])(context, builder, values[i]) for i in which]


@contextmanager
def steps(builder: Any, stop: Any, step: int) -> Iterator[Any]:
    """A loop over 0, ``step``, 2 * ``step`` and so on below ``stop``, which is gone through once at least."""
    counter = cgutils.alloca_once(builder, INTEGER)
    builder.store(whole(0), counter)
    again, after = builder.append_basic_block("step"), builder.append_basic_block("after")
    builder.branch(again)
    builder.position_at_end(again)
    number = builder.load(counter)
    yield number
    following = builder.add(number, whole(step), flags=["nsw"])
    builder.store(following, counter)
    builder.cbranch(builder.icmp_signed("<", following, stop), again, after)
    builder.position_at_end(after)


def whole(number: int) -> Any:
    """A whole number."""
    return ir.Constant(INTEGER, number)


def place(builder: Any, rows: Matrix, row: Any, column: Any) -> Any:
    """A pointer into a matrix."""
    start = builder.mul(row, rows.width, flags=["nsw"])
    return builder.gep(rows.data, [builder.add(start, column, flags=["nsw"])], inbounds=True)


def load(builder: Any, here: Any) -> Any:
    """The vector at a place."""
    return builder.load(builder.bitcast(here, VECTOR.as_pointer()), align=8)


def store(builder: Any, values: Any, here: Any) -> None:
    """Put a vector at a place."""
    builder.store(values, builder.bitcast(here, VECTOR.as_pointer()), align=8)


def counter(builder: Any) -> Any:
    """A function that counts the set bits of every word of a vector."""
    kind = ir.FunctionType(VECTOR, [VECTOR])
    return cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{N_WORDS}i64")


def reduce(builder: Any, operation: str, values: Any) -> Any:
    """All words together."""
    name = f"llvm.vector.reduce.{operation}.v{N_WORDS}i64"
    together = cgutils.get_or_insert_function(builder.module, ir.FunctionType(INTEGER, [VECTOR]), name)
    return builder.call(together, [values])
