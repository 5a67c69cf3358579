"""Labels and row weights as the user gives them, checked."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d

from rulenet.encoding.tables import Table, read_table
from rulenet.exceptions import ParameterError, TableError, TableTypeError

FINE = ("ns", "ps", "fs", "as")  # units of dates that Python does not know
ClassWeight = dict[Any, float] | str | None


@dataclass(frozen=True)
class Rows:
    """A table with a class code for every row, and weights if any were given; rows of weight zero are gone.

    ``weights`` are what the search counts, class weights included; ``mass`` is what the user said of single rows, and
    what probabilities are counted by, so that they stay on the scale of the data. ``alike`` is whether all classes
    weigh the same.
    """

    table: Any
    classes: NDArray[Any]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    mass: NDArray[np.float64] | None = None
    alike: bool = True

    @classmethod
    def of(
        cls,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        class_weight: ClassWeight,
        known: NDArray[Any] | None = None,
    ) -> Self:
        """The rows of a table with labels ``y``, which must be among the ``known`` classes where there are such."""
        labels = check_labels(X, y)
        weights, mass = weigh(labels, sample_weight, class_weight), weigh(labels, sample_weight, None)
        alike = class_weight is None or weigh_alike(class_weight, Counter(labels.tolist()))
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            labels, weights, mass = labels[kept], weights[kept], _taken(mass, kept)
            X = take_rows(X, kept)
        if known is not None:
            check_known(labels, known)
            return cls(X, known, codes_of(labels, known), weights, mass, alike)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) == 0:
            raise TableError("Found array with 0 sample(s), but rows are needed to learn from")
        if len(classes) == 1:
            raise TableError(f"y holds one class only, {classes.item()!r}, but two are needed to learn a difference")
        return cls(X, classes, codes.astype(np.int64), weights, mass, alike)


def take_rows(table: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a table."""
    return table.take(rows) if isinstance(table, Table) else _safe_indexing(table, rows)


