"""Cross-validation of one network for several columns, next to other learners that take them one by one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from rulenet.cli import options
from rulenet.cli.confusion import aligned, as_data, shown, tabbed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from rulenet.experiments.confusion import Confusion

OURS = "rulenet"


@dataclass(frozen=True, eq=False)
class Judged:
    """What a learner said of every row that it did not see, a column a target; and what it took."""

    learner: str
    targets: tuple[str, ...]
    truth: "pd.DataFrame"
    said: "NDArray[np.object_]"
    size: float
    seconds: float

    @property
    def all_right(self) -> float:
        """The share of rows in which all targets are right."""
        return float((self.said == self.truth.to_numpy(dtype=object)).all(axis=1).mean())

    def confusion(self, target: str) -> "Confusion":
        """What was taken for what in one column."""
        from rulenet.experiments.confusion import Confusion, count_pairs

        return Confusion.of(count_pairs(self.truth[target], self.said[:, self.targets.index(target)]))


def evaluate_targets(
    data: str,
    targets: Sequence[str],
    types: options.Types,
    learning: options.Learning,
    files: options.Files,
    folds: int,
    peers: Mapping[str, Any],
    as_json: bool,
) -> None:
    """Print how all learners do on every column, and on all of them together."""
    from rich.console import Console

    X, Y = options.labels_of(files, types, learning, data, targets)
    model: Any = learning.classifier(types, list(X), (), data)
    judged = [_judge(OURS, lambda train: model.fit(X.iloc[train], Y.iloc[train]), X, Y, folds, learning.seed)]
    typed = typed_for_peers(X, types, data) if peers else X
    for name, peer in peers.items():
        learn = _one_by_one(peer, typed, Y, learning.seed)
        judged.append(_judge(name, learn, typed, Y, folds, learning.seed))
    if as_json:
        typer.echo(json.dumps([_record(one) for one in judged], indent=2))
        return
    console = Console()
    typer.echo((aligned if console.is_terminal else tabbed)([*_lines(judged)]))
    for target in targets:
        found = judged[0].confusion(target)
        typer.echo(f"\n{target}\n\n{shown(found, console.width if console.is_terminal else None)}")


def _judge(name: str, learn: Any, X: "pd.DataFrame", Y: "pd.DataFrame", folds: int, seed: int) -> Judged:
    import numpy as np
    from sklearn.model_selection import KFold

    from rulenet.experiments.scores import size_of

    said, sizes, seconds = np.empty(Y.shape, dtype=object), list[float](), list[float]()
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(X):
        begin = perf_counter()
        model = learn(train)
        seconds.append(perf_counter() - begin)
        sizes.append(size_of(model))
        said[test] = model.predict(X.iloc[test])
    return Judged(name, tuple(map(str, Y.columns)), Y, said, float(np.mean(sizes)), float(np.mean(seconds)))


class _Each:
    """A model for every column."""

    def __init__(self, models: Sequence[Any]) -> None:
        self.estimators_ = models

    def predict(self, X: "pd.DataFrame") -> Any:
        import numpy as np

        return np.column_stack([np.asarray(model.predict(X), dtype=object) for model in self.estimators_])


def _one_by_one(peer: Any, X: "pd.DataFrame", Y: "pd.DataFrame", seed: int) -> Any:
    return lambda train: _Each([peer(seed).fit(X.iloc[train], Y[column].iloc[train]) for column in Y])


def _lines(judged: Sequence[Judged]) -> Iterator[tuple[str, ...]]:
    targets = judged[0].targets
    yield ("learner", "all right", *targets, "size", "seconds")
    for one in judged:
        shares = [one.all_right, *(one.confusion(target).accuracy for target in targets)]
        size = "" if one.size != one.size else f"{one.size:.1f}"
        yield (one.learner, *(f"{share:.4f}" for share in shares), size, f"{one.seconds:.2f}")


def _record(one: Judged) -> dict[str, Any]:
    found = {target: one.confusion(target) for target in one.targets}
    return {
        "learner": one.learner,
        "all_right": one.all_right,
        "size": None if one.size != one.size else one.size,
        "seconds": one.seconds,
        "targets": {name: {"accuracy": c.accuracy, **as_data(c)} for name, c in found.items()},
    }


def typed_for_peers(X: "pd.DataFrame", types: options.Types, path: str) -> "pd.DataFrame":
    """The table as other learners take it, with the types that ours infers."""
    import warnings

    from rulenet import Encoding
    from rulenet.experiments.peers import typed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fits of ours warn of the same
        attributes = Encoding.learn(X, **types.parameters(list(X), path)).attributes
    ranked = {
        a.name: X[a.name].astype(str).map({str(v): rank for rank, v in enumerate(a.values)})
        for a in attributes
        if a.kind == "ordinal"
    }
    kept = [a.name for a in attributes if a.n_cells > 1]
    return typed(X.assign(**ranked)[kept], [a.name for a in attributes if a.kind == "nominal"])
