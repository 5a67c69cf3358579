"""Table 2: three networks, RIPPER and CART on the artificial data."""

from functools import partial

import pandas as pd

from rulenet.datasets import ARTIFICIAL_SEEDS, make_artificial
from rulenet.experiments.markdown import beside_published, count_equal, significance, summary_rows, to_markdown
from rulenet.experiments.paper.learners import NETWORKS, cart, ripper
from rulenet.experiments.paper.published import published_table
from rulenet.experiments.paper.report import Report
from rulenet.experiments.plots import plot_critical_difference
from rulenet.experiments.statistics import average_scores, count_wins
from rulenet.experiments.study import Learner, Study


def declare(with_ripper: bool = True) -> Study:
    """The published protocol: two folds (seed 0), learner seed = the data set's + 1."""
    learners: dict[str, Learner] = {**NETWORKS, "CART": cart}
    return Study(
        datasets={str(seed): partial(make_artificial, seed) for seed in ARTIFICIAL_SEEDS},
        learners=learners | ({"RIPPER": ripper} if with_ripper else {}),
        seeds={str(seed): (seed + 1,) for seed in ARTIFICIAL_SEEDS},
    )


def report(results: pd.DataFrame) -> Report:
    """The table beside the published one, ranks, wins, tests, and the critical-difference diagram."""
    scores = average_scores(results).rename_axis(index="seed")
    published = published_table("table2")
    networks = list(NETWORKS)
    equal, total = count_equal(scores[networks], published)
    text = f"""# Table 2: artificial data

Accuracy, the mean of two folds; a published figure stands in brackets where it differs.
{equal} of the {total} network cells agree to four digits, and {_peers_equal(scores)}.

{to_markdown(pd.concat([beside_published(scores, published), _summary(scores)]).rename_axis(index="seed"))}

## Ranks of the networks

{significance(scores[networks])}

Data sets on which the learner of the row beats that of the column:

{to_markdown(count_wins(scores).rename_axis(index=""))}

![Critical differences](critical-difference.svg)
"""
    return Report(text, {"critical-difference": plot_critical_difference(scores[networks])})


def _peers_equal(scores: pd.DataFrame) -> str:
    counts = {name: count_equal(scores[[name]], published_table("table2")) for name in scores if name not in NETWORKS}
    return " and ".join(f"{equal} of {total} of {name}" for name, (equal, total) in counts.items())


def _summary(scores: pd.DataFrame) -> pd.DataFrame:
    rows = summary_rows(scores, list(NETWORKS))
    return rows.map(lambda value: "" if pd.isna(value) else f"{value:.4f}".removeprefix("0"))