def codes_of(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The place of every label among the classes, -1 where it is none of them; True is 1, as Python has it.

    >>> codes_of(np.array([True, False]), np.array([0, 1])), codes_of(np.array([1, 2]), np.array([1.0, 3.0]))
    (array([1, 0]), array([ 0, -1]))
    """
    codes, different = pd.factorize(labels)
    # As objects: an index of numbers knows no truth values.
    places = pd.Index(classes, dtype=object).get_indexer(pd.Index(different, dtype=object))
    return np.asarray(places[codes], np.int64)


def check_known(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuse labels of other classes than those that are known."""
    new = [label for label in np.unique(labels).tolist() if label not in classes.tolist()]
    if new:
        known = ", ".join(map(repr, classes.tolist()))
        raise TableError(
            f"y holds the class {new[0]!r}, but the classifier knows {known}: new classes cannot be learned on, "
            "fit a new classifier to all rows"
        )


def several_targets(X: Any, y: Any) -> dict[str, NDArray[Any]] | None:
    """The columns of labels by name, where ``y`` has more than one; else None.

    >>> several_targets([[1], [2]], [[0, "a"], [1, "b"]])
    {'y0': array([0, 1]), 'y1': array(['a', 'b'], dtype=object)}
    """
    if sparse.issparse(y):
        y = y.toarray()
    if isinstance(y, list | tuple):
        if not y or isinstance(y[0], str | bytes) or np.ndim(y[0]) != 1:
            return None
    elif len(getattr(y, "shape", ())) != 2:
        return None
    table = read_table(pd.DataFrame(list(y)) if isinstance(y, list | tuple) else y)
    if table.n_columns < 2:
        return None
    names = [f"y{k}" for k in range(table.n_columns)] if table.labels is None else list(table.names)
    columns = {name: as_labels(table.column(k)) for k, name in enumerate(names)}
    for name, labels in columns.items():
        try:
            columns[name] = check_labels(X, labels)
        except ValueError as error:
            raise TableError(f"column {name!r} of y: {error}") from error
    return columns


def labels_of(X: Any, y: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """The labels of rows to judge a classifier by; some may be new, but not all of them."""
    labels, known = check_labels(X, y), classes.tolist()
    found = dict.fromkeys(labels.tolist())
    if found and not any(label in known for label in found):
        raise TableError(
            f"y has no label that the classifier knows: it holds {next(iter(found))!r}, but the classes are {known}"
        )
    return labels


def targets_of(X: Any, y: Any, classes: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The labels of all targets by name, of rows to judge a classifier by that knows the ``classes`` of each."""
    columns = list(classes)
    found = several_targets(X, y) or {}
    if len(found) != len(columns):
        raise ParameterError(f"y must have the {len(columns)} columns {columns}")
    if set(found) == set(columns) and list(found) != columns:
        raise TableError(f"the columns of y must be in the same order as they were in fit: {', '.join(columns)}")
    pairs = zip(columns, found.values(), strict=True)
    return {column: labels_of(X, labels, classes[column]) for column, labels in pairs}


def is_indicator(classes: NDArray[Any]) -> bool:
    """Whether labels are False and True, or 0 and 1: then the second is described, and the column names it.

    >>> is_indicator(np.array([0, 1])), is_indicator(np.array([False])), is_indicator(np.array(["no", "yes"]))
    (True, True, False)
    """
    return classes.dtype.kind in "biuf" and set(classes.tolist()) <= {0, 1}


def constant_indicator(labels: NDArray[Any]) -> tuple[NDArray[Any], bool] | None:
    """The two classes of an indicator that is the same in all rows, and whether it is on; else None."""
    found = np.unique(labels)
    if len(found) > 1 or not is_indicator(found):
        return None
    return np.array([0, 1], dtype=labels.dtype), bool(found[0])


def describe(column: str, classes: NDArray[Any], outputs: Sequence[int], taken: Sequence[str] = ()) -> str:
    """What the outputs of a column describe, by a name that is not ``taken``."""
    plain = column if len(outputs) > 1 or is_indicator(classes) else f"{column} = {classes[outputs[0]]}"
    return plain if plain not in taken else f"{plain} (predicted)"


def one_class_weight(given: Any) -> ClassWeight:
    """The class weight of a single column."""
    if isinstance(given, list | tuple | np.ndarray):
        raise ParameterError(f"class_weight has {len(given)} dicts, but y has one column; give one dict")
    return given  # type: ignore[no-any-return]


def class_weights_of(given: Any, columns: Sequence[str]) -> dict[str, ClassWeight]:
    """The class weight of every column."""
    if isinstance(given, dict):
        raise ParameterError(f"class_weight is one dict, but y has {len(columns)} columns; give a list of dicts")
    if given is None or isinstance(given, str):
        return dict.fromkeys(columns, given)
    if len(given) != len(columns):
        raise ParameterError(f"class_weight has {len(given)} dicts, but y has {len(columns)} columns")
    return dict(zip(columns, given, strict=True))


def as_labels(y: Any) -> NDArray[Any]:
    """Labels as an array of their own type, dates and durations in microseconds, of which Python knows what they are.

    >>> as_labels(["no", float("nan")]), as_labels([True, False])
    (array(['no', nan], dtype=object), array([ True, False]))
    """
    labels = np.asarray(y)
    if labels.dtype.kind == "U" and isinstance(y, list | tuple) and not all(isinstance(label, str) for label in y):
        labels = np.fromiter(y, object, len(y))  # of which NumPy made text
    if labels.dtype.kind in "mM" and np.datetime_data(labels.dtype)[0] in FINE:
        return labels.astype(f"{labels.dtype.kind}8[us]")
    if labels.dtype.kind == "T":
        labels = labels.astype(object)
    plain = labels.dtype != object or labels.ndim != 1
    return labels if plain else np.asarray(pd.Series(labels).infer_objects())


def as_one_column(y: Any) -> NDArray[Any]:
    """Labels of one dimension: a single column is taken for it, with a warning, and all else is refused."""
    labels = as_labels(y)
    return labels if labels.ndim == 1 else as_labels(column_or_1d(y, warn=True))


def check_text(labels: NDArray[Any]) -> None:
    """Refuse text among other labels."""
    texts = [label for label in labels.tolist() if isinstance(label, str)] if labels.dtype == object else []
    if texts and len(texts) < len(labels):
        odd = next(label for label in labels.tolist() if not isinstance(label, str))
        raise TableTypeError(
            f"y holds {texts[0]!r} and {odd!r}, but labels must be all text or all something else: make text of "
            "all, or numbers"
        )


def check_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    """The labels as an array, one for every row of ``X``."""
    if y is None:
        raise TableError("requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise TableError("y has masked labels, but every row needs one")
    labels = as_one_column(y)
    check_consistent_length(X, labels)
    if labels.dtype.kind in "biuU":  # nothing can be missing or continuous
        return labels
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise TableError(f"y has a missing label (NaN) in row {missing.argmax()}, but every row needs one")
    check_text(labels)
    try:
        with np.errstate(invalid="ignore"):
            check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        raise (TableTypeError if isinstance(error, TypeError) else TableError)(str(error)) from error
    return labels


def warn_of_other_order(X: Any, **columns: Any) -> None:
    """Warn where ``y`` or ``sample_weight`` has the index of ``X`` in another order: rows go by their position."""
    for name, column in columns.items():
        if is_other_order(X, column):
            warnings.warn(
                f"X and {name} have the same index in another order, but rows are matched by their position: write "
                f"{name}.loc[X.index] if the index counts, else {name}.to_numpy()",
                stacklevel=3,
            )


def is_other_order(X: Any, column: Any) -> bool:
    """Whether a column has the index of a table in another order."""
    if not isinstance(X, pd.DataFrame) or not isinstance(column, pd.Series | pd.DataFrame):
        return False
    if len(column) != len(X) or column.index.equals(X.index):
        return False
    return column.index.nlevels == X.index.nlevels and set(column.index) == set(X.index)


def weigh(
    labels: NDArray[Any], sample_weight: ArrayLike | None, class_weight: ClassWeight
) -> NDArray[np.float64] | None:
    """The weight of every row, None where all are one."""
    if sample_weight is None and class_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        raise ParameterError("sample_weight has masked entries, but every row needs a weight")
    weights = _check_sample_weight(sample_weight, labels, dtype=np.float64)
    if not weights.any():
        raise ParameterError("sample_weight is zero for every row, but some row must count")
    return np.asarray(weights * compute_sample_weight(class_weight, labels))


def weigh_alike(class_weight: ClassWeight, n_rows: Mapping[Any, int]) -> bool:
    """Whether all classes, of so many rows each, weigh the same; a class that weighs nothing is none.

    >>> rare = {"no": 90, "yes": 10}
    >>> weigh_alike("balanced", rare), weigh_alike({"no": 2, "yes": 2}, rare), weigh_alike({"yes": 2}, rare)
    (False, True, False)
    """
    if class_weight is None:
        return True
    if not isinstance(class_weight, Mapping):
        return len(set(n_rows.values())) == 1
    return len({class_weight.get(label, 1.0) for label in n_rows} - {0}) <= 1


def _taken(weights: NDArray[np.float64] | None, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]
