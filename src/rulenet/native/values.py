"""What kernels compute with: numbers of four kinds, arrays, named tuples of these."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

INTEGER, NATURAL, REAL, TRUTH = types.int64, types.uint64, types.float64, types.boolean
WORD, BYTE = ir.IntType(64), ir.IntType(8)
LLVM_TYPES = {INTEGER: WORD, NATURAL: WORD, REAL: ir.DoubleType(), TRUTH: ir.IntType(1)}


class UntranslatableError(Exception):
    """A kernel has what this compiler does not know."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or a truth value. Shorter numbers, as arrays hold them, are widened when they are read."""

    kind: Any
    value: Any


@dataclass(frozen=True, slots=True)
class Array:
    """A place in memory with numbers of type ``dtype``; ``source`` is its type and value for Numba.

    Its rows follow each other without gaps, unless ``strides`` says how many bytes are between neighbours on each axis.
    """

    dtype: Any
    data: Any
    shape: tuple[Any, ...]
    strides: tuple[Any, ...] | None = None
    source: tuple[Any, Any] | None = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """A named tuple."""

    members: dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Known:
    """An object of Python that is known when a kernel is compiled: a function, a module."""

    thing: Any


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a number that changes is kept."""

    kind: Any
    address: Any


Value = Scalar | Array | Bundle | Known | tuple[Any, ...] | None


def constant(number: Any) -> Value:
    """A number of Python or NumPy, or another object as it is."""
    if isinstance(number, bool | np.bool_):
        return Scalar(TRUTH, ir.Constant(ir.IntType(1), int(number)))
    if isinstance(number, np.unsignedinteger):
        return Scalar(NATURAL, ir.Constant(WORD, int(number)))
    if isinstance(number, int | np.integer):
        return Scalar(INTEGER, ir.Constant(WORD, int(number)))
    if isinstance(number, float):
        return Scalar(REAL, ir.Constant(ir.DoubleType(), float(number)))
    return Known(number)


def widen(builder: Any, kind: Any, value: Any) -> Scalar:
    """A number of any type that arrays and arguments have, as one of the four kinds."""
    if isinstance(kind, types.Boolean):
        flag = value if value.type == ir.IntType(1) else builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))
        return Scalar(TRUTH, flag)
    if isinstance(value.type, ir.IntType):
        signed = kind in types.signed_domain
        if value.type.width < WORD.width:
            value = builder.sext(value, WORD) if signed else builder.zext(value, WORD)
        return Scalar(INTEGER if signed else NATURAL, value)
    if kind == REAL:
        return Scalar(REAL, value)
    raise UntranslatableError(f"a number of type {kind}")


def from_numba(context: Any, builder: Any, kind: Any, value: Any) -> Value:
    """An argument as Numba passes it."""
    if hasattr(kind, "fields"):
        members = {}
        for i, (name, member) in enumerate(zip(kind.fields, kind.types, strict=True)):
            members[name] = from_numba(context, builder, member, builder.extract_value(value, i))
        return Bundle(members)
    if isinstance(kind, types.Array):
        model = context.data_model_manager[kind]
        data, *pairs = (
            builder.extract_value(value, model.get_field_position(name)) for name in ("data", "shape", "strides")
        )
        shape, strides = (tuple(cgutils.unpack_tuple(builder, pair)) for pair in pairs)
        return Array(kind.dtype, data, shape, None if kind.layout == "C" else strides, (kind, value))
    return widen(builder, kind, value)


def convert(builder: Any, scalar: Scalar, kind: Any) -> Scalar:
    """The same number as another kind."""
    if scalar.kind == kind:
        return scalar
    value = scalar.value
    if kind == TRUTH:
        return as_truth(builder, scalar)
    if kind == REAL:
        change = builder.sitofp if scalar.kind == INTEGER else builder.uitofp
        return Scalar(REAL, change(value, ir.DoubleType()))
    if scalar.kind == REAL:
        return Scalar(kind, builder.fptosi(value, WORD))
    return Scalar(kind, builder.zext(value, WORD) if scalar.kind == TRUTH else value)


def as_truth(builder: Any, value: Value) -> Scalar:
    """Whether a number is not zero."""
    if not isinstance(value, Scalar):
        raise UntranslatableError("a condition that is no number")
    if value.kind == TRUTH:
        return value
    zero = ir.Constant(value.value.type, 0)
    if value.kind == REAL:
        return Scalar(TRUTH, builder.fcmp_unordered("!=", value.value, zero))
    return Scalar(TRUTH, builder.icmp_unsigned("!=", value.value, zero))


def place_of(builder: Any, array: Array, indices: list[Any]) -> Any:
    """Where in memory some leading indices lead; a constant that is negative counts from the end."""
    zero = ir.Constant(WORD, 0)
    whole = [_from_end(builder, *pair) for pair in zip(indices, array.shape, strict=False)]
    whole += [zero] * (len(array.shape) - len(indices))
    if array.strides is not None:
        bytes_on = [builder.mul(*pair, flags=["nsw"]) for pair in zip(whole, array.strides, strict=True)]
        start = builder.bitcast(array.data, BYTE.as_pointer())
        for offset in bytes_on:
            start = builder.gep(start, [offset], inbounds=True)
        return builder.bitcast(start, array.data.type)
    place = whole[0]
    for index, extent in zip(whole[1:], array.shape[1:], strict=True):
        place = builder.add(builder.mul(place, extent, flags=["nsw"]), index, flags=["nsw"])
    return builder.gep(array.data, [place], inbounds=True)


def _from_end(builder: Any, index: Any, extent: Any) -> Any:
    negative = isinstance(index, ir.Constant) and int(index.constant) < 0
    return builder.add(extent, index) if negative else index


def rest_of(array: Array, place: Any, n_indices: int) -> Array:
    """What is at a place that so many indices led to."""
    strides = None if array.strides is None else array.strides[n_indices:]
    return Array(array.dtype, place, array.shape[n_indices:], strides)


def read_element(builder: Any, array: Array, indices: list[Any]) -> Value:
    """A number of an array, or a row of it."""
    place = place_of(builder, array, indices)
    if len(indices) < len(array.shape):
        return rest_of(array, place, len(indices))
    return widen(builder, array.dtype, builder.load(place))


def write_element(builder: Any, array: Array, indices: list[Any], value: Scalar) -> None:
    """Set a number of an array; where that has fewer bits the lowest are kept."""
    if len(indices) < len(array.shape):
        raise UntranslatableError("a whole row that is set at once")
    place = place_of(builder, array, indices)
    wanted = place.type.pointee
    if isinstance(wanted, ir.DoubleType):
        builder.store(convert(builder, value, REAL).value, place)
        return
    if value.kind == REAL:
        raise UntranslatableError("a real number that is put into an array of whole ones")
    number = (as_truth(builder, value) if isinstance(array.dtype, types.Boolean) else value).value
    if number.type.width < wanted.width:
        number = builder.zext(number, wanted)
    elif number.type.width > wanted.width:
        number = builder.trunc(number, wanted)
    builder.store(number, place)
