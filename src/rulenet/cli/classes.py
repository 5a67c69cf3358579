"""The classes of a target column: all of them, or one that the user names and the rest."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.exceptions import TableError
from rulenet.nearest import nearest

MANY = 100


@dataclass(frozen=True)
class Classes:
    """The label of every row; ``positive`` is the class to describe where the user named one."""

    labels: NDArray[np.str_]
    positive: str | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """What the classifier is told of them."""
        return {} if self.positive is None else {"positive_class": self.positive}


def classes_of(column: "pd.Series[str]", positive: str | None, path: str) -> Classes:
    """The classes of the column, or one of them and the rest."""
    counts = column.value_counts().rename(str(column.name))
    check_classes(counts, positive, path)
    return Classes(relabel(column, counts, positive), positive)


def check_classes(counts: "pd.Series[int]", positive: str | None, path: str) -> None:
    """Refuse what are no classes, given how many rows each has."""
    found, n_rows = sorted(counts.index), int(counts.sum())
    if positive is not None and positive not in found:
        near = nearest(positive, found)
        hint = f"it has {', '.join(found[:10])}" if near is None else f"did you mean {near!r}?"
        raise TableError(f"{path}: column {counts.name!r} has no class {positive!r}; {hint}")
    if len(found) < 2:
        raise TableError(f"{path}: column {counts.name!r} has one class only, {found[0]!r}; two are needed")
    if len(found) > MANY and len(found) > n_rows // 4:
        raise TableError(
            f"{path}: column {counts.name!r} has {len(found)} values in {n_rows} rows, but a class has few; "
            f"write ranges of it into a column of its own"
        )


def indicated(column: "pd.Series[str]") -> "pd.Series[Any]":
    """Labels that say no or yes as Booleans, or as 0 and 1, so that the column names what is described.

    >>> indicated(pd.Series(["0", "1"])).tolist(), indicated(pd.Series(["0", "2"])).tolist()
    ([0, 1], ['0', '2'])
    """
    for yes_or_no in ({"0": 0, "1": 1}, {"False": False, "True": True}):
        if set(column) == set(yes_or_no):
            return column.map(yes_or_no).astype(type(yes_or_no[max(yes_or_no)]))
    return column


def relabel(column: "pd.Series[str]", counts: "pd.Series[int]", positive: str | None) -> NDArray[np.str_]:
    """The labels of a column as they are, or the positive class and the rest where there are more than two."""
    if len(counts) == 2 or positive is None:
        return column.to_numpy(dtype=str)
    return np.where(column == positive, positive, f"not {positive}")
