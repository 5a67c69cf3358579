"""Beyond the paper: its question, whether deep networks beat shallow ones, put to many fresh data sets.

The generating networks have one to seven hidden layers, so that neither kind of learner is at home everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd

from rulenet.datasets import make_artificial
from rulenet.estimator import RuleNetworkClassifier
from rulenet.experiments.markdown import show_comparisons, significance, to_markdown
from rulenet.experiments.paper.learners import NETWORKS, RESTARTED, cart
from rulenet.experiments.paper.report import Report
from rulenet.experiments.plots import plot_accuracy_against_size, plot_critical_difference, plot_lines
from rulenet.experiments.statistics import as_table, average_scores, compare, compare_all, count_collapsed
from rulenet.experiments.study import Learner, Study, Table
from rulenet.network import Network


@dataclass(frozen=True, slots=True)
class Generator:
    """Random networks of one shape; their labels are the data."""

    hidden_layer_sizes: tuple[int, ...]
    avg_rule_length: float
    init_prob: float

    def make(self, seed: int) -> Table:
        """The data set of ``seed``."""
        return make_artificial(
            seed,
            hidden_layer_sizes=self.hidden_layer_sizes,
            avg_rule_length=self.avg_rule_length,
            init_prob=self.init_prob,
        )

    def fresh_seeds(self, above: int = 120) -> Iterator[int]:
        """The seeds above ``above``, by default the paper's, whose data have 20% to 80% true labels."""
        return (seed for seed in count(above + 1) if 0.2 <= self.make(seed)[1].mean() <= 0.8)


PAPERS = "5 layers"
#: Seeds up to here may have been looked at when the default search was made.
DEVELOPED_UP_TO = 4000
GENERATORS = {
    "5 layers": Generator((32, 16, 8, 4, 2), 2, 0.2),
    "1 layer": Generator((20,), 5, 0.0),
    "3 layers": Generator((32, 8, 2), 3, 0.1),
    "7 layers": Generator((48, 32, 24, 16, 8, 4, 2), 2, 0.1),
}


def deep(seed: int) -> RuleNetworkClassifier:
    """The default classifier."""
    return RuleNetworkClassifier(random_state=seed)


def flat(seed: int) -> RuleNetworkClassifier:
    """The default classifier with one hidden layer."""
    return RuleNetworkClassifier((32,), random_state=seed)


DEFAULTS: dict[str, Learner] = {"default, deep": deep, "default, flat": flat}
DEEP_AND_FLAT = (("DRNC(5)", "RNC"), ("DRNC(3)", "RNC"), tuple(DEFAULTS))


def declare(n_sets: int = 1000, n_others: int = 100) -> Iterator[Study]:
    """The paper's networks and CART on ``n_sets`` data sets of every generator, then the default search, flat and deep.

    That sees all data sets of the paper's generator and ``n_others`` of each other one. It was developed on the first
    data sets after the paper's, so all have seeds above ``DEVELOPED_UP_TO``. The paper's networks are started again
    when they collapse, as its text says. Each data set is learned from one half and judged on the other: for the same
    work, one fold of twice the data sets tells more.
    """
    yield _study(dict.fromkeys(GENERATORS, n_sets), {**RESTARTED, "CART": cart})
    yield _study({name: n_sets if name == PAPERS else n_others for name in GENERATORS}, DEFAULTS)


def _study(n_sets: dict[str, int], learners: dict[str, Learner]) -> Study:
    named: dict[str, tuple[float, str, int]] = {}
    for name, n in n_sets.items():
        for i, seed in enumerate(islice(GENERATORS[name].fresh_seeds(DEVELOPED_UP_TO), n)):
            named[f"{name}, seed {seed}"] = i / n, name, seed
    # By turns, so that a study that is stopped has seen all generators.
    named = dict(sorted(named.items(), key=lambda item: item[1]))
    return Study(
        datasets={title: partial(GENERATORS[name].make, seed) for title, (_, name, seed) in named.items()},
        learners=learners,
        seeds={title: (seed + 1,) for title, (_, _, seed) in named.items()},
        folds=(0,),
        measures={"n_edges": count_live_edges},
    )


