"""Tuples of arrays that kernels pass on by their address.

Numba passes a named tuple as all numbers of all its arrays, over a hundred of them for a walk, at every call; writing
that down for the compiler took most of the time of compiling. A kernel that calls `hold` copies the tuple to its own
frame once and passes on where that is. Once all parts are inlined the optimiser sees through the copy.
"""

import functools
import hashlib
import itertools
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

BYTE, WORD = ir.IntType(8), ir.IntType(64)
WORD_BYTES = 8


class Held(types.Type):  # type: ignore[misc]
    """The type of a named tuple that is held."""

    def __init__(self, source: Any) -> None:
        self.members = dict(zip(source.fields, source.types, strict=True))
        digest = hashlib.sha256(str(source).encode()).hexdigest()[:16]
        super().__init__(f"Held{source.instance_class.__name__}{digest}")


@register_model(Held)
class HeldModel(models.PrimitiveModel):  # type: ignore[misc]
    """An address."""

    def __init__(self, manager: Any, kind: Held) -> None:
        super().__init__(manager, kind, BYTE.as_pointer())


@infer_getattr
class HeldAttributes(AttributeTemplate):  # type: ignore[misc]
    """The members have the types that they had."""

    key = Held

    def generic_resolve(self, kind: Held, name: str) -> types.Type | None:
        """The type of a member."""
        return kind.members.get(name)


@lower_getattr_generic(Held)
def read_member(context: Any, builder: Any, kind: Held, held: Any, name: str) -> Any:
    """Read a member."""
    member = kind.members[name]
    value = builder.load(_place(context, builder, kind, held, name))
    return impl_ret_borrowed(context, builder, member, value)


@intrinsic
def hold(typing_context: Any, bundle: Any) -> Any:
    """A named tuple as something with the same members that is passed on by its address; it ends with the kernel."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = signature.return_type
        n_words = sum(_words(context, member) for member in held.members.values())
        room = cgutils.alloca_once(builder, ir.ArrayType(WORD, n_words))
        address = builder.bitcast(room, BYTE.as_pointer())
        for i, name in enumerate(held.members):
            builder.store(builder.extract_value(args[0], i), _place(context, builder, held, address, name))
        return address

    return Held(bundle)(bundle), generate


def _place(context: Any, builder: Any, kind: Held, held: Any, name: str) -> Any:
    """A pointer to a member."""
    before = itertools.takewhile(lambda other: other != name, kind.members)
    offset = WORD_BYTES * sum(_words(context, kind.members[other]) for other in before)
    place = builder.gep(held, [ir.Constant(WORD, offset)])
    return builder.bitcast(place, context.get_value_type(kind.members[name]).as_pointer())


@functools.cache
def _words(context: Any, kind: types.Type) -> int:
    """How many words a value takes; to find that out takes a while."""
    return -(-int(context.get_abi_sizeof(context.get_value_type(kind))) // WORD_BYTES)
