"""`rulenet demo`: what deep rule networks are good for, in a few seconds, on data generated here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from rulenet.estimator import RuleNetworkClassifier

    Data = tuple[pd.DataFrame, "pd.Series[Any]"]


def _tasks() -> "dict[str, Callable[[], Data]]":
    from rulenet.datasets import make_car_evaluation, make_monk, make_parity, make_tic_tac_toe

    return {
        "monk-1: a1 = a2, or a5 = one": lambda: make_monk(1),
        "tic-tac-toe: x has three in a row": make_tic_tac_toe,
        "car evaluation: is it acceptable?": lambda: _acceptable(*make_car_evaluation()),
        "parity of 5 of 10 attributes": lambda: make_parity(10, 5),
    }


def _acceptable(X: "pd.DataFrame", y: "pd.Series[Any]") -> "Data":
    return X, y.where(y == "unacc", "acceptable")


@dataclass(frozen=True)
class _Row:
    task: str
    tree: float
    n_leaves: int
    network: float
    model: "RuleNetworkClassifier"


def demo(
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for each of the four searches.", min=0.1)
    ] = 1.5,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the split and of the search.", min=0)] = 0,
) -> None:
    """Learn deep rule networks from generated data, next to decision trees, and show what was learned."""
    from rich.console import Console
    from rich.progress import Progress

    from rulenet.datasets import make_monk

    console, tasks, rows = Console(), _tasks(), []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("compiling (the first time only)", total=len(tasks))
        _compare("", make_monk(1), 0.1, seed)
        for name, make in tasks.items():
            progress.update(task, description=f"learning {name}")
            rows.append(_compare(name, make(), seconds, seed))
            progress.advance(task)
    console.print(_table(rows))
    for row in (rows[0], rows[1]):
        console.print(f"\n[bold]What it learned of {row.task}[/bold]\n")
        console.print(row.model.export("text"), markup=False, highlight=False, soft_wrap=True)


def _compare(task: str, data: "Data", seconds: float, seed: int) -> _Row:
    from sklearn.model_selection import train_test_split

    from rulenet import Anneal, RuleNetworkClassifier
    from rulenet.experiments.peers import cart, typed

    X, y = data
    X = typed(X, X.columns.tolist())
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    tree = cart(seed).fit(X, y)
    model = RuleNetworkClassifier(search=Anneal(max_time=seconds), random_state=seed, n_jobs=-1).fit(X, y)
    return _Row(task, tree.score(X_test, y_test), tree[-1].get_n_leaves(), model.score(X_test, y_test), model)


def _table(rows: list[_Row]) -> "Table":
    from rich.table import Table

    from rulenet.formulas.measures import measure

    table = Table(title="Accuracy on rows not seen: half of each data set learns, the other half judges")
    for title in ("data", "decision tree", "leaves", "rulenet", "conditions"):
        table.add_column(title, justify="left" if title == "data" else "right")
    for row in rows:
        size = measure(row.model.one_target("the demo").formula)
        table.add_row(row.task, f"{row.tree:.3f}", str(row.n_leaves), f"{row.network:.3f}", str(size.conditions))
    return table
