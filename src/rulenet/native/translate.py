"""Functions of Python written down as LLVM's instructions, call by call in the place of the call."""

import ast
import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from rulenet.holding import hold
from rulenet.native import operations
from rulenet.native.values import (
    INTEGER,
    LLVM_TYPES,
    NATURAL,
    REAL,
    TRUTH,
    WORD,
    Array,
    Bundle,
    Known,
    Scalar,
    Slot,
    UntranslatableError,
    Value,
    as_truth,
    constant,
    convert,
    place_of,
    read_element,
    rest_of,
    widen,
    write_element,
)

BUILT_IN: dict[Any, Callable[..., Scalar]] = {
    np.int64: lambda builder, x: operations.cast(builder, x, INTEGER),
    np.uint64: lambda builder, x: operations.cast(builder, x, NATURAL),
    np.int32: lambda builder, x: operations.cast(builder, x, INTEGER, 32),
    np.float64: lambda builder, x: convert(builder, x, REAL),
    np.log: operations.logarithm,
    np.floor: operations.floor,
    abs: operations.absolute,
    min: lambda builder, x, y: operations.choose_extreme(builder, ast.Lt(), x, y),
    max: lambda builder, x, y: operations.choose_extreme(builder, ast.Gt(), x, y),
}


@functools.cache
def definition_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """The source of a function."""
    code = function.__code__
    found = _definitions(code.co_filename).get((function.__name__, code.co_firstlineno))
    if found is None:
        raise UntranslatableError(f"{function.__name__} is not found in {code.co_filename}")
    return found


