"""Whether counting and depth pay: kinds of networks compared on the same tables; frames are those of `read_part`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.accuracy.names import (
    AND_OR_DEEP,
    AND_OR_FLAT,
    COUNTING_DEEP,
    COUNTING_FLAT,
    DISTILLED,
    LOSSES,
    NETWORKS,
)
from rulenet.experiments import average_scores, compare, to_markdown
from rulenet.experiments.markdown import show_comparisons
from rulenet.experiments.statistics import as_table

PAIRS = (
    (AND_OR_DEEP, AND_OR_FLAT),
    (COUNTING_DEEP, COUNTING_FLAT),
    (COUNTING_FLAT, AND_OR_FLAT),
    (COUNTING_DEEP, AND_OR_DEEP),
    (COUNTING_DEEP, DISTILLED),
)
PAIRS_OF_LOSSES = [(LOSSES["logistic"], LOSSES[other]) for other in ("hinge", "errors")]
GENERATED = (
    "{tables} generated tables, each with a concept of its own: {n_train:.0f} rows to learn from, so many of them with "
    "a wrong label, and {n_test:,.0f} test rows without."
)
REAL = "{tables} real tables of two classes, each with at most 1,000 rows, on two of the folds of the part `tables`."


def report_pay(frame: pd.DataFrame) -> list[str]:
    scores = average_scores(frame)
    rows = frame[["n_train", "n_test"]].mean()
    return [
        *_titled("## Does counting, does depth pay?", GENERATED.format(**rows, tables=len(scores))),
        *_titled("### Accuracy on test rows", to_markdown(group_means(frame, "accuracy"))),
        *_titled("### Tables on which no test row is wrong", to_markdown(count_exact(frame))),
        *_titled("### Size", to_markdown(group_means(frame, "size"), 0)),
        *_titled("### Differences, paired by table", compare_pairs(scores)),
        to_markdown(differences_within(scores)),
        "",
        describe_seconds(frame),
        "",
    ]


def report_pay_tables(frame: pd.DataFrame) -> list[str]:
    return [
        *_titled("## Does counting, does depth pay on real tables?", REAL.format(tables=frame["dataset"].nunique())),
        to_markdown(group_means(frame, "accuracy")),
        "",
        *_titled("### Size of networks for real tables", to_markdown(group_means(frame, "size"), 0)),
        *_titled("### Differences, paired by real table", compare_pairs(average_scores(frame))),
        describe_seconds(frame),
        "",
    ]


def group_means(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Groups of tables by kinds of networks; below, the mean over those groups that all finished."""
    means = _by_kind(average_scores(frame.assign(dataset=frame["group"]), column))
    whole = means.dropna()
    return pd.concat([means, whole.mean().rename(f"mean of {len(whole)}").to_frame().T])


def count_exact(frame: pd.DataFrame) -> pd.DataFrame:
    """How many tables of every group have a network that is right on all test rows, and how many there are."""
    scores = average_scores(frame)
    groups = frame.groupby("dataset")["group"].first().reindex(scores.index)
    exact = _by_kind(scores.eq(1).groupby(groups, sort=False).sum())
    exact["of"] = groups.value_counts(sort=False)
    return pd.concat([exact, exact.sum().rename("all").to_frame().T])


def report_losses(frame: pd.DataFrame) -> list[str]:
    """What networks that count reach by every loss of a margin, the mean over tables."""
    means = {measure: average_scores(frame, measure).mean() for measure in ("accuracy", "auc", "log_loss", "size")}
    return [
        *_titled("## Losses of a margin", REAL.format(tables=frame["dataset"].nunique())),
        *_titled("### By every loss, the mean over tables", to_markdown(pd.DataFrame(means).reindex(LOSSES.values()))),
        *_titled("### Losses, paired by table", compare_pairs(average_scores(frame), PAIRS_OF_LOSSES)),
    ]


def compare_pairs(scores: pd.DataFrame, pairs: Sequence[tuple[str, str]] = PAIRS) -> str:
    """The differences over all tables, of those kinds that have two in common: one has no interval."""
    compared = [compare(scores, *pair) for pair in _known_pairs(scores, 2, pairs)]
    return to_markdown(show_comparisons(as_table(compared))) if compared else ""


def differences_within(scores: pd.DataFrame) -> pd.DataFrame:
    """The differences, with their 95% intervals, on concepts of every kind and with every share of wrong labels."""
    names = scores.index.to_series().str.extract(r"(?P<kind>.*), (?P<noise>\d+% wrong)")
    parts = {part: scores[names[by] == part] for by in names for part in names[by].unique()}
    cells = {
        f"{first} − {second}": [_interval(some, first, second) for some in parts.values()]
        for first, second in _known_pairs(scores)
    }
    return pd.DataFrame(cells, index=list(parts))


def _interval(scores: pd.DataFrame, first: str, second: str) -> str:
    """Mean difference and interval; blank where the two share no table, without an interval where it is one."""
    if scores[[first, second]].dropna().empty:
        return ""
    found = compare(scores, first, second)
    interval = "" if np.isnan(found.low) else f" ({found.low:+.4f} to {found.high:+.4f})"
    return f"{found.mean_difference:+.4f}{interval}"


def describe_seconds(frame: pd.DataFrame) -> str:
    seconds = _by_kind(average_scores(frame, "fit_seconds")).mean()
    return f"Seconds to fit, mean: {', '.join(f'{learner} {s:.1f}' for learner, s in seconds.items())}."


def _known_pairs(
    scores: pd.DataFrame, least: int = 1, pairs: Sequence[tuple[str, str]] = PAIRS
) -> list[tuple[str, str]]:
    """Those pairs that have so many tables in common."""
    there = [pair for pair in pairs if set(pair) <= set(scores.columns)]
    return [pair for pair in there if len(scores[list(pair)].dropna()) >= least]


def _by_kind(table: pd.DataFrame) -> pd.DataFrame:
    return table[[learner for learner in NETWORKS if learner in table]]


def _titled(title: str, text: str) -> list[str]:
    return [title, "", text, ""]