def count_live_edges(model: Any) -> float:
    """The edges of the network that the output can depend on; NaN for a model without a network."""
    network: Network | None = getattr(model, "network_", None)
    if network is None:
        return np.nan
    n_edges, live = 0, np.array([True])
    for weights in reversed(network.weights):
        n_edges += int(weights[live].sum())
        live = np.asarray(weights[live].any(axis=0))
    return n_edges


def report(results: pd.DataFrame) -> Report:
    """Accuracy by generator, paired comparisons on the paper's generator, accuracy against size."""
    results = results.assign(generator=results["dataset"].str.split(",").str[0])
    greedy = results[~results["learner"].isin(DEFAULTS)]
    papers = average_scores(results[results["generator"] == PAPERS]).dropna()
    networks = list(NETWORKS)
    points = _points(results[results["dataset"].isin(papers.index)])
    text = f"""# Deep or shallow: {results["dataset"].nunique()} fresh data sets

## Mean accuracy by the depth of the generating network

The paper's networks and CART:

{to_markdown(_by_generator(greedy))}

All learners, on the data sets that the default search saw as well:

{to_markdown(_by_generator(results))}

![Accuracy by generator](generators.svg)

## Deep minus flat, by the depth of the generating network

{to_markdown(_deep_minus_flat(results))}

## All pairs on the paper's generator, {len(papers)} data sets

{significance(papers[networks])}
{significance(papers).splitlines()[0]}

{to_markdown(_pairs(papers))}

![Critical differences of the paper's networks](critical-difference-networks.svg)
![Critical differences of all learners](critical-difference.svg)

## Accuracy against size

Size is the number of edges that the output can depend on; collapsed is the share of fits that are no better on their
training rows than the larger class.

{to_markdown(points.round(4))}

![Accuracy against size](size.svg)
"""
    figures = {
        "generators": plot_lines(_means(results).T, "generating network"),
        "critical-difference-networks": plot_critical_difference(papers[networks]),
        "critical-difference": plot_critical_difference(papers),
        "size": plot_accuracy_against_size(points.dropna()),
    }
    return Report(text, figures)


def _means(results: pd.DataFrame) -> pd.DataFrame:
    """A row a learner, a column a generator, over the data sets that all learners saw."""
    scores = average_scores(results).dropna()
    generator = pd.Series([str(name).split(",")[0] for name in scores.index], index=scores.index)
    means = scores.groupby(generator).mean().T
    return means[sorted(means.columns)]


def _by_generator(results: pd.DataFrame) -> pd.DataFrame:
    scores = average_scores(results).dropna()
    counts = pd.Series([str(name).split(",")[0] for name in scores.index]).value_counts()
    means = _means(results).rename_axis(index="learner")
    return means.rename(columns={name: f"{name} ({counts[name]} sets)" for name in means.columns})


def _deep_minus_flat(results: pd.DataFrame) -> pd.DataFrame:
    """Every deep learner compared with the flat one of its kind, generator by generator."""
    tables = []
    for generator in sorted(results["generator"].unique()):
        scores = average_scores(results[results["generator"] == generator])
        rows = [compare(scores[[deep, flat]].dropna(), deep, flat) for deep, flat in DEEP_AND_FLAT]
        table = show_comparisons(as_table(rows))
        tables.append(table.set_index(pd.Index([f"{generator}: {pair}" for pair in table.index], name="pair")))
    return pd.concat(tables)


def _pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """Every pair with its difference, 95% interval, wins and tests."""
    return show_comparisons(compare_all(scores))


def _points(results: pd.DataFrame) -> pd.DataFrame:
    groups = results.groupby("learner", sort=False)
    return pd.DataFrame(
        {
            "accuracy": groups["accuracy"].mean(),
            "accuracy_error": groups["accuracy"].sem(),
            "size": groups["n_edges"].mean(),
            "size_error": groups["n_edges"].sem(),
            "collapsed": count_collapsed(results) / groups.size(),
        }
    )
