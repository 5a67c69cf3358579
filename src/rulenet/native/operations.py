"""Operations on numbers, with the results that Numba gives them."""

import ast
from typing import Any

from llvmlite import ir

from rulenet.native.values import INTEGER, NATURAL, REAL, TRUTH, WORD, Scalar, UntranslatableError, convert

SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
BITWISE = {ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
EXACT = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.LShift: "shl"}


def combine(builder: Any, operator: ast.operator, left: Scalar, right: Scalar) -> Scalar:
    """``left operator right``."""
    sort = type(operator)
    if sort in BITWISE and left.kind == right.kind == TRUTH:
        return Scalar(TRUTH, getattr(builder, BITWISE[sort])(left.value, right.value))
    if sort is ast.Div or REAL in (left.kind, right.kind):
        return _combine_reals(builder, sort, convert(builder, left, REAL).value, convert(builder, right, REAL).value)
    kind = NATURAL if left.kind == right.kind == NATURAL else INTEGER
    first, second = convert(builder, left, kind).value, convert(builder, right, kind).value
    if sort in EXACT or sort in BITWISE:
        return Scalar(kind, getattr(builder, {**EXACT, **BITWISE}[sort])(first, second))
    if sort is ast.RShift:
        shift = builder.lshr if left.kind == NATURAL else builder.ashr
        return Scalar(left.kind if left.kind == NATURAL else INTEGER, shift(first, second))
    if sort in (ast.FloorDiv, ast.Mod) and kind == INTEGER:
        return Scalar(INTEGER, _divide(builder, sort, first, second))
    raise UntranslatableError(f"{sort.__name__} of {left.kind} and {right.kind}")


def _combine_reals(builder: Any, sort: type[ast.operator], left: Any, right: Any) -> Scalar:
    names = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
    if sort in names:
        return Scalar(REAL, getattr(builder, names[sort])(left, right))
    if sort is ast.Pow:
        power = builder.module.declare_intrinsic("llvm.pow", [ir.DoubleType()])
        return Scalar(REAL, builder.call(power, [left, right]))
    raise UntranslatableError(f"{sort.__name__} of real numbers")


def _divide(builder: Any, sort: type[ast.operator], left: Any, right: Any) -> Any:
    """Whole numbers divided and rounded down, or what is left then."""
    quotient, rest, zero = builder.sdiv(left, right), builder.srem(left, right), ir.Constant(WORD, 0)
    differ = builder.icmp_signed("<", builder.xor(rest, right), zero)
    off = builder.and_(builder.icmp_signed("!=", rest, zero), differ)
    if sort is ast.Mod:
        return builder.select(off, builder.add(rest, right), rest)
    return builder.select(off, builder.sub(quotient, ir.Constant(WORD, 1)), quotient)


def compare(builder: Any, operator: ast.cmpop, left: Scalar, right: Scalar) -> Scalar:
    """``left operator right``, for numbers of one sign."""
    if type(operator) not in SIGNS:
        raise UntranslatableError(f"{type(operator).__name__} between numbers")
    sign = SIGNS[type(operator)]
    if REAL in (left.kind, right.kind):
        first, second = convert(builder, left, REAL).value, convert(builder, right, REAL).value
        ordered = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return Scalar(TRUTH, ordered(sign, first, second))
    if left.kind == right.kind == TRUTH:
        return Scalar(TRUTH, builder.icmp_unsigned(sign, left.value, right.value))
    kinds = {left.kind, right.kind} - {TRUTH}
    if len(kinds) > 1 and not any(_is_small(number) for number in (left, right)):
        raise UntranslatableError("a comparison of numbers with and without a sign; make them one kind")
    kind = INTEGER if kinds == {INTEGER} else NATURAL
    first, second = convert(builder, left, kind).value, convert(builder, right, kind).value
    ordered = builder.icmp_signed if kind == INTEGER else builder.icmp_unsigned
    return Scalar(TRUTH, ordered(sign, first, second))


def _is_small(number: Scalar) -> bool:
    """Whether a number is a constant that is not negative."""
    return number.kind == INTEGER and isinstance(number.value, ir.Constant) and int(number.value.constant) >= 0


def negate(builder: Any, operator: ast.unaryop, value: Scalar) -> Scalar:
    """``-value`` or ``~value``."""
    if isinstance(operator, ast.USub) and value.kind == REAL:
        return Scalar(REAL, builder.fneg(value.value))
    if value.kind in (INTEGER, NATURAL):
        if isinstance(operator, ast.USub) and isinstance(value.value, ir.Constant):
            return Scalar(INTEGER, ir.Constant(WORD, -int(value.value.constant)))
        change = builder.neg if isinstance(operator, ast.USub) else builder.not_
        return Scalar(INTEGER if isinstance(operator, ast.USub) else value.kind, change(value.value))
    raise UntranslatableError(f"{type(operator).__name__} of {value.kind}")


def choose_extreme(builder: Any, operator: ast.cmpop, first: Scalar, second: Scalar) -> Scalar:
    """The smaller or the larger of two numbers of one kind."""
    if first.kind != second.kind:
        raise UntranslatableError("the extreme of numbers of different kinds")
    found = compare(builder, operator, second, first)
    return Scalar(first.kind, builder.select(found.value, second.value, first.value))


def absolute(builder: Any, value: Scalar) -> Scalar:
    """The number without its sign."""
    if value.kind == REAL:
        size = builder.module.declare_intrinsic("llvm.fabs", [ir.DoubleType()])
        return Scalar(REAL, builder.call(size, [value.value]))
    negative = builder.icmp_signed("<", value.value, ir.Constant(WORD, 0))
    return Scalar(value.kind, builder.select(negative, builder.neg(value.value), value.value))


def logarithm(builder: Any, value: Scalar) -> Scalar:
    """The natural logarithm."""
    log = builder.module.declare_intrinsic("llvm.log", [ir.DoubleType()])
    return Scalar(REAL, builder.call(log, [convert(builder, value, REAL).value]))


def floor(builder: Any, value: Scalar) -> Scalar:
    """The largest whole number, as a real one, that is not above a number."""
    down = builder.module.declare_intrinsic("llvm.floor", [ir.DoubleType()])
    return Scalar(REAL, builder.call(down, [convert(builder, value, REAL).value]))


def cast(builder: Any, value: Scalar, kind: Any, bits: int = 64) -> Scalar:
    """A number as one of ``bits`` bits, widened again."""
    whole = convert(builder, value, kind)
    if bits < WORD.width:
        return Scalar(kind, builder.sext(builder.trunc(whole.value, ir.IntType(bits)), WORD))
    return whole
