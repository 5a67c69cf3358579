"""What Ctrl-C does while a search runs: it ends with the best network so far, and nothing is left half done.

While interrupts are *heeded*, Ctrl-C raises nothing once a search has begun that looks at the flag that is set instead.
More of them within a second are the same wish. One that comes later means that nothing shall be kept: it is raised, as
it is before the search has begun.
"""

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from types import FrameType

import numpy as np

# Seconds in which several interrupts are one.
SAME_WISH = 1.0
# Seconds in which another one, maybe in the next of many fits, means that all shall end.
INSISTING = 10.0


class Interrupts:
    """Whether the search shall end: ``stop[0]``, for compiled loops to see."""

    _last = -np.inf  # when one was heeded, in any search

    def __init__(self) -> None:
        self.stop = np.zeros(1, np.bool_)
        self._searching = False

    @property
    def came(self) -> bool:
        """Whether there was one."""
        return bool(self.stop[0])

    def begin(self) -> "Interrupts":
        """Let a search that looks at ``stop`` begin: from now on there is something to keep."""
        self._searching = True
        return self

    def handle(self, number: int, frame: FrameType | None) -> None:
        """What the signal leads to."""
        since = monotonic() - Interrupts._last
        if not self._searching or (since > SAME_WISH and (self.came or since < INSISTING)):
            raise KeyboardInterrupt
        if not self.came:
            Interrupts._last = monotonic()
            self.stop[0] = True


_heeding: ContextVar[Interrupts | None] = ContextVar("interrupts", default=None)


def current() -> Interrupts:
    """The interrupts that are heeded here; some that never come if none are."""
    return _heeding.get() or Interrupts()


@contextmanager
def heeded() -> Iterator[Interrupts]:
    """Heed interrupts, where Python gives them to this thread and nobody else does; at the end, warn if one came."""
    outer = _heeding.get()
    if outer is not None:
        yield outer
        return
    mine = Interrupts()
    token, before = _heeding.set(mine), _handler()
    try:
        if before is not None:
            signal.signal(signal.SIGINT, mine.handle)
        yield mine
        if mine.came:
            warnings.warn("interrupted: this is the best network so far", RuntimeWarning, stacklevel=4)
    finally:
        _heeding.reset(token)
        if before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _handler() -> object | None:
    """Python's own handler of Ctrl-C, or one that was left here; None where it is another's, or another thread's."""
    if threading.current_thread() is not threading.main_thread():
        return None
    found = signal.getsignal(signal.SIGINT)
    own = isinstance(getattr(found, "__self__", None), Interrupts)
    return found if own or found is signal.default_int_handler else None
