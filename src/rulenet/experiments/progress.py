"""A bar with the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def show_progress(title: str, done: int, total: int) -> Iterator[Callable[[dict[str, object]], None]]:
    """A bar from ``done`` to ``total`` on standard error; call what it yields with every finished row.

    Nothing is drawn but on a terminal and in a notebook.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not (console.is_terminal or console.is_jupyter)) as progress:
        task = progress.add_task(title, total=total, completed=done, last="")
        yield lambda row: progress.update(task, advance=1, last=f"{row['learner']} on {row['dataset']}")
