"""Memory that is no longer used goes back to the system.

The allocator of the C library keeps what was freed between blocks that live on. Reading a table in batches leaves tens
of megabytes of it, which then come on top of all that follows.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any


def give_back() -> None:
    """Give back what Arrow and the C library hold and nobody uses, where they can."""
    if (arrow := sys.modules.get("pyarrow")) is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], Any] | None:
    try:
        found: Callable[[int], Any] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library than GNU's
        return None
    return found
