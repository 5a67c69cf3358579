"""Eight words at a time: the innermost loops of a walk, written for vector registers.

Signals of a walk have few words, most often fewer than a loop that the compiler makes of words would take at once; so
these loops are built from vectors. The compiler splits them where a machine has shorter registers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

N_WORDS = 8
INTEGER = ir.IntType(64)
VECTOR = ir.VectorType(INTEGER, N_WORDS)
UNSET, SET = (ir.Constant(VECTOR, [value] * N_WORDS) for value in (0, 2**64 - 1))


def new_signals(n_signals: int, n_words: int) -> NDArray[np.uint64]:
    """Zeros for ``n_words`` per signal, rounded up to whole vectors; each begins at a multiple of a vector's bytes."""
    width = -(-n_words // N_WORDS) * N_WORDS
    words = np.zeros(n_signals * width + N_WORDS, np.uint64)
    begin = -words.ctypes.data // words.itemsize % N_WORDS
    return words[begin : begin + n_signals * width].reshape(n_signals, width)


@intrinsic
def fire_unit(typing_context: Any, signals: Any, backup: Any, inputs: Any, n_inputs: Any, unit: Any) -> Any:
    """Set the signal of ``unit`` to where any of its inputs is not set, and ``backup`` to what it was.

    Returns a word with some bit set where they differ.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        signals, backup, inputs = _arrays(context, builder, signature.args[:3], args[:3])
        n_inputs, unit = args[3:]
        first, step = ir.Constant(INTEGER, 0), ir.Constant(INTEGER, N_WORDS)
        sources = _place(builder, inputs, unit, first)
        together = cgutils.alloca_once(builder, VECTOR)
        difference = cgutils.alloca_once_value(builder, UNSET)
        n_words = cgutils.unpack_tuple(builder, signals.shape)[1]
        with cgutils.for_range_slice(builder, first, n_words, step, intp=INTEGER) as (word, _):
            builder.store(SET, together)
            with cgutils.for_range(builder, n_inputs) as loop:
                source = builder.zext(builder.load(builder.gep(sources, [loop.index])), INTEGER)
                values = _load(builder, _place(builder, signals, source, word))
                builder.store(builder.and_(builder.load(together), values), together)
            fires = builder.not_(builder.load(together))
            place = _place(builder, signals, unit, word)
            before = _load(builder, place)
            _store(builder, before, _place(builder, backup, unit, word))
            _store(builder, fires, place)
            differs = builder.xor(fires, before)
            builder.store(builder.or_(builder.load(difference), differs), difference)
        return _any_bit(builder, builder.load(difference))

    return types.uint64(signals, backup, inputs, types.int64, types.int64), generate


@intrinsic
def copy_signal(typing_context: Any, target: Any, source: Any, unit: Any) -> Any:
    """Copy the signal of ``unit`` from ``source`` to ``target``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, source = _arrays(context, builder, signature.args[:2], args[:2])
        first, step = ir.Constant(INTEGER, 0), ir.Constant(INTEGER, N_WORDS)
        n_words = cgutils.unpack_tuple(builder, target.shape)[1]
        with cgutils.for_range_slice(builder, first, n_words, step, intp=INTEGER) as (word, _):
            values = _load(builder, _place(builder, source, args[2], word))
            _store(builder, values, _place(builder, target, args[2], word))
        return context.get_dummy_value()

    return types.void(target, source, types.int64), generate


def _arrays(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    return [context.make_array(kind)(context, builder, value) for kind, value in zip(kinds, values, strict=True)]


def _place(builder: Any, array: Any, row: Any, column: Any) -> Any:
    """A pointer into a matrix."""
    n_columns = cgutils.unpack_tuple(builder, array.shape)[1]
    return builder.gep(array.data, [builder.add(builder.mul(row, n_columns), column)])


def _load(builder: Any, place: Any) -> Any:
    return builder.load(builder.bitcast(place, VECTOR.as_pointer()), align=8)


def _store(builder: Any, values: Any, place: Any) -> None:
    builder.store(values, builder.bitcast(place, VECTOR.as_pointer()), align=8)


def _any_bit(builder: Any, values: Any) -> Any:
    name = f"llvm.vector.reduce.or.v{N_WORDS}i64"
    reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(INTEGER, [VECTOR]), name)
    return builder.call(reduce, [values])
