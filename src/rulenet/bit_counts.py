"""Where the first bits of a word are, in one instruction."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

WORD, FLAG = ir.IntType(64), ir.IntType(1)


def _count(name: str) -> Any:
    """A compiled function from a word to a number of bits."""

    @intrinsic  # type: ignore[untyped-decorator]
    def count(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.FunctionType(WORD, [WORD, FLAG])
            function = builder.module.declare_intrinsic(f"llvm.{name}", [WORD], kind)
            return builder.call(function, [args[0], ir.Constant(FLAG, 0)])

        return types.int64(types.uint64), generate

    return count


#: The zeros below the lowest set bit, and above the highest one; 64 for a word without any.
count_trailing_zeros = _count("cttz")
count_leading_zeros = _count("ctlz")