@functools.lru_cache(maxsize=8)
def _definitions(path: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """All functions of a file, by their name and by the line where they, or their decorators, begin."""
    nodes = [node for node in ast.walk(ast.parse(Path(path).read_bytes())) if isinstance(node, ast.FunctionDef)]
    return {
        (node.name, line): node for node in nodes for line in (node.lineno, *(d.lineno for d in node.decorator_list))
    }


@functools.cache
def names_changed(function: Callable[..., Any]) -> frozenset[str]:
    """The names that a function assigns to."""
    nodes = ast.walk(definition_of(function))
    return frozenset(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


@functools.cache
def returns_of(function: Callable[..., Any]) -> tuple[ast.Return, ...]:
    """All places where a function returns."""
    return tuple(node for node in ast.walk(definition_of(function)) if isinstance(node, ast.Return))


class Translation:
    """The body of one function, where it is called."""

    def __init__(self, context: Any, builder: Any, function: Callable[..., Any]) -> None:
        self.context, self.builder, self.function = context, builder, function
        self.scope: dict[str, Value | Slot] = {}
        self.loops: list[tuple[Any, Any]] = []  # where to go on, and where to leave
        self.exit: Any = None
        self.result: Any = None

    def run(self, arguments: Sequence[Value]) -> Value:
        """Write it down; what it returns."""
        definition = definition_of(self.function)
        changed = names_changed(self.function)
        for parameter, value in zip(definition.args.args, arguments, strict=True):
            if parameter.arg in changed and isinstance(value, Scalar):
                self._assign_name(parameter.arg, value)
            else:
                self.scope[parameter.arg] = value
        *body, last = definition.body
        returns = returns_of(self.function)
        if len(returns) == 1 and returns[0] is last:
            self._write_all(body)
            return None if returns[0].value is None else self._value(returns[0].value)
        self.exit = self.builder.append_basic_block("exit")
        self._write_all(definition.body)
        if not self.builder.block.is_terminated:
            self.builder.branch(self.exit)
        self.builder.position_at_end(self.exit)
        return _read_slots(self.builder, self.result)

    # Statements

    def _write_all(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.builder.block.is_terminated:
                return
            try:
                self._write(statement)
            except UntranslatableError as error:
                if not getattr(error, "__notes__", []):  # the innermost statement says where
                    error.add_note(f"{self.function.__code__.co_filename}:{statement.lineno}: {ast.unparse(statement)}")
                raise

    def _write(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self._value(value)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._value(value))
            case ast.AugAssign(target=target, op=operator, value=value):
                read = ast.copy_location(_as_read(target), target)
                self._assign(target, self._combined(operator, self._scalar(read), self._scalar(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self._branch(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._repeat(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args), body=body):
                self._count(name, [self._scalar(arg).value for arg in args], body)
            case ast.Return(value=value):
                self._leave(None if value is None else self._value(value))
            case ast.Continue():
                self.builder.branch(self.loops[-1][0])
            case ast.Break():
                self.builder.branch(self.loops[-1][1])
            case _:
                raise UntranslatableError(f"a statement of type {type(statement).__name__}")

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self._assign_name(name, value)
            case ast.Tuple(elts=targets) if isinstance(value, tuple) and len(targets) == len(value):
                for single, part in zip(targets, value, strict=True):
                    self._assign(single, part)
            case ast.Subscript(value=base, slice=index) if isinstance(value, Scalar):
                write_element(self.builder, self._array(base), self._indices(index), value)
            case _:
                raise UntranslatableError(f"to assign to {ast.unparse(target)}")

    def _assign_name(self, name: str, value: Value) -> None:
        known = self.scope.get(name)
        if not isinstance(value, Scalar):
            if known is not None and known is not value:
                raise UntranslatableError(f"{name!r} is not a number and is assigned twice")
            self.scope[name] = value
            return
        if known is None:
            known = self.scope[name] = _new_slot(self.builder, value.kind)
        if not isinstance(known, Slot):
            raise UntranslatableError(f"{name!r} was not a number and becomes one")
        _store(self.builder, known, value)

    def _branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, after = self.builder.append_basic_block("then"), self.builder.append_basic_block("after")
        other = self.builder.append_basic_block("else") if orelse else after
        self.builder.cbranch(self._truth(test), then, other)
        for block, statements in ((then, body), (other, orelse)):
            if statements:
                self.builder.position_at_end(block)
                self._write_all(statements)
                if not self.builder.block.is_terminated:
                    self.builder.branch(after)
        self.builder.position_at_end(after)

    def _repeat(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, after = (self.builder.append_basic_block(name) for name in ("while", "body", "after"))
        self.builder.branch(again)
        self.builder.position_at_end(again)
        self.builder.cbranch(self._truth(test), inside, after)
        self._write_loop(inside, again, after, body)

    def _count(self, name: str, bounds: list[Any], body: list[ast.stmt]) -> None:
        """A loop over a range; a step that is no constant is taken to be positive."""
        start = bounds[0] if len(bounds) > 1 else ir.Constant(WORD, 0)
        stop, step = bounds[min(1, len(bounds) - 1)], bounds[2] if len(bounds) > 2 else ir.Constant(WORD, 1)
        downwards = isinstance(step, ir.Constant) and int(step.constant) < 0
        counter = _new_slot(self.builder, INTEGER)
        self.builder.store(start, counter.address)
        again, inside, go_on, after = (self.builder.append_basic_block(n) for n in ("for", "body", "next", "after"))
        self.builder.branch(again)
        self.builder.position_at_end(go_on)
        self.builder.store(self.builder.add(self.builder.load(counter.address), step, flags=["nsw"]), counter.address)
        self.builder.branch(again)
        self.builder.position_at_end(again)
        number = self.builder.load(counter.address)
        self.builder.cbranch(self.builder.icmp_signed(">" if downwards else "<", number, stop), inside, after)
        self.builder.position_at_end(inside)
        self._assign_name(name, Scalar(INTEGER, number))
        self._write_loop(inside, go_on, after, body)

    def _write_loop(self, inside: Any, go_on: Any, after: Any, body: list[ast.stmt]) -> None:
        self.builder.position_at_end(inside)
        self.loops.append((go_on, after))
        self._write_all(body)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(go_on)
        self.builder.position_at_end(after)

    def _leave(self, value: Value) -> None:
        if value is not None:
            self.result = _write_slots(self.builder, self.result, value)
        self.builder.branch(self.exit)

    # Expressions

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=number):
                return constant(number)
            case ast.Name(id=name):
                return self._read(name)
            case ast.Attribute(value=base, attr=name):
                return self._member(self._value(base), name)
            case ast.Subscript(value=base, slice=index):
                return self._element(self._value(base), index)
            case ast.Tuple(elts=parts):
                return tuple(self._value(part) for part in parts)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._combined(operator, self._scalar(left), self._scalar(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Scalar(TRUTH, self.builder.not_(self._truth(operand)))
            case ast.UnaryOp(op=sign, operand=operand):
                return operations.negate(self.builder, sign, self._scalar(operand))
            case ast.Compare(left=left, ops=signs, comparators=others):
                return self._compared(left, signs, others)
            case ast.BoolOp(op=operator, values=parts):
                return self._both(isinstance(operator, ast.And), parts)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._either(test, body, orelse)
            case ast.Call(func=called, args=args, keywords=[]):
                return self._call(self._value(called), [self._value(arg) for arg in args])
        raise UntranslatableError(f"an expression of type {type(node).__name__}")

    def _read(self, name: str) -> Value:
        if name not in self.scope:
            found = self.function.__globals__.get(name, Ellipsis)
            if found is Ellipsis:
                built_ins = self.function.__globals__["__builtins__"]
                found = built_ins[name] if isinstance(built_ins, dict) else getattr(built_ins, name)
            return constant(found)
        known = self.scope[name]
        return Scalar(known.kind, self.builder.load(known.address)) if isinstance(known, Slot) else known

    def _member(self, base: Value, name: str) -> Value:
        match base:
            case Bundle(members=members):
                return members[name]
            case Known(thing=thing):
                return constant(getattr(thing, name))
            case Array(shape=shape) if name == "shape":
                return tuple(Scalar(INTEGER, extent) for extent in shape)
            case Array(shape=shape) if name == "size":
                return Scalar(INTEGER, functools.reduce(self.builder.mul, shape))
        raise UntranslatableError(f"the member {name!r}")

    def _element(self, base: Value, index: ast.expr) -> Value:
        if isinstance(base, tuple):
            chosen: Value = base[ast.literal_eval(index)]
            return chosen
        if not isinstance(base, Array):
            raise UntranslatableError(f"an element of {type(base).__name__}")
        if isinstance(index, ast.Slice):
            return self._cut(base, [], index)
        if isinstance(index, ast.Tuple) and isinstance(index.elts[-1], ast.Slice):
            return self._cut(base, [self._scalar(i).value for i in index.elts[:-1]], index.elts[-1])
        return read_element(self.builder, base, self._indices(index))

    def _cut(self, base: Array, before: list[Any], given: ast.Slice) -> Array:
        """Some of the numbers of a row; they must be there."""
        if given.step is not None or len(before) != len(base.shape) - 1:
            raise UntranslatableError("a slice that is not of neighbours in a row")
        first = self._scalar(given.lower).value if given.lower else ir.Constant(WORD, 0)
        after = self._scalar(given.upper).value if given.upper else base.shape[-1]
        row = rest_of(base, place_of(self.builder, base, [*before, first]), len(before))
        return replace(row, shape=(self.builder.sub(after, first, flags=["nsw"]),))

    def _indices(self, index: ast.expr) -> list[Any]:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return [self._scalar(part).value for part in parts]

    def _scalar(self, node: ast.expr) -> Scalar:
        found = self._value(node)
        if not isinstance(found, Scalar):
            raise UntranslatableError(f"{ast.unparse(node)} is no number")
        return found

    def _array(self, node: ast.expr) -> Array:
        found = self._value(node)
        if not isinstance(found, Array):
            raise UntranslatableError(f"{ast.unparse(node)} is no array")
        return found

    def _truth(self, node: ast.expr) -> Any:
        return as_truth(self.builder, self._value(node)).value

    def _combined(self, operator: ast.operator, left: Scalar, right: Scalar) -> Scalar:
        return operations.combine(self.builder, operator, left, right)

    def _compared(self, left: ast.expr, signs: list[ast.cmpop], others: list[ast.expr]) -> Scalar:
        values = [self._scalar(node) for node in (left, *others)]
        found = [
            operations.compare(self.builder, sign, *pair)
            for sign, pair in zip(signs, itertools.pairwise(values), strict=True)
        ]
        return functools.reduce(lambda a, b: Scalar(TRUTH, self.builder.and_(a.value, b.value)), found)

    def _both(self, all_of: bool, parts: list[ast.expr]) -> Scalar:
        """``and`` and ``or``: what decides nothing any more is not computed."""
        slot, after = _new_slot(self.builder, TRUTH), self.builder.append_basic_block("decided")
        for part in parts:
            flag = self._truth(part)
            self.builder.store(flag, slot.address)
            if part is parts[-1]:
                self.builder.branch(after)
            else:
                go_on = self.builder.append_basic_block("undecided")
                self.builder.cbranch(flag, *((go_on, after) if all_of else (after, go_on)))
                self.builder.position_at_end(go_on)
        self.builder.position_at_end(after)
        return Scalar(TRUTH, self.builder.load(slot.address))

    def _either(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
        then, other, after = (self.builder.append_basic_block(name) for name in ("then", "else", "after"))
        self.builder.cbranch(self._truth(test), then, other)
        slot: Any = None
        for block, node in ((then, body), (other, orelse)):
            self.builder.position_at_end(block)
            slot = _write_slots(self.builder, slot, self._value(node))
            self.builder.branch(after)
        self.builder.position_at_end(after)
        return _read_slots(self.builder, slot)

    def _call(self, called: Value, arguments: list[Value]) -> Value:
        if not isinstance(called, Known):
            raise UntranslatableError("a call of something that is not known")
        function = called.thing
        if function is hold:
            return arguments[0]
        if function in BUILT_IN:
            return BUILT_IN[function](self.builder, *arguments)
        if hasattr(function, "_defn"):
            return self._call_intrinsic(function._defn, arguments)
        return Translation(self.context, self.builder, getattr(function, "py_func", function)).run(arguments)

    def _call_intrinsic(self, definition: Callable[..., Any], arguments: list[Value]) -> Value:
        """A function that writes down its instructions itself."""
        signature, generate = definition(None, *(_numba_kind(argument) for argument in arguments))
        values = [
            convert(self.builder, argument, kind).value if isinstance(argument, Scalar) else argument.source[1]  # type: ignore[union-attr,index]
            for argument, kind in zip(arguments, signature.args, strict=True)
        ]
        made = generate(self.context, self.builder, signature, values)
        kind = signature.return_type
        return widen(self.builder, kind, made) if kind in LLVM_TYPES else None


def _numba_kind(argument: Value) -> Any:
    if isinstance(argument, Scalar):
        return argument.kind
    if isinstance(argument, Array) and argument.source is not None:
        return argument.source[0]
    raise UntranslatableError("an intrinsic function of something that is neither a number nor a whole array")


def _as_read(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Subscript(value=base, slice=index):
            return ast.Subscript(base, index, ast.Load())
    raise UntranslatableError(f"to change {ast.unparse(target)}")


def _new_slot(builder: Any, kind: Any) -> Slot:
    return Slot(kind, cgutils.alloca_once(builder, LLVM_TYPES[kind]))


def _store(builder: Any, slot: Slot, value: Scalar) -> None:
    mixed = {slot.kind, value.kind}
    if len(mixed) > 1 and mixed != {INTEGER, TRUTH} and not (slot.kind == REAL and value.kind == INTEGER):
        raise UntranslatableError(f"a variable of type {slot.kind} becomes one of type {value.kind}")
    builder.store(convert(builder, value, slot.kind).value, slot.address)


def _write_slots(builder: Any, slots: Any, value: Value) -> Any:
    """Keep a number, or several, in slots, which are made where there are none."""
    if isinstance(value, tuple):
        return tuple(_write_slots(builder, None if slots is None else slots[i], part) for i, part in enumerate(value))
    if not isinstance(value, Scalar):
        raise UntranslatableError("only numbers can come from several places")
    slot = _new_slot(builder, value.kind) if slots is None else slots
    _store(builder, slot, value)
    return slot


def _read_slots(builder: Any, slots: Any) -> Value:
    if slots is None:
        return None
    if isinstance(slots, tuple):
        return tuple(_read_slots(builder, slot) for slot in slots)
    return Scalar(slots.kind, builder.load(slots.address))
