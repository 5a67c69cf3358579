"""Threads that work on tasks, can be stopped, and know how much time is left."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

from rulenet.search import interrupts

Result = TypeVar("Result")


class Threads:
    """So many threads, until a ``deadline`` if there is one; compiled loops end where ``stop[0]`` is set."""

    def __init__(self, n_jobs: int | None, deadline: float | None = None) -> None:
        self.n_threads = count_threads(n_jobs)
        self.deadline = deadline
        self.stop = interrupts.current().begin().stop

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the time is over, None if it is not limited."""
        return None if self.deadline is None else self.deadline - perf_counter()

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.seconds_left is not None and self.seconds_left < 0

    def run(self, tasks: Sequence[Callable[[], Result]], note: Callable[[int, Result], None]) -> list[Result | None]:
        """What each task gave, None for those that an interrupt kept from starting; each is noted, in their order."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            futures: list[Future[Result | None]] = [pool.submit(self._unless_stopped, task) for task in tasks]
            try:
                for i, future in enumerate(futures):
                    if (result := future.result()) is not None:
                        note(i, result)
            except KeyboardInterrupt:
                self.halt()
                for future in futures:
                    future.cancel()
            return [None if future.cancelled() else future.result() for future in futures]

    def _unless_stopped(self, task: Callable[[], Result]) -> Result | None:
        return None if self.stop[0] else task()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Work that an interrupt ends without an error; what was found before stands."""
        try:
            yield
        except KeyboardInterrupt:
            self.halt()

    def halt(self) -> None:
        """Let all walks end where they are; a second time is an interrupt of what was to be kept."""
        if self.stop[0]:
            raise KeyboardInterrupt
        self.stop[0] = True
        warnings.warn("interrupted: this is the best network so far", RuntimeWarning, stacklevel=4)


def count_threads(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` stands for: None means one, -1 one for every core, -2 one less.

    >>> count_threads(None), count_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
