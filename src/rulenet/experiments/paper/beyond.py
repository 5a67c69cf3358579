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
from rulenet.experiments.paper.learners import NETWORKS, RESTARTED, cart
from rulenet.experiments.paper.report import Report
from rulenet.experiments.plots import plot_accuracy_against_size, plot_critical_difference, plot_lines
from rulenet.experiments.statistics import as_table, average_scores, compare, compare_all, count_collapsed
from rulenet.experiments.study import Learner, Study, Table
from rulenet.experiments.tables import show_comparisons, significance, to_markdown
from rulenet.network import Network
from rulenet.training.anneal import Anneal


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


def quick_deep(seed: int) -> RuleNetworkClassifier:
    """The default classifier with shorter walks, whose vote is not distilled."""
    return RuleNetworkClassifier(search=_quick(), random_state=seed)


def quick_flat(seed: int) -> RuleNetworkClassifier:
    """The same with one hidden layer."""
    return RuleNetworkClassifier((32,), search=_quick(), random_state=seed)


def _quick() -> Anneal:
    return Anneal(n_proposals=QUICK_PROPOSALS, distil=False)


DEFAULTS: dict[str, Learner] = {"default, deep": deep, "default, flat": flat}
#: An eighth of the usual proposals, for many data sets.
QUICK_PROPOSALS = 100_000
QUICK: dict[str, Learner] = {"quick, deep": quick_deep, "quick, flat": quick_flat}
DEEP_AND_FLAT = (("DRNC(5)", "RNC"), ("DRNC(3)", "RNC"), tuple(DEFAULTS), tuple(QUICK))


def declare(n_sets: int = 1000, n_default: int = 100, n_quick: int = 0) -> Iterator[Study]:
    """The paper's networks and CART on ``n_sets`` data sets, then everything on ``n_default`` of untouched seeds.

    So many come from the paper's generator, and a fifth of that from each of the others. The paper's networks are
    started again when they collapse, as its text says. The default search was developed on the first data sets after
    the paper's, so the comparison with it is made above ``DEVELOPED_UP_TO``; with shorter walks on ``n_quick`` of them.
    """
    papers: dict[str, Learner] = {**RESTARTED, "CART": cart}
    yield _study({name: _seeds(name, n_sets, 120) for name in GENERATORS}, papers)
    for n, ours in ((n_default, DEFAULTS), (n_quick, QUICK)):
        if n:
            yield _study({name: _seeds(name, n, DEVELOPED_UP_TO) for name in GENERATORS}, papers | ours)


def _seeds(generator: str, n_papers: int, above: int) -> list[int]:
    n = n_papers if generator == PAPERS else -(-n_papers // 5)
    return list(islice(GENERATORS[generator].fresh_seeds(above), n))


def _study(seeds: dict[str, list[int]], learners: dict[str, Learner]) -> Study:
    named = {f"{name}, seed {seed}": (name, seed) for name, found in seeds.items() for seed in found}
    return Study(
        datasets={title: partial(GENERATORS[name].make, seed) for title, (name, seed) in named.items()},
        learners=learners,
        seeds={title: (seed + 1,) for title, (_, seed) in named.items()},
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
    papers = average_scores(results[results["generator"] == PAPERS])
    common = papers.dropna()
    networks = list(NETWORKS)
    greedy = results[~results["learner"].isin([*DEFAULTS, *QUICK])]
    text = f"""# Deep or shallow: {results["dataset"].nunique()} fresh data sets

## Mean accuracy by the depth of the generating network

{to_markdown(_by_generator(greedy))}

![Accuracy by generator](generators.svg)

## Deep minus flat, by the depth of the generating network

{to_markdown(_deep_minus_flat(results))}

## The paper's networks on the paper's generator, {len(papers)} data sets

{significance(papers[networks])}

{to_markdown(_pairs(papers[[*networks, "CART"]]))}

![Critical differences](critical-difference-networks.svg)

## All learners, {len(common)} data sets of the paper's generator

{to_markdown(_pairs(common))}

By the depth of the generating network, on the data sets that all learners saw:

{to_markdown(_by_generator(results))}

![Accuracy of all learners by generator](generators-all.svg)

![Critical differences](critical-difference.svg)

{_quick_section(papers)}## Accuracy against size

Size is the number of edges that the output can depend on; collapsed is the share of fits that are no better on their
training rows than the larger class.

{to_markdown(_points(results[results["dataset"].isin(common.index)]).round(4))}

![Accuracy against size](size.svg)
"""
    figures = {
        "generators": plot_lines(_means(greedy).T, "generating network"),
        "generators-all": plot_lines(_means(results).T, "generating network"),
        "critical-difference-networks": plot_critical_difference(papers[networks]),
        "critical-difference": plot_critical_difference(common),
        "size": plot_accuracy_against_size(_points(results[results["dataset"].isin(common.index)]).dropna()),
    }
    return Report(text, figures)


def _quick_section(papers: pd.DataFrame) -> str:
    """The shorter walks compared with the paper's networks and CART, on all data sets that they saw."""
    if not set(QUICK) <= set(papers):
        return ""
    seen = papers.drop(columns=[name for name in DEFAULTS if name in papers]).dropna()
    title = f"## With an eighth of the proposals, {len(seen)} data sets of the paper's generator"
    return f"{title}\n\n{to_markdown(_pairs(seen))}\n\n"


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
    """Every deep learner compared with the flat one of its kind, generator by generator, on all sets they share."""
    tables = []
    for generator in sorted(results["generator"].unique()):
        scores = average_scores(results[results["generator"] == generator])
        rows = [compare(scores, deep, flat) for deep, flat in DEEP_AND_FLAT if {deep, flat} <= set(scores)]
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
