"""What Numba compiles in place of a kernel: a function that only calls the kernel's translation."""

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import intrinsic

from rulenet.native.translate import Translation, returns_of
from rulenet.native.values import INTEGER, Scalar, UntranslatableError, convert, from_numba


def body_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the arguments of a kernel for Numba, which gets the translation of the kernel to compile.

    A kernel returns nothing or a whole number.
    """
    code = function.__code__
    names = ", ".join(code.co_varnames[: code.co_argcount])
    # The shell stands where the kernel stands: Numba reads its lines, and from others Python 3.13 reads none.
    source = "\n" * (code.co_firstlineno - 2) + (
        f"def declare(typing_context, {names}): return of(({names},))\n"
        f"def {function.__name__}({names}): return body({names})"
    )
    made: dict[str, Any] = {"of": lambda kinds: _declare(function, kinds)}
    exec(compile(source, code.co_filename, "exec"), made)
    made["body"] = intrinsic(made["declare"])
    shell: Callable[..., Any] = made[function.__name__]
    shell.__module__, shell.__qualname__, shell.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return shell


def _declare(function: Callable[..., Any], kinds: tuple[Any, ...]) -> Any:
    """The types of a kernel, and what writes it down."""
    kind = INTEGER if any(node.value is not None for node in returns_of(function)) else types.void

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [from_numba(context, builder, *pair) for pair in zip(signature.args, args, strict=True)]
        found = Translation(context, builder, function).run(values)
        if kind is not INTEGER:
            return context.get_dummy_value()
        if not isinstance(found, Scalar):
            raise UntranslatableError(f"{function.__name__} returns something that is no number")
        return convert(builder, found, INTEGER).value

    return kind(*kinds), generate
