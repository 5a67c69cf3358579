"""UCI data sets, read from a local folder, a cache, or OpenML."""

import gzip
import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import pandas as pd

from rulenet.datasets.factorial import as_nominal
from rulenet.exceptions import DataUnavailableError, ParameterError, TableError
from rulenet.later import Later

public = Later("sklearn.datasets")

ORDINAL = {("breast-cancer", "deg-malig")}


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a data set: enough to find it and to tell whether it is the right one."""

    name: str
    openml_id: int
    n_attributes: int
    class_counts: dict[str, int]
    sha256: str

    @property
    def n_rows(self) -> int:
        """How many rows the data set has."""
        return sum(self.class_counts.values())


def load_uci(name: str, data_home: str | os.PathLike[str] | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """A UCI data set of nominal attributes.

    Looked for in ``data_home`` (or the folder that the environment variable RULENET_DATA names), then in the cache
    (``rulenet`` in XDG_CACHE_HOME or ~/.cache), then at OpenML, through scikit-learn, which fills the cache. Files are
    ``NAME.csv`` or ``NAME.csv.gz`` with a header, the class in the last column and empty fields for missing values.
    What is read must have the known sha256, or at least the known numbers of rows, attributes and rows of every class.

    Parameters
    ----------
    name : str
        car-evaluation, connect-4, kr-vs-kp, mushroom, tic-tac-toe, vote, monk-1, monk-2, monk-3, splice, nursery or
        breast-cancer.
    data_home : path, optional
        A folder that holds the file, itself or in a folder ``uci``.

    Returns
    -------
    X, y : DataFrame of categorical columns, missing values as NaN, Series of strings named "class"
        Columns that came from OpenML have OpenML's names and values.
    """
    entry = _entry(name)
    path = next((path for path in _places(entry, data_home) if path.is_file()), None)
    return _split(_read(path, entry) if path else _fetch(entry), name)


def cache_folder() -> Path:
    """Where fetched data sets are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rulenet"


@cache
def catalogue() -> dict[str, Entry]:
    """The data sets that ``load_uci`` knows, by name.

    >>> catalogue()["vote"].class_counts
    {'democrat': 267, 'republican': 168}
    """
    text = (files("rulenet.datasets") / "catalogue.csv").read_text(encoding="utf-8")
    table = pd.read_csv(io.StringIO(text))
    return {
        name: Entry(name, openml_id, n_attributes, _counts(classes), sha256)
        for name, openml_id, n_attributes, classes, sha256 in table.itertuples(index=False, name=None)
    }


def _counts(classes: str) -> dict[str, int]:
    pairs = (pair.rsplit(":", 1) for pair in classes.split())
    return {label: int(count) for label, count in pairs}


def _entry(name: str) -> Entry:
    if name not in catalogue():
        raise ParameterError(f"{name!r} is not one of the known data sets: {', '.join(catalogue())}")
    return catalogue()[name]


def _places(entry: Entry, data_home: str | os.PathLike[str] | None) -> Iterator[Path]:
    home = data_home or os.environ.get("RULENET_DATA")
    for folder in (*((Path(home), Path(home) / "uci") if home else ()), cache_folder()):
        yield folder / f"{entry.name}.csv"
        yield folder / f"{entry.name}.csv.gz"


def _read(path: Path, entry: Entry) -> pd.DataFrame:
    table = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    if _sha256(path) != entry.sha256:
        _check(table, entry, str(path))
    return table


def _sha256(path: Path) -> str:
    """The hash of the file's text, unpacked."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _check(table: pd.DataFrame, entry: Entry, source: str) -> None:
    counts = table.iloc[:, -1].value_counts().to_dict()
    if (table.shape[1] - 1, counts) != (entry.n_attributes, entry.class_counts):
        raise TableError(
            f"{source} is not {entry.name}: found {table.shape[1] - 1} attributes and the classes {counts}, "
            f"expected {entry.n_attributes} attributes and the classes {entry.class_counts}"
        )


def _fetch(entry: Entry) -> pd.DataFrame:
    try:
        bunch = public.fetch_openml(data_id=entry.openml_id, as_frame=True, parser="auto", n_retries=1)
    except OSError as error:
        raise DataUnavailableError(
            f"{entry.name} is neither in data_home nor in {cache_folder()}, and OpenML cannot be reached ({error}); "
            f"put {entry.name}.csv in a folder and name it in data_home or in the environment variable RULENET_DATA"
        ) from error
    attributes = bunch.data.iloc[:, -entry.n_attributes :]
    table = attributes.astype(object).where(attributes.notna()).assign(**{"class": _labels(bunch.target, entry)})
    _check(table, entry, f"OpenML's data set {entry.openml_id}")
    return _read(_keep(table, cache_folder() / f"{entry.name}.csv"), entry)


def _keep(table: pd.DataFrame, path: Path) -> Path:
    """Write ``table`` to ``path``, which is never seen half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    table.to_csv(partial, index=False)
    return partial.replace(path)


def _labels(target: pd.Series, entry: Entry) -> pd.Series:
    """``target`` as strings, with the known labels where only the names of the classes differ."""
    labels = target.astype(str).str.strip("'\" ")
    found = labels.value_counts().to_dict()
    if set(found) != set(entry.class_counts) and sorted(found.values()) == sorted(set(entry.class_counts.values())):
        by_count = {count: label for label, count in entry.class_counts.items()}
        labels = labels.map({label: by_count[count] for label, count in found.items()})
    return labels


def _split(table: pd.DataFrame, name: str) -> tuple[pd.DataFrame, pd.Series]:
    X = as_nominal(table.iloc[:, :-1])
    for column in X.columns:
        if (name, column) in ORDINAL:
            X[column] = X[column].cat.as_ordered()
    return X, table.iloc[:, -1].rename("class")
