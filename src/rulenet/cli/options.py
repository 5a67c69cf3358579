"""Arguments and options that several commands share, and what becomes of them.

What is heavy is imported where it is used: a command that shows its help should not wait for it.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from rulenet.cli.errors import plain_errors
from rulenet.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.estimator import RuleNetworkClassifier
    from rulenet.loaded import Loaded
    from rulenet.readable import Readable


def existing(context: typer.Context, path: str | None) -> str | None:
    """The path of a file that is there, or "-": nobody waits for heavy imports to hear that a file is missing."""
    if path is not None and path != "-" and not context.resilient_parsing:
        with plain_errors():
            os.stat(path)
    return path


AnyModel = TypeVar("AnyModel", bound="Readable")
FORMATS = "CSV or other delimited text, Parquet, Feather, Excel or JSON lines, also packed;"
Data = Annotated[str, typer.Argument(metavar="DATA", help=f"{FORMATS} - reads from a pipe.", callback=existing)]
LargeData = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help=f"{FORMATS} a folder of Parquet files; - reads from a pipe.", callback=existing
    ),
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file that `rulenet fit` wrote.", callback=existing)
]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Targets = Annotated[
    list[str],
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict; repeated, several by one network."),
]
Chosen = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="Of several columns that are predicted, only these."),
]
Choose = Annotated[
    int | None,
    typer.Option(metavar="ROW", help="Another row of the networks found, as `rulenet show MODEL --all` counts them."),
]
Abstain = Annotated[
    bool,
    typer.Option(
        "--abstain", metavar="", help="No answer where several of more than two classes reach their need, or none does."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="No progress, no summary.")]

SEARCHES = ("auto", "anneal", "count", "deep-count", "greedy")

READING, TYPES, LEARNING = "Reading the file", "Types of columns", "Learning"


@dataclass(frozen=True)
class Files:
    """How files are read."""

    sep: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="The delimiter of fields; else found out.", rich_help_panel=READING),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The encoding of text, for example latin-1; else found out.", rich_help_panel=READING
        ),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(metavar="MARK", help="The decimal mark, . or a comma; else found out.", rich_help_panel=READING),
    ] = None
    na: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What stands for a missing value, instead of the usual: nothing, ?, NA, N/A, NaN, null, None and "
            "their kin; may be repeated.",
            rich_help_panel=READING,
        ),
    ] = None
    max_bytes: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="The most that a file may hold when it is unpacked.", rich_help_panel=READING
        ),
    ] = "2G"

    def read(self, path: str) -> "pd.DataFrame":
        """The table in a file, or on standard input for "-"."""
        from rulenet.cli import files, tables

        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"--decimal is {self.decimal!r}, but must be a point or a comma")
        if self.sep is not None and self.sep != r"\t" and len(self.sep) != 1:
            raise ParameterError(f"--sep is {self.sep!r}, but must be one character, or \\t")
        na = None if self.na is None else tuple(self.na)
        how = tables.Reading(self.sep, self.encoding, self.decimal, na, files.size_of(self.max_bytes))
        return tables.read(path, how)


@dataclass(frozen=True)
class Types:
    """What columns are."""

    nominal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns whose numbers are only names, with commas or repeated; all for all.",
            rich_help_panel=TYPES,
        ),
    ] = None
    ordinal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUES",
            help="A column with the order of its values, for example size=S,M,L.",
            rich_help_panel=TYPES,
        ),
    ] = None
    cuts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=CUTS",
            help="A column with the only cuts to use, for example age=18,30,65.",
            rich_help_panel=TYPES,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Columns to leave out, with commas or repeated.", rich_help_panel=TYPES),
    ] = None
    max_values: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="The most values that a column of names may have.", rich_help_panel=TYPES
        ),
    ] = None

    def without_dropped(self, table: "pd.DataFrame", path: str, targets: Sequence[str] = ()) -> "pd.DataFrame":
        """The table without the columns to leave out."""
        return table.drop(columns=self.dropped(table.columns, path, targets))

    def dropped(self, columns: Iterable[Any], path: str, targets: Sequence[str] = ()) -> list[str]:
        """The columns to leave out."""
        dropped = columns_in(self.drop, columns, path)
        for target in targets:
            if target in dropped:
                raise ParameterError(f"--drop names {target!r}, the column to predict")
        return dropped

    def parameters(self, columns: Sequence[Any], path: str) -> dict[str, Any]:
        """What the classifier is told about the columns; only what was given."""
        nominal: Any = "all" if self.nominal == ["all"] else columns_in(self.nominal, columns, path)
        found = {
            "nominal": nominal,
            "ordinal": {name: list(values) for name, values in _assigned("--ordinal", self.ordinal, columns, path)},
            "cuts": {
                name: [_number(v) for v in values] for name, values in _assigned("--cuts", self.cuts, columns, path)
            },
            "max_values": self.max_values,
        }
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True)
class Learning:
    """How to learn."""

    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class that the rules describe; all others are the rest.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="What rules may not ask: columns, with commas or repeated, a condition such as 'age <= 30', or !=.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    class_weight: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help="balanced, or what a row of a class counts, as in yes=5,no=1.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    max_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="The largest size of the rules: conditions and what joins them.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    layers: Annotated[
        str | None,
        typer.Option(metavar="SIZES", help="Units of the hidden layers, for example 32,8,2.", rich_help_panel=LEARNING),
    ] = None
    search: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"How to search: {', '.join(SEARCHES)}.", rich_help_panel=LEARNING),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            "--max-time",
            min=0.0,
            metavar="SECONDS",
            help="A limit on the time of a search; else it takes what it needs.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Seed of the random numbers; the same seed gives the same rules.",
            rich_help_panel=LEARNING,
        ),
    ] = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "--threads", "-j", metavar="N", help="Threads; -1 for all cores.", rich_help_panel=LEARNING
        ),
    ] = None

    def classifier(
        self, types: Types, columns: Sequence[Any], labels: Iterable[str], path: str, **more: Any
    ) -> "RuleNetworkClassifier":
        """The estimator that the options describe, for a table with these columns and labels."""
        from rulenet import RuleNetworkClassifier

        given = {
            "forbid": self._forbidden(columns, path),
            "class_weight": _weights(self.class_weight, labels),
            "max_size": self.max_size,
            "hidden_layer_sizes": None if self.layers is None else _sizes(self.layers),
            "search": self._search(),
        }
        options = {name: value for name, value in given.items() if value}
        options |= types.parameters(columns, path) | more
        return RuleNetworkClassifier(random_state=self.seed, n_jobs=self.jobs, **options)

    def _forbidden(self, columns: Sequence[Any], path: str) -> list[str]:
        known = set(map(str, columns))
        conditions = [text for text in self.forbid or () if text not in known and any(mark in text for mark in "=<> ")]
        names = [text for text in self.forbid or () if text not in conditions]
        return conditions + columns_in(names, columns, path)

    def _search(self) -> Any:
        if self.search not in (None, *SEARCHES):
            raise ParameterError(f"--search is {self.search!r}, but must be one of {', '.join(SEARCHES)}")
        if self.seconds is None:
            return self.search
        if self.search == "greedy":
            raise ParameterError("--seconds limits the other searches, but --search is greedy, which ends by itself")
        from rulenet import Anneal, Auto, Count, DeepCount

        searches = {"auto": Auto, "anneal": Anneal, "count": Count, "deep-count": DeepCount}
        return searches[self.search or "auto"](max_time=self.seconds)


def load(path: str, abstain: bool = False) -> "RuleNetworkClassifier":
    """The model in a file, which may be asked to ``abstain``."""
    from rulenet import RuleNetworkClassifier

    loaded = RuleNetworkClassifier.load(path)
    return loaded.set_params(on_conflict="abstain") if abstain else loaded


def load_to_read(path: str, abstain: bool = False) -> "Loaded":
    """The model in a file, only to be read: without what it takes to fit one."""
    from rulenet.loaded import Loaded

    loaded = Loaded.load(path)
    return Loaded(loaded.fitted_, "abstain") if abstain else loaded


def labels_of(
    files: Files, types: Types, learning: Learning, path: str, targets: Sequence[str]
) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """The columns to learn from, and several columns to predict; 0 and 1, or False and True, say whether."""
    import pandas as pd

    from rulenet.cli import tables
    from rulenet.cli.classes import check_classes, indicated

    if learning.positive is not None:
        raise ParameterError(f"--positive is {learning.positive!r}, a class of one column, but --target names several")
    if learning.class_weight not in (None, "balanced"):
        raise ParameterError(f"--class-weight is {learning.class_weight!r}, but for several columns it is balanced")
    X, columns = tables.split_all(types.without_dropped(files.read(path), path, targets), targets, path)
    for name in targets:
        check_classes(columns[name].value_counts().rename(name), None, path)
    return X, pd.DataFrame({name: indicated(columns[name]) for name in targets})


def of_targets(model: "Readable", targets: Sequence[str] | None) -> "list[str]":
    """The columns that a model predicts, or those of them that are asked for."""
    from rulenet.fitted_targets import FittedTargets

    fitted = model.fitted_
    if not isinstance(fitted, FittedTargets):
        if targets:
            raise ParameterError(f"--target is {targets[0]!r}, but the model predicts one column only")
        return []
    return [fitted.columns[fitted.place(name)] for name in targets] if targets else fitted.columns


def choose(model: AnyModel, row: int | None) -> AnyModel:
    """The model, with another of the networks that its search found where ``row`` is given."""
    n_found = len(model.fitted_.alternatives)
    if row is not None and not -n_found <= row < n_found:
        known = f"the rows are 0 to {n_found - 1}" if n_found else "this search found one network only"
        raise ParameterError(f"--choose is {row}, but {known}")
    return model if row is None else model.choose(row)


def rows_for(model: "RuleNetworkClassifier", table: "pd.DataFrame", path: str) -> "pd.DataFrame":
    """The columns that a model knows, in its order; those that it does not read need not be there."""
    check_read(model, table.columns, path)
    return table.reindex(columns=[attribute.name for attribute in model.encoding_.attributes])


def check_read(model: "RuleNetworkClassifier", columns: Iterable[Any], path: str) -> None:
    """Refuse a table without a column that the model reads."""
    from rulenet.cli.tables import check_columns

    read = dict.fromkeys(str(condition.attribute.name) for condition in model.formula_.conditions)
    check_columns(read, columns, path, ", but the model reads it")


def columns_in(given: Iterable[str] | None, columns: Iterable[Any], path: str) -> list[str]:
    """The columns that options name, separated by commas unless a column is called so."""
    from rulenet.cli.tables import check_columns

    known = [str(name) for name in columns]
    names = [name for text in given or () for name in ([text] if text in known else text.split(","))]
    check_columns(names, known, path)
    return names


def on_terminal() -> bool:
    """Whether a person is watching standard error."""
    return sys.stderr.isatty()


def _assigned(
    option: str, given: Iterable[str] | None, columns: Iterable[Any], path: str
) -> Iterable[tuple[str, list[str]]]:
    for text in given or ():
        name, equals, values = text.rpartition("=")
        if not equals:
            raise ParameterError(f"{option} is {text!r}, but must be a column and its values, such as size=S,M,L")
        yield columns_in([name], columns, path)[0], values.split(",")


def _number(text: str) -> float | str:
    """A number, or the text of what may be a date.

    >>> _number("18"), _number("2024-03-01")
    (18.0, '2024-03-01')
    """
    try:
        return float(text)
    except ValueError:
        return text


def _weights(text: str | None, labels: Iterable[str]) -> dict[str, float] | str | None:
    if text is None or text == "balanced":
        return text
    try:
        pairs = [part.rpartition("=") for part in text.split(",")]
        weights = {label: float(weight) for label, _, weight in pairs}
    except ValueError:
        raise ParameterError(f"--class-weight is {text!r}, but must be balanced, or such as yes=5,no=1") from None
    known = sorted(set(labels))
    for label in weights:
        if label not in known:
            raise ParameterError(f"--class-weight names the class {label!r}, but the classes are {', '.join(known)}")
    return weights


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise ParameterError(f"--layers is {text!r}, but must be integers with commas, such as 32,8,2") from error
