"""From the results of fits to Markdown; every function takes a frame as `read_part` gives it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.accuracy.names import (
    BOOSTING,
    DEEP,
    FLAT,
    HERE,
    LARGER,
    OURS,
    PEERS,
    PER_CLASS,
    RIPPER_PEER,
    in_time_of,
)
from benchmarks.accuracy.pays import report_losses, report_pay, report_pay_tables
from benchmarks.accuracy.real import present, report_tables
from benchmarks.accuracy.sets import UCI, group_of
from rulenet.experiments import failures, read_results, read_sessions

TARGETS = {
    "artificial": 0.990,
    "car-evaluation": 0.997,
    "connect-4": 0.8195,
    "kr-vs-kp": 0.992,
    "mushroom": 1.0,
    "tic-tac-toe": 1.0,
    "vote": 0.950,
    "monk-1": 1.0,
    "monk-3": 0.97,
    "parity 5 of 10": 1.0,
    "parity 6 of 10": 1.0,
    "parity 7 of 10": 1.0,
}
ACCURACY, COUNT, SECONDS = "{:.4f}", "{:.0f}", "{:.2f}"


def read_part(path: Path) -> pd.DataFrame:
    """The results of a part, with the group of every data set and the version of our code behind every fit."""
    results, sessions = read_results(path), read_sessions(path)
    codes = [sessions[i].get("code") for i in results["session"]]
    return results.assign(group=[group_of(name) for name in results["dataset"]], code=codes)


def write_report(parts: Mapping[str, pd.DataFrame]) -> str:
    """The sections of the ``parts`` for which there are results."""
    frames = [frame for frame in parts.values() if len(frame)]
    seeds = [seed for frame in frames for seed in frame.loc[frame["learner"] == OURS, "seed"]]
    n_seeds = len(set(seeds))
    ours = f" Our default runs with {n_seeds} seed{'s' * (n_seeds != 1)}, the peers once, with theirs." if seeds else ""
    lines = ["# Accuracy", "", f"{PROTOCOL}{ours}", "", *_warn(frames)]
    for part, section in SECTIONS.items():
        if part in parts and len(parts[part]):
            lines += [*section(parts[part]), *_list_failures(parts[part])]
    return "\n".join(lines).rstrip() + "\n"


PROTOCOL = (
    "The paper's protocol: two stratified folds (seed 0), accuracy is the mean of the test folds; UCI sets cut to "
    "their last 4000 rows, connect-4 without draws. The monk sets have their own train and test parts; parity uses 512 "
    "of 1024 rows. Nothing is chosen on test rows. Ours takes two threads; seconds include the encoding of the table."
)

CONCEPT = (
    "An OR of three ANDs of three ORs of two conditions; 2% of the labels are wrong, those of the 20,000 test rows too."
)


def _warn(frames: Sequence[pd.DataFrame]) -> list[str]:
    peers = {*PEERS, *HERE.values()}
    n = len({code for frame in frames for code in frame.loc[~frame["learner"].isin(peers), "code"]})
    return [f"**Our fits come from {n} versions of the code; `--fresh-ours` runs them again.**", ""] if n > 1 else []


def _list_failures(frame: pd.DataFrame) -> list[str]:
    lines = [f"- {line}" for line in failures(frame)]
    return ["Not finished:", "", *lines, ""] if lines else []


def report_main(frame: pd.DataFrame) -> list[str]:
    learners = [OURS, *present(frame, PEERS)]
    return [
        *_section("Accuracy on test rows", accuracy_table(frame, learners)),
        *_section("Size", size_table(frame, learners)),
        compare_sizes(frame),
        "",
        *_section("Seconds to fit", _markdown(_means(frame, "fit_seconds", learners), SECONDS)),
    ]


def accuracy_table(frame: pd.DataFrame, learners: Sequence[str]) -> list[str]:
    """Groups of sets by learners; our rank and how much our seeds differ, the target, and means below."""
    groups = _means(frame, "accuracy", learners)
    table = groups.map(ACCURACY.format)
    table["rank"] = groups.rank(axis=1, ascending=False, method="min")[OURS].map(COUNT.format)
    table["sd over seeds"] = deviation_over_seeds(frame).reindex(groups.index).map(ACCURACY.format)
    table["target"] = pd.Series(TARGETS).reindex(groups.index).map(ACCURACY.format)
    if set(UCI) <= set(groups.index):
        table.loc[f"mean of the {len(UCI)} UCI sets"] = groups.loc[list(UCI)].mean().map(ACCURACY.format)
    ranks = mean_ranks(frame, learners)
    table.loc[f"mean rank over {frame['dataset'].nunique()} sets"] = ranks.map(SECONDS.format)
    return _markdown(table.replace("nan", np.nan))


def deviation_over_seeds(frame: pd.DataFrame) -> pd.Series:
    """The standard deviation of our seeds' mean accuracies, for every group; NaN for one seed."""
    ours = frame[frame["learner"] == OURS]
    return ours.groupby(["group", "seed"])["accuracy"].mean().groupby("group").std()


