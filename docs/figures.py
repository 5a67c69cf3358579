"""The pictures of the documentation, drawn by the library itself: ``python docs/figures.py`` draws those in images/."""

import contextlib
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from refresh import rerun

from rulenet import Anneal, Attribute, Encoding, RuleNetworkClassifier
from rulenet.datasets import make_monk, make_tic_tac_toe
from rulenet.formulas import And, Formula, Or, factor, minimise
from rulenet.pictures import draw_network

HERE = Path(__file__).parent
WELL, ILL, CUT, CANDIDATE = "#4477aa", "#cc6677", "#222222", "#999999"

matplotlib.rcParams["svg.hashsalt"] = "rulenet"  # the same picture, byte for byte, whoever draws it


def equation_1() -> Formula:
    """The flat example of section 4.1 of the paper."""
    columns = {n: Attribute(n, (False, True)) for n in "bcdfhij"}
    text = "b ~d i, b h i, b d f h, ~b c i, ~b i j, c h, c ~d, ~d j, h j"
    rules = [And(tuple(columns[x[-1]].equal(x[0] != "~") for x in rule.split())) for rule in text.split(",")]
    return Formula(Or(tuple(rules)), {}, tuple(columns.values()))


def parity(n: int) -> Formula:
    """Whether an odd number of ``n`` columns is true, as flat rules."""
    columns = tuple(Attribute(f"x{i}", (False, True)) for i in range(1, n + 1))
    odd = [values for values in product((True, False), repeat=n) if sum(values) % 2]
    rules = [And(tuple(a.equal(v) for a, v in zip(columns, values, strict=True))) for values in odd]
    return Formula(Or(tuple(rules)), {}, columns, "parity")


def robots() -> Formula:
    """The first MONK's problem, learned."""
    search = Anneal(n_restarts=4, n_folds=0, n_proposals=50_000)
    return RuleNetworkClassifier(positive_class="1", search=search, random_state=0).fit(*make_monk(1)).formula_


def patients(n_rows: int = 300) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    """People who are ill above the age of 62.5, with one in fifteen labels wrong."""
    rng = np.random.default_rng(0)
    age = pd.DataFrame({"age": rng.gamma(9, 6, n_rows).clip(18, 95).round(1)})
    ill = (age["age"] > 62.5) ^ (rng.random(n_rows) < 1 / 15)
    return age, pd.Series(np.where(ill, "ill", "well"), name="state")


def draw_cuts() -> Figure:
    """A column of numbers with its classes, the cuts that a search sees, and the one that a network uses."""
    X, y = patients()
    candidates = Encoding.learn(X, y.eq("ill").to_numpy(dtype=np.int64)).attributes[0].cuts
    search = Anneal(n_restarts=4, n_folds=0, price=8.0, n_proposals=20_000)
    model = RuleNetworkClassifier(search=search, positive_class="ill", random_state=0).fit(X, y)
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    axes = figure.subplots()
    _scatter(axes, X["age"], y)
    axes.vlines(candidates, -0.6, 1.6, color=CANDIDATE, linewidth=0.7, linestyle=":")
    for condition in model.formula_.conditions:
        cut = next(end for run in condition.ranges for end in run if end is not None)
        axes.axvline(cut, color=CUT, linewidth=1.6)
        axes.annotate(str(condition), (cut, 1.6), xytext=(4, 2), textcoords="offset points", va="bottom")
    axes.set(xlabel="age", yticks=(0, 1), yticklabels=("well", "ill"), ylim=(-0.6, 1.9))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _scatter(axes: object, values: "pd.Series[float]", classes: "pd.Series[str]") -> None:
    height = np.random.default_rng(1).uniform(-0.3, 0.3, len(values))
    for level, (label, colour) in enumerate({"well": WELL, "ill": ILL}.items()):
        mine = (classes == label).to_numpy()
        axes.scatter(values[mine], level + height[mine], s=9, color=colour, alpha=0.7, linewidth=0)  # type: ignore[attr-defined]


def draw_tic_tac_toe() -> Figure:
    """The positions in which x has not won."""
    return RuleNetworkClassifier(random_state=0, n_jobs=-1).fit(*make_tic_tac_toe()).picture()


def draw_nursery() -> Figure:
    """The network for five classes that the page on several classes learns around concepts."""
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        rerun((HERE / "several-classes.md").read_text(encoding="utf-8"), names)
    picture: Figure = names["deep"].picture()
    return picture


def draw_all(folder: Path) -> None:
    """Write every picture that the pages take from ``folder``."""
    folder.mkdir(exist_ok=True)
    for name, formula in {"equation-1": equation_1(), "parity": parity(5)}.items():
        draw_network(formula).savefig(folder / f"{name}-flat.svg")
        draw_network(factor(minimise(formula))).savefig(folder / f"{name}-deep.svg")
    draw_network(robots()).savefig(folder / "robots.svg")
    draw_network(factor(minimise(parity(5))), colours="safe").savefig(folder / "parity-safe.svg")


if __name__ == "__main__":
    for name, draw in {"cuts": draw_cuts, "tic-tac-toe": draw_tic_tac_toe, "nursery": draw_nursery}.items():
        draw().savefig(HERE / "images" / f"{name}.svg", metadata={"Date": None})
