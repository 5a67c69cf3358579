"""A bar with the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def show_progress(title: str, done: int, total: int) -> Iterator[Callable[[dict[str, object]], None]]:
    """A bar from ``done`` to ``total`` on standard error; call what it yields with every finished row."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total, completed=done, last="")
        yield lambda row: progress.update(task, advance=1, last=f"{row['learner']} on {row['dataset']}")
