"""A small compiler of kernels: what loops over arrays need of Python, written straight down as LLVM's instructions.

Numba finds out types by trying, and writes down a hundred instructions where a number is read from an array. That took
nine tenths of the time of compiling a walk. Here the types of all arguments are known, calls are written out where they
stand, and what is not needed by kernels does not exist. The same functions can be compiled by Numba, which checks
bounds when it is asked to; results are the same to the bit.
"""

from rulenet.native.bodies import body_of

__all__ = ["body_of"]
