"""A progress bar for searches, and a word about compiling, on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from numba.core import event

from rulenet.search import protocol

COMPILING = "compiling, once after installing"


@contextmanager
def shown(verbose: int, label: str) -> Iterator[protocol.Report]:
    """A report function that draws a bar while the block runs; silent where ``verbose`` is 0.

    From ``verbose=2`` on, every new stage stays on the screen as a line of its own. That kernels are compiled, which
    takes some seconds but once, is also said with ``verbose=0`` to a person at a terminal or a notebook.
    """
    if not verbose:
        with told_of_compiling(_write_over) if _is_watched() else nullcontext():
            yield protocol.be_silent
        return
    from rich.console import Console  # takes its time to load
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("accuracy {task.fields[accuracy]:.4f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=1.0, accuracy=0.0)
        stages: list[str] = []

        def report(progress: protocol.Progress) -> None:
            bar.update(
                task, description=f"{label}: {progress.stage}", completed=progress.done, accuracy=progress.accuracy
            )
            if verbose > 1 and progress.stage not in stages[-1:]:
                bar.console.print(f"{label}: {progress.stage}, accuracy {progress.accuracy:.4f}")
                stages.append(progress.stage)

        def tell(n_compiled: int) -> None:
            what = f"{COMPILING} ({n_compiled} parts so far)" if n_compiled else "done"
            bar.update(task, description=f"{label}: {what}")

        with told_of_compiling(tell):
            yield report


@contextmanager
def told_of_compiling(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with 1, 2, ... whenever one more function is compiled while the block runs, and 0 at the end.

    What is loaded from the cache is not compiled.
    """
    listener = _Counter(tell)
    with event.install_listener("numba:compile", listener):
        yield
    if listener.n_compiled:
        tell(0)


class _Counter(event.Listener):  # type: ignore[misc]
    def __init__(self, tell: Callable[[int], None]) -> None:
        self.tell = tell
        self.n_compiled = 0

    def on_start(self, event: Any) -> None:
        """Count one more."""
        self.n_compiled += 1
        self.tell(self.n_compiled)

    def on_end(self, event: Any) -> None:
        """Nothing: what matters was said at the start."""


def _is_watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def _write_over(n_compiled: int) -> None:
    """One line that writes over itself; it is wiped in the end."""
    line = f"rulenet: {COMPILING} ({n_compiled} parts so far)" if n_compiled else ""
    sys.stderr.write(f"\r{line:<79}\r" if not line else f"\r{line:<79}")
    sys.stderr.flush()
