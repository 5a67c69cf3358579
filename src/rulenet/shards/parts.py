"""Rows as they are read: a table, a label for every row, and weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from rulenet.exceptions import TableError
from rulenet.labels import as_one_column, check_text

N_ALIKE = 3  # rows of a class that are shown to scikit-learn, which warns where most classes have one


@dataclass(frozen=True)
class Part:
    """Some rows of a table, with their labels and, where given, their weights."""

    table: pd.DataFrame
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, table: pd.DataFrame, labels: Any, weights: Any = None, first: int = 0) -> "Part":
        """A part that begins with row ``first`` of the whole, checked."""
        found = as_one_column(labels)
        if len(found) != len(table):
            raise TableError(
                f"Found {len(table)} rows but {len(found)} labels: the numbers of samples are inconsistent"
            )
        part = cls(table, found, None if weights is None else _checked(weights, len(table), first))
        codes, different = part.coded
        if len(found) and codes.min() < 0:
            raise TableError(f"y has a missing label (NaN) in row {first + codes.argmin()}, but every row needs one")
        check_text(different)
        if len(found):
            check_classification_targets(np.repeat(different, N_ALIKE))
        return part

    @cached_property
    def coded(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The different labels, in no order, and which of them every row has."""
        codes, different = pd.factorize(self.labels)
        return codes.astype(np.int64, copy=False), np.asarray(different)

    def counting(self, class_weight: Mapping[Any, float]) -> "Part":
        """The part without rows of weight zero."""
        if self.weights is None and all(class_weight.values()):
            return self
        kept = np.flatnonzero(self.products(class_weight))
        weights = None if self.weights is None else self.weights[kept]
        return Part(self.table.iloc[kept], self.labels[kept], weights)

    def products(self, class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
        """What every row weighs, its class included."""
        own = np.ones(len(self.labels)) if self.weights is None else self.weights
        if not class_weight:
            return own
        codes, labels = self.coded
        return np.asarray(own * np.array([class_weight.get(x, 1.0) for x in labels.tolist()], np.float64)[codes])


def _checked(weights: Any, n_rows: int, first: int) -> NDArray[np.float64]:
    found = pd.Series(weights).to_numpy(np.float64, na_value=np.nan)
    if len(found) != n_rows:
        raise TableError(f"Found {n_rows} rows but {len(found)} weights: the numbers of samples are inconsistent")
    odd = ~np.isfinite(found) | (found < 0)
    if odd.any():
        row = int(odd.argmax())
        raise TableError(f"sample_weight is {found[row]:g} in row {first + row}, but must be finite and not negative")
    return found