def mean_ranks(frame: pd.DataFrame, learners: Sequence[str]) -> pd.Series:
    """Every learner's mean rank over all sets, 1 the best; equal ones share their ranks."""
    sets = frame.groupby(["dataset", "learner"])["accuracy"].mean().unstack().reindex(columns=learners)
    return sets.rank(axis=1, ascending=False, na_option="bottom").mean()


def size_table(frame: pd.DataFrame, learners: Sequence[str]) -> list[str]:
    """Ours by edges, units and conditions; conditions of RIPPER, leaves of trees."""
    ours = frame[frame["learner"] == OURS].groupby("group", sort=False)[["size", "units", "conditions"]].mean()
    ours.columns = pd.Index([f"{OURS}: edges", "units", "conditions"])
    theirs = _means(frame, "size", learners).drop(columns=OURS).dropna(axis=1, how="all")
    theirs.columns = pd.Index([f"{c}: {'conditions' if c == RIPPER_PEER else 'leaves'}" for c in theirs])
    return _markdown(ours.reindex(frame["group"].unique()).join(theirs), COUNT)


def compare_sizes(frame: pd.DataFrame) -> str:
    if RIPPER_PEER not in set(frame["learner"]):
        return ""
    edges, conditions = (median_ratio(frame, column) for column in ("size", "conditions"))
    return (
        f"Over RIPPER's conditions, median over {frame['dataset'].nunique()} sets: edges {edges:.2f}, "
        f"conditions {conditions:.2f}."
    )


def median_ratio(frame: pd.DataFrame, column: str) -> float:
    """The median over all sets of what ``column`` says of ours, for one condition of RIPPER's."""
    ours = frame[frame["learner"] == OURS].groupby("dataset")[column].mean()
    theirs = frame[frame["learner"] == RIPPER_PEER].groupby("dataset")["conditions"].mean()
    return float((ours / theirs.clip(lower=1)).median())


def report_time(frame: pd.DataFrame) -> list[str]:
    lines = []
    for rival in (RIPPER_PEER, BOOSTING):
        pairs = pair_up(frame, rival)
        if len(pairs):
            groups = pairs.groupby("group", sort=False)[["limit", "seconds", "theirs", "ours"]].mean()
            table = pd.concat(
                [groups[["limit", "seconds"]].map(SECONDS.format), groups.iloc[:, 2:].map(ACCURACY.format)], axis=1
            )
            table.columns = pd.Index(["its seconds", "our seconds", "its accuracy", "our accuracy"])
            lines += _section(f"In the time of {rival}", _markdown(table))
            lines += [describe_wins(pairs), "", describe_overrun(pairs), ""]
    return lines


def pair_up(frame: pd.DataFrame, rival: str) -> pd.DataFrame:
    """A row for every fold and seed: accuracies ``ours`` and ``theirs``, our ``seconds`` and their ``limit``."""
    key = ["group", "dataset", "fold"]
    theirs = frame[frame["learner"] == rival][[*key, "accuracy"]].rename(columns={"accuracy": "theirs"})
    ours = frame[frame["learner"] == in_time_of(rival)][[*key, "accuracy", "own_seconds", "limit"]]
    return ours.rename(columns={"accuracy": "ours", "own_seconds": "seconds"}).merge(theirs, on=key)


def describe_wins(pairs: pd.DataFrame) -> str:
    sets = pairs.groupby("dataset", sort=False)[["ours", "theirs"]].mean()
    difference = (sets["ours"] - sets["theirs"]).round(9)
    worse = difference[difference < 0].sort_values()
    lost = f": {', '.join(f'{name} ({d:+.4f})' for name, d in worse.items())}" if len(worse) else ""
    return (
        f"Over {len(sets)} sets: better on {(difference > 0).sum()}, equal on {(difference == 0).sum()}, "
        f"worse on {len(worse)}{lost}."
    )


def describe_overrun(pairs: pd.DataFrame) -> str:
    over, share = pairs["seconds"] - pairs["limit"], pairs["seconds"] / pairs["limit"] - 1
    return (
        f"Our seconds over the limit: median {share.median():+.0%}, at most {over.max():+.2f} s "
        f"({pairs.loc[over.idxmax(), 'dataset']}) and {share.max():+.0%} ({pairs.loc[share.idxmax(), 'dataset']})."
    )


def report_depth(frame: pd.DataFrame) -> list[str]:
    return ["## Deep against flat", "", compare_depths(frame), ""]


def compare_depths(frame: pd.DataFrame) -> str:
    """The same search over deep and flat networks with equal numbers of weights, paired by data set."""
    means = frame.groupby(["dataset", "learner"])["accuracy"].mean().unstack().reindex(columns=[DEEP, FLAT])
    difference = means[DEEP] - means[FLAT]
    low, high = stats.t.interval(0.95, len(difference) - 1, difference.mean(), stats.sem(difference))
    return (
        f"{len(means)} artificial sets, seeds: {frame['seed'].nunique()}, first gate free, no vote distilled: {DEEP} "
        f"and {FLAT} reach {means[DEEP].mean():.4f} and {means[FLAT].mean():.4f}; the difference is "
        f"{difference.mean():+.4f}, 95% interval {low:+.4f} to {high:+.4f}; deep is better on "
        f"{(difference > 0).sum()}, worse on {(difference < 0).sum()}."
    )


