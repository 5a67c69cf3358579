"""Table 3: three networks, RIPPER and CART on UCI data; as published, and fairly."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from rulenet.experiments.markdown import (
    beside_published,
    count_equal,
    show_comparisons,
    significance,
    summary_rows,
    to_markdown,
)
from rulenet.experiments.paper.learners import NETWORKS, RESTARTED, cart, ripper, seeded_cart
from rulenet.experiments.paper.published import published_table
from rulenet.experiments.paper.report import Report
from rulenet.experiments.paper.uci import UCI_NAMES, load_all_rows, load_last_rows
from rulenet.experiments.plots import plot_critical_difference
from rulenet.experiments.statistics import as_table, average_scores, compare
from rulenet.experiments.study import Learner, Study

RUNS = (0, 1)
#: The published network column is the better of two runs by test accuracy, but for this cell.
PRINTED_RUN = {("kr-vs-kp", "DRNC(5)"): 0}
#: Only these have more rows than the published runs used.
LARGE = ("connect-4", "mushroom")

RIPPER_NOTES = """\
Two published RIPPER cells are artefacts. tic-tac-toe, 1: the positive class was given as a text, but the labels were
Boolean, so the classes were confused. vote, .8804: a fault of wittgenstein 0.2.3 with repeated rows, mended since."""

_minority = {name: replace(network, positive_class="minority") for name, network in NETWORKS.items()}


def declare(data_home: str | os.PathLike[str] | None = None) -> Study:
    """The published protocol of the networks: two runs, r being the seed of the learner and of the folds."""
    datasets = {name: partial(load_last_rows, name, data_home) for name in UCI_NAMES}
    return Study(datasets, _minority, seeds=RUNS, fold_seed=None)


def declare_peers(data_home: str | os.PathLike[str] | None = None, with_ripper: bool = True) -> Study:
    """The published protocol of CART and RIPPER: run 0 only."""
    learners: dict[str, Learner] = {"CART": cart} | ({"RIPPER": ripper} if with_ripper else {})
    return replace(declare(data_home), learners=learners, seeds=RUNS[:1])


def declare_fair(
    data_home: str | os.PathLike[str] | None = None, n_seeds: int = 20, all_rows: Sequence[str] = LARGE
) -> Study:
    """Every seed counts, and a network that collapsed to one class starts again, as the text of the paper says."""
    datasets = {name: partial(load_last_rows, name, data_home) for name in UCI_NAMES}
    larger = {f"{name}, all rows": partial(load_all_rows, name, data_home) for name in all_rows}
    learners = {name: replace(network, positive_class="minority") for name, network in RESTARTED.items()}
    return Study(datasets | larger, {**learners, "CART": seeded_cart}, seeds=range(n_seeds), fold_seed=None)


def as_published(results: pd.DataFrame) -> pd.DataFrame:
    """The cells as the paper chose them: the better of the runs by test accuracy, one cell apart."""
    runs = results.groupby(["dataset", "learner", "seed"], sort=False)["accuracy"].mean().reset_index()
    keys = zip(runs["dataset"].tolist(), runs["learner"].tolist(), runs["seed"].tolist(), strict=True)
    printed = [PRINTED_RUN.get((dataset, learner), seed) == seed for dataset, learner, seed in keys]
    chosen = runs[printed].groupby(["dataset", "learner"], sort=False)["accuracy"].max().reset_index()
    return average_scores(chosen).loc[list(UCI_NAMES)]


def report(results: pd.DataFrame) -> Report:
    """The table beside the published one, and both runs of every network."""
    scores, published = as_published(results), published_table("table3")
    networks = list(NETWORKS)
    equal, total = count_equal(scores[networks], published)
    rank = summary_rows(scores, networks).loc[["Ø rank"]].map(lambda v: "" if pd.isna(v) else f"{v:.3f}")
    text = f"""# Table 3: UCI data, as published

The last 4000 rows; two runs, of which the networks' better one by *test* accuracy is printed (kr-vs-kp, DRNC(5) apart);
CART and RIPPER have one run. A published figure stands in brackets where it differs.
{equal} of the {total} network cells agree to four digits.

{to_markdown(pd.concat([beside_published(scores, published), rank]).rename_axis(index="data set"))}

{RIPPER_NOTES if "RIPPER" in scores else ""}

## Both runs

{to_markdown(_runs(results).rename_axis(index="data set"))}

A figure equal to the share of the larger class is a network that collapsed to one class.
"""
    return Report(text)


def _runs(results: pd.DataFrame) -> pd.DataFrame:
    networks = results[results["learner"].isin(list(NETWORKS))]
    runs = networks.assign(run=networks["learner"] + " r = " + networks["seed"].astype(str))
    table = runs.pivot_table(index="dataset", columns="run", values="accuracy")
    return table.reindex(index=list(UCI_NAMES), columns=[f"{name} r = {run}" for name in NETWORKS for run in RUNS])


def report_fair(results: pd.DataFrame) -> Report:
    """Mean and spread over seeds, and tests over the data sets."""
    by_seed = results.groupby(["dataset", "learner", "seed"], sort=False)["accuracy"].mean().reset_index()
    scores = average_scores(by_seed)
    spread = by_seed.pivot_table(index="dataset", columns="learner", values="accuracy", aggfunc="std")
    shown = {
        name: [
            f"{m:.4f} ± {s:.4f}".replace("0.", ".")
            for m, s in zip(scores[name], spread[name][scores.index], strict=True)
        ]
        for name in scores
    }
    table = pd.DataFrame(shown, index=scores.index.rename("data set"))
    six, networks = scores.loc[list(UCI_NAMES)], list(NETWORKS)
    text = f"""# Table 3: UCI data, fairly

Mean and standard deviation over {results["seed"].nunique()} seeds, of learner and folds; nothing is chosen by test
accuracy, and a network that predicts one class only is started again. The first six lines use the last 4000 rows,
connect-4 without draws; on all rows connect-4 is win against the rest. The other data sets have no more than 4000.

{to_markdown(table)}

{significance(six[networks])}

DRNC(5) minus RNC on every data set, over the seeds:

{to_markdown(_deep_minus_flat(by_seed))}

![Critical differences](critical-difference-fair.svg)
"""
    return Report(text, {"critical-difference-fair": plot_critical_difference(six)})


def _deep_minus_flat(by_seed: pd.DataFrame) -> pd.DataFrame:
    """The deepest network compared with the shallow one, data set by data set; the seeds are the pairs."""
    rows = []
    for dataset in by_seed["dataset"].unique():
        scores = by_seed[by_seed["dataset"] == dataset].pivot(index="seed", columns="learner", values="accuracy")
        rows.append(compare(scores, "DRNC(5)", "RNC"))
    table = show_comparisons(as_table(rows))
    return table.set_index(pd.Index(by_seed["dataset"].unique(), name="data set"))
