"""How often each class is taken for each: the matrix, and precision, recall and F1 of every class."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Pair = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Confusion:
    """Rows by their class (down) and by the one they were given (across), both in the order of ``labels``.

    >>> found = Confusion.of([("a", "a", 3), ("b", "a", 1), ("b", "b", 4)])
    >>> found.counts.tolist()
    [[3, 0], [1, 4]]
    >>> found.classes()[["precision", "recall"]].to_dict("index")
    {'a': {'precision': 0.75, 'recall': 1.0}, 'b': {'precision': 1.0, 'recall': 0.8}}
    >>> found.mistakes()
    [('b', 'a', 1)]
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Self:
        """The matrix of triples of a class, the one that was given instead, and how often."""
        total = Counter[tuple[str, str]]()
        for actual, given, n in pairs:
            total[actual, given] += n
        labels = tuple(sorted({label for pair in total for label in pair}, key=_natural))
        return cls(labels, np.array([[total[a, g] for g in labels] for a in labels], dtype=np.int64))

    @property
    def accuracy(self) -> float:
        """The share of rows that were given their class."""
        return float(np.trace(self.counts) / self.counts.sum())

    def classes(self) -> pd.DataFrame:
        """One line a class: its rows, how many were given it, precision, recall, F1; shares of nothing are NaN."""
        hits, rows, given = np.diagonal(self.counts), self.counts.sum(axis=1), self.counts.sum(axis=0)
        table = pd.DataFrame({"rows": rows, "predicted": given}, index=pd.Index(self.labels, name="class"))
        table["precision"] = hits / np.where(given > 0, given, np.nan)
        table["recall"] = hits / np.where(rows > 0, rows, np.nan)
        table["f1"] = 2 * hits / np.where(rows + given > 0, rows + given, np.nan)
        return table

    def mistakes(self, n_most: int | None = None) -> list[Pair]:
        """Which classes are taken for which others, the most frequent first."""
        off = self.counts - np.diag(np.diagonal(self.counts))
        found = [(self.labels[i], self.labels[j], int(off[i, j])) for i, j in np.argwhere(off)]
        return sorted(found, key=lambda pair: -pair[2])[:n_most]


def count_pairs(actual: Any, given: Any) -> list[Pair]:
    """How often each class was given to rows of each.

    >>> count_pairs(["a", "b", "b"], ["a", "a", "a"])
    [('a', 'a', 1), ('b', 'a', 2)]
    """
    pairs = Counter(zip(map(str, np.asarray(actual).tolist()), map(str, np.asarray(given).tolist()), strict=True))
    return [(a, g, n) for (a, g), n in pairs.items()]


def _natural(label: str) -> tuple[bool, float, str]:
    """Numbers by their value, before words."""
    try:
        return False, float(label), label
    except ValueError:
        return True, 0.0, label
