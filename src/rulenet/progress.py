"""A progress bar for searches, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from rulenet.training import search


@contextmanager
def shown(verbose: int, label: str) -> Iterator[search.Report]:
    """A report function that draws a bar while the block runs; silent where ``verbose`` is 0.

    From ``verbose=2`` on, every new stage stays on the screen as a line of its own.
    """
    if not verbose:
        yield search.be_silent
        return
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

        def report(progress: search.Progress) -> None:
            bar.update(
                task, description=f"{label}: {progress.stage}", completed=progress.done, accuracy=progress.accuracy
            )
            if verbose > 1 and progress.stage not in stages[-1:]:
                bar.console.print(f"{label}: {progress.stage}, accuracy {progress.accuracy:.4f}")
                stages.append(progress.stage)

        yield report