def report_vote(frame: pd.DataFrame) -> list[str]:
    lines = ["## Votes of networks", ""]
    for group, rows in frame.groupby("group", sort=False):
        lines += [f"### {group}", "", *learner_table(rows), ""]
    return lines


def report_classes(frame: pd.DataFrame) -> list[str]:
    both = [name for name, rows in frame.groupby("dataset") if {OURS, PER_CLASS} <= set(rows["learner"])]
    pair = frame[frame["dataset"].isin(both) & frame["learner"].isin((OURS, PER_CLASS))]
    learners = present(frame, (OURS, PER_CLASS, *PEERS))
    return [
        *_section("Several classes", _markdown(_means(frame, "accuracy", learners), ACCURACY)),
        *_section(
            "One network for all classes, or one for each: conditions",
            _markdown(_means(pair, "conditions", (OURS, PER_CLASS)), COUNT),
        ),
    ]


def report_whole(frame: pd.DataFrame) -> list[str]:
    learners = present(frame, (OURS, LARGER, *PEERS))
    return [
        *_section("All rows", ["Sets of more than 4000 rows; the other ones are whole above."]),
        *_markdown(_means(frame, "accuracy", learners), ACCURACY),
        "",
        *_section("All rows: AUC", _markdown(_means(frame, "auc", learners), ACCURACY)),
        *_section("All rows: size", _markdown(_means(frame, "size", learners), COUNT)),
        *_section("All rows: seconds to fit", _markdown(_means(frame, "fit_seconds", learners), SECONDS)),
    ]


def report_large(frame: pd.DataFrame) -> list[str]:
    lines = []
    for group in frame.loc[frame["learner"].isin(PEERS), "group"].unique():
        lines += _section(f"A generated table of {group} and 30 columns", [CONCEPT])
        lines += [*learner_table(frame[frame["group"] == group]), ""]
    return [*lines, *_section("Growth with rows", growth_table(frame)), describe_growth(frame), ""]


def learner_table(frame: pd.DataFrame) -> list[str]:
    means = frame.groupby("learner", sort=False)[["accuracy", "size", "fit_seconds"]].mean()
    table = pd.DataFrame({c: means[c].map(f.format) for c, f in zip(means, (ACCURACY, COUNT, SECONDS), strict=True)})
    titles = {"size": "edges, conditions or leaves", "fit_seconds": "seconds"}
    return _markdown(table.replace("nan", np.nan).rename(columns=titles))


def growth_table(frame: pd.DataFrame) -> list[str]:
    means = _growth(frame)
    table = means[["accuracy"]].map(ACCURACY.format)
    table["edges"] = means["size"].map(COUNT.format)
    table["seconds"] = means["fit_seconds"].map(SECONDS.format)
    table["times the row above"] = (means["fit_seconds"] / means["fit_seconds"].shift()).map(SECONDS.format)
    table["peak MB of the process"] = means["memory"].map(COUNT.format)
    table.index = pd.Index([f"{n:,} rows" for n in table.index])
    return _markdown(table.replace("nan", np.nan))


def describe_growth(frame: pd.DataFrame) -> str:
    slope = growth_slope(frame)
    return f"Slope of the logarithm of the seconds over that of the rows: {slope:.2f} (1 is linear)."


def growth_slope(frame: pd.DataFrame) -> float:
    seconds = _growth(frame)["fit_seconds"].dropna()
    if len(seconds) < 2:
        return np.nan
    return float(np.polyfit(np.log(seconds.index.to_numpy(float)), np.log(seconds), 1)[0])


def _growth(frame: pd.DataFrame) -> pd.DataFrame:
    """Means of ours, by the number of rows."""
    means = frame[frame["learner"] == OURS].groupby("group")[["accuracy", "size", "fit_seconds", "memory"]].mean()
    means.index = means.index.map(lambda group: int(group.split()[0].replace(",", "")))
    return means.sort_index()


def _means(frame: pd.DataFrame, column: str, learners: Sequence[str]) -> pd.DataFrame:
    """Groups, in their order of appearance, by learners."""
    means = frame.groupby(["group", "learner"])[column].mean().unstack()
    return means.reindex(index=frame["group"].unique(), columns=learners)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *lines, ""]


def _markdown(table: pd.DataFrame, form: str = "{}") -> list[str]:
    lines = ["| | " + " | ".join(map(str, table.columns)) + " |", "|---" * (table.shape[1] + 1) + "|"]
    for name, *row in table.itertuples(name=None):
        lines.append(f"| {name} | " + " | ".join("" if pd.isna(x) else form.format(x) for x in row) + " |")
    return lines


SECTIONS: dict[str, Callable[[pd.DataFrame], list[str]]] = {
    "tables": report_tables,
    "main": report_main,
    "all-rows": report_whole,
    "time": report_time,
    "large": report_large,
    "classes": report_classes,
    "classes-tables": report_classes,
    "depth": report_depth,
    "vote": report_vote,
    "pay": report_pay,
    "pay-tables": report_pay_tables,
    "losses": report_losses,
}
