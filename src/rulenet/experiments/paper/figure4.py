"""Figure 4: the grid search over the settings of deep and shallow networks."""

from dataclasses import dataclass
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from rulenet.datasets import ARTIFICIAL_SEEDS, make_artificial
from rulenet.experiments.markdown import to_markdown
from rulenet.experiments.paper.learners import PaperNetwork
from rulenet.experiments.paper.published import BEST_DEEP, BEST_SHALLOW
from rulenet.experiments.paper.report import Report
from rulenet.experiments.plots import plot_lines
from rulenet.experiments.study import Study

DEEP_SIZES = ((72, 36, 12, 6, 2), (32, 16, 8, 4, 2), (36, 12, 6, 2), (16, 8, 4, 2), (12, 6, 2), (8, 4, 2))
DEEP_LENGTHS, PROBABILITIES = (1, 2, 3), (0.025, 0.075, 0.125)
SHALLOW_SIZES, SHALLOW_LENGTHS = (10, 20, 50, 100, 200, 500), (1, 2, 3, 4, 5, 6, 7)


@dataclass(frozen=True, slots=True)
class Setting:
    """A point of the grid; shallow networks have no probability."""

    sizes: tuple[int, ...]
    length: int
    probability: float | None = None

    def __str__(self) -> str:
        p = "" if self.probability is None else f", p {self.probability}"
        return f"{list(self.sizes)}, l {self.length}{p}"

    @property
    def learner(self) -> PaperNetwork:
        """The network with this setting, trained for one epoch."""
        return PaperNetwork(self.sizes, self.length, self.probability or 0.0, n_epochs=1)


DEEP = tuple(Setting(s, length, p) for s in DEEP_SIZES for length in DEEP_LENGTHS for p in PROBABILITIES)
SHALLOW = tuple(Setting((s,), length) for s in SHALLOW_SIZES for length in SHALLOW_LENGTHS)

PAPERS_DEEP, PAPERS_SHALLOW = Setting((72, 36, 12, 6, 2), 2, 0.025), Setting((20,), 5)


def declare() -> Study:
    """All 96 settings on the 20 artificial data sets, one epoch; folds and seeds as in Table 2."""
    return Study(
        datasets={str(seed): partial(make_artificial, seed) for seed in ARTIFICIAL_SEEDS},
        learners={str(setting): setting.learner for setting in (*DEEP, *SHALLOW)},
        seeds={str(seed): (seed + 1,) for seed in ARTIFICIAL_SEEDS},
    )


def report(results: pd.DataFrame) -> Report:
    """The best settings, how much the choice matters, and the plots (a) to (e)."""
    accuracy = results.groupby("learner")["accuracy"].mean()
    deep, shallow = _grid(DEEP, accuracy), _grid(SHALLOW, accuracy)
    text = f"""# Figure 4: grid search

Accuracy over {results["dataset"].nunique()} artificial data sets after one epoch:
{len(deep)} deep and {len(shallow)} shallow settings.

{to_markdown(_best(deep, shallow))}

![Deep and shallow networks](figure4.svg)
"""
    return Report(text, {"figure4": _plot(deep, shallow)})


def _grid(settings: tuple[Setting, ...], accuracy: pd.Series) -> pd.DataFrame:
    rows = [(str(list(s.sizes)), s.length, s.probability, accuracy[str(s)]) for s in settings]
    return pd.DataFrame(rows, columns=["s", "l", "p", "accuracy"], index=pd.Index([str(s) for s in settings]))


def _best(deep: pd.DataFrame, shallow: pd.DataFrame) -> pd.DataFrame:
    rows = {}
    for name, grid, setting, printed in (
        ("deep", deep, PAPERS_DEEP, BEST_DEEP),
        ("shallow", shallow, PAPERS_SHALLOW, BEST_SHALLOW),
    ):
        accuracy = grid["accuracy"]
        rows[name] = {
            "best setting": str(accuracy.idxmax()),
            "accuracy": accuracy.max(),
            "the paper's best": str(setting),
            "accuracy here": accuracy[str(setting)],
            "published": printed,
            "mean of all": accuracy.mean(),
            "worst setting": str(accuracy.idxmin()),
            "accuracy ": accuracy.min(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _plot(deep: pd.DataFrame, shallow: pd.DataFrame) -> Figure:
    figure = Figure(figsize=(12, 13), layout="constrained")
    panels = figure.subplot_mosaic([["a", "a"], ["b", "c"], ["d", "e"]])
    parts = (
        ("a", deep, ["p", "l"], "s", "p, l"),
        ("b", deep, ["s", "p"], "l", "s, p"),
        ("c", deep, ["s", "l"], "p", "s, l"),
        ("d", shallow, ["l"], "s", "l"),
        ("e", shallow, ["s"], "l", "s"),
    )
    for name, grid, across, lines, label in parts:
        table = grid.pivot_table(index=across, columns=lines, values="accuracy", sort=False)
        table.index = pd.Index([_label(key) for key in table.index])
        plot_lines(table, label, title=f"({name})", axes=panels[name])
    return figure


def _label(key: object) -> str:
    return ", ".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
