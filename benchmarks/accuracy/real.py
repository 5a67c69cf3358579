"""Real tables, next to what peers reach there; frames are those of `read_part`."""

from collections.abc import Iterator, Sequence

import pandas as pd

from benchmarks.accuracy import tables
from benchmarks.accuracy.names import HERE, OURS
from rulenet.experiments import average_scores, compare, to_markdown
from rulenet.experiments.markdown import show_comparisons
from rulenet.experiments.statistics import as_table

PROTOCOL = (
    "Five stratified folds (seed 0), two where a table has more than 5,000 rows. Ours sees the table as it is read, "
    "and is told which columns are nominal; {seeds}, two threads. Peers' figures come from a file of what they reach "
    "on the same folds, but for those marked *here*. A learner that lacks a fold has no figure there."
)
SHOWN_PEERS = ("CART", "CART-tuned", "J48", "JRip", "LR", "EBM-main", "HGB", "RF")
FIGURES = ("accuracy", "balanced_accuracy", "auc", "log_loss", "size", "conditions", "fit_seconds")
TREE = "CART-tuned"
# What a figure is called, of which learners it is shown, and how.
SHARE, COUNT = "{:.3f}", "{:.0f}"
SHOWN = (
    ("accuracy", "", (OURS, *HERE.values(), *SHOWN_PEERS), SHARE),
    ("auc", "AUC", (OURS, *HERE.values()), SHARE),
    ("conditions", "conditions", (OURS,), COUNT),
    ("size", "leaves", (TREE,), COUNT),
)


def report_tables(frame: pd.DataFrame) -> list[str]:
    known = tables.read_baselines()
    every = pd.concat([frame, known[known["dataset"].isin(frame["dataset"])]], ignore_index=True)
    ours = frame[frame["learner"] == OURS]
    slowest, n_seeds = ours.groupby("dataset")["fit_seconds"].max(), ours["seed"].nunique()
    sections = {
        "Real tables": PROTOCOL.format(seeds=f"{n_seeds} seed{'s' * (n_seeds != 1)}"),
        "Real tables, one by one": to_markdown(by_table(every)),
        "Means over real tables": to_markdown(mean_figures(every)),
        "Ours minus each, fold by fold, then by table": to_markdown(differences(frame, every)),
    }
    lines = [line for title, text in sections.items() for line in (f"## {title}", "", text, "")]
    return [*lines, f"Slowest fit of ours: {slowest.max():.1f} s ({slowest.idxmax()}).", ""]


def by_table(every: pd.DataFrame) -> pd.DataFrame:
    """A row a table, those of two classes first, and below each kind the means and our median."""
    figures = pd.DataFrame(dict(_figures(every)))
    forms = {title: form for _, what, learners, form in SHOWN for title in (_title(x, what) for x in learners)}
    several = [name for name in figures.index if tables.class_counts().get(name, 2) > 2]
    two = [name for name in figures.index if name not in several]
    rows = list[pd.Series]()
    for kind, names in (("of two classes", two), ("of more", several), ("of all", [*two, *several])):
        group = figures.loc[names]
        if kind != "of all":
            rows += [group.loc[name].rename(_named(name)) for name in names]
        rows += [group.mean(skipna=False).rename(f"mean {kind}"), group.median(skipna=False).rename(f"median {kind}")]
    shown = pd.DataFrame(rows)
    return shown.apply(lambda column: [_cell(x, forms[str(column.name)]) for x in column]).rename_axis(index="table")


def _figures(every: pd.DataFrame) -> Iterator[tuple[str, "pd.Series[float]"]]:
    """The columns of figures, by their titles; a row a table."""
    for name, what, learners, _ in SHOWN:
        if name in every:
            scores = average_scores(every, name)
            yield from ((_title(learner, what), scores[learner]) for learner in present(every, learners))


def _title(learner: str, what: str) -> str:
    return f"{learner}: {what}" if what else learner


def _named(table: str) -> str:
    """A table, with the number of its classes where these are more than two."""
    n_classes = tables.class_counts().get(table, 2)
    return table if n_classes == 2 else f"{table} ({n_classes})"


def _cell(value: float, form: str) -> str:
    return "" if pd.isna(value) else form.format(value).removeprefix("0" if form == SHARE else "")


def present(frame: pd.DataFrame, learners: Sequence[str]) -> list[str]:
    """Those of the learners that there are results of."""
    there = set(frame["learner"])
    return [name for name in learners if name in there]


def mean_figures(every: pd.DataFrame) -> pd.DataFrame:
    """A row a learner: means of tables' means, over those tables that it finished, and their number."""
    columns = [name for name in FIGURES if name in every]
    rows = {name: average_scores(every, name).mean() for name in columns}
    table = pd.DataFrame(rows).reindex(every["learner"].unique())
    table.insert(0, "tables", average_scores(every).notna().sum().reindex(table.index).map(COUNT.format))
    form = {"size": "{:.1f}", "conditions": "{:.1f}", "fit_seconds": "{:.2f}"}
    for name in form.keys() & set(columns):
        table[name] = [form[name].format(x) if x == x else "" for x in table[name]]
    return table.rename_axis(index="learner").rename(columns={"fit_seconds": "seconds"})


def differences(frame: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Ours compared with every other learner, over the tables and folds that both finished."""
    ours = frame[frame["learner"] == OURS][["dataset", "fold", "accuracy"]].dropna()
    rows = []
    for learner in every["learner"].unique():
        if learner != OURS:
            theirs = every[every["learner"] == learner][["dataset", "fold", "accuracy"]].dropna()
            pairs = ours.merge(theirs, on=["dataset", "fold"], suffixes=("", "_theirs"))
            means = pairs.groupby("dataset")[["accuracy", "accuracy_theirs"]].mean().set_axis([OURS, learner], axis=1)
            if len(means) > 1:
                rows.append(compare(means, OURS, learner))
    return show_comparisons(as_table(rows)) if rows else pd.DataFrame()
