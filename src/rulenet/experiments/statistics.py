"""Comparisons of learners over many data sets.

J. Demsar: Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7, 1-30, 2006.

Every function takes ``scores``: a row a data set, a column a learner, higher is better.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats


def average_scores(results: pd.DataFrame, value: str = "accuracy") -> pd.DataFrame:
    """The mean of ``value`` over folds and seeds: a row a data set, a column a learner, in order of appearance.

    A learner that failed on one fold has no mean on that data set: the other folds may be the easy ones.
    """
    groups = results.groupby(["dataset", "learner"], sort=False)[value]
    means = groups.mean().where(groups.count() == groups.size()).unstack()
    return means.reindex(index=results["dataset"].unique(), columns=results["learner"].unique())


def failures(results: pd.DataFrame) -> list[str]:
    """What failed, and why: a line for every learner, data set and error.

    >>> rows = {"dataset": "vote", "learner": "CART", "fold": [0, 1], "error": "no memory"}
    >>> failures(pd.DataFrame(rows))
    ['CART on vote, 2 fits: no memory']
    """
    failed = results[results["error"].notna()]
    counts = Counter(zip(failed["learner"], failed["dataset"], failed["error"], strict=True))
    return [f"{learner} on {data}, {n} fit{'s' * (n > 1)}: {error}" for (learner, data, error), n in counts.items()]


def count_collapsed(results: pd.DataFrame) -> pd.Series:
    """How many fits of every learner are no better on their training rows than the larger class is."""
    collapsed = results["train_accuracy"] <= results["train_majority"] + 1e-9
    return collapsed.groupby(results["learner"], sort=False).sum()


def average_ranks(scores: pd.DataFrame) -> pd.Series:
    """The mean rank of every learner, 1 for the best; equal scores share their ranks.

    >>> average_ranks(pd.DataFrame({"a": [0.9, 0.8], "b": [0.9, 0.7]})).to_dict()
    {'a': 1.25, 'b': 1.75}
    """
    return scores.rank(axis=1, ascending=False).mean()


def count_wins(scores: pd.DataFrame) -> pd.DataFrame:
    """On how many data sets the learner of the row is better than that of the column.

    >>> count_wins(pd.DataFrame({"a": [0.9, 0.8], "b": [0.9, 0.7]})).to_numpy().tolist()
    [[0, 1], [0, 0]]
    """
    values = scores.to_numpy()
    wins = (values[:, :, None] > values[:, None, :]).sum(axis=0)
    return pd.DataFrame(wins, index=scores.columns, columns=scores.columns)


def friedman_p(scores: pd.DataFrame) -> float:
    """The p-value of Friedman's test that all learners are alike."""
    return float(stats.friedmanchisquare(*scores.to_numpy().T).pvalue)


def critical_distance(n_learners: int, n_datasets: int, alpha: float = 0.05) -> float:
    """The difference of average ranks that is significant in Nemenyi's test.

    >>> [round(critical_distance(3, 20, alpha), 3) for alpha in (0.05, 0.1)]
    [0.741, 0.649]
    """
    q = stats.studentized_range.ppf(1 - alpha, n_learners, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_learners * (n_learners + 1) / (6 * n_datasets)))


def nemenyi_p(scores: pd.DataFrame) -> pd.DataFrame:
    """The p-values of Nemenyi's test, for every pair of learners."""
    ranks, (n, k) = average_ranks(scores).to_numpy(), scores.shape
    q = np.abs(ranks[:, None] - ranks[None, :]) / np.sqrt(k * (k + 1) / (6 * n))
    p = stats.studentized_range.sf(q * np.sqrt(2), k, np.inf)
    return pd.DataFrame(p, index=scores.columns, columns=scores.columns)


def indistinguishable(ranks: pd.Series, distance: float) -> list[list[str]]:
    """The largest groups of learners whose average ranks differ by less than ``distance``, best first.

    >>> indistinguishable(pd.Series({"a": 1.0, "b": 1.5, "c": 2.2}), 0.8)
    [['a', 'b'], ['b', 'c']]
    """
    ordered = ranks.sort_values()
    groups: list[list[str]] = []
    for start in range(len(ordered)):
        group = ordered.index[start:][ordered.iloc[start:] - ordered.iloc[start] < distance].tolist()
        if len(group) > 1 and not (groups and set(group) <= set(groups[-1])):
            groups.append(group)
    return groups


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better the first of two learners is, over the same data sets."""

    first: str
    second: str
    mean_difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    t_p: float
    wilcoxon_p: float
    sign_p: float


def compare(scores: pd.DataFrame, first: str, second: str, confidence: float = 0.95) -> Comparison:
    """Paired comparison of two columns: mean difference with its confidence interval (t), and three tests."""
    difference = (scores[first] - scores[second]).dropna().to_numpy()
    n, wins, losses = len(difference), int((difference > 0).sum()), int((difference < 0).sum())
    margin = stats.t.ppf((1 + confidence) / 2, n - 1) * stats.sem(difference) if n > 1 else np.nan
    varied = bool(np.ptp(difference) > 0)
    return Comparison(
        first,
        second,
        mean_difference=float(difference.mean()),
        low=float(difference.mean() - margin),
        high=float(difference.mean() + margin),
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        t_p=float(stats.ttest_1samp(difference, 0).pvalue) if varied else 1.0,
        wilcoxon_p=float(stats.wilcoxon(difference).pvalue) if wins + losses else 1.0,
        sign_p=float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0,
    )


def compare_all(scores: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Every pair of learners compared, a row a pair, the better one first."""
    order = scores.mean().sort_values(ascending=False, kind="stable").index
    return as_table([compare(scores, a, b, confidence) for a, b in combinations(order, 2)])


def as_table(comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """A row a comparison."""
    return pd.DataFrame([asdict(comparison) for comparison in comparisons])
