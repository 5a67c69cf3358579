"""What one reading tells of a table: digests of its columns, its classes, and some of its rows.

A part is looked at by itself, and what was seen of parts is merged. All of it is exact and the same however rows are
divided; the rows that are kept are those that `sampling` chooses.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.encoding.columns import kind_of, load
from rulenet.encoding.cuts import SAMPLE
from rulenet.encoding.digests import Digest, digest, merge
from rulenet.encoding.sampling import choose_among, choose_rows, hash_rows
from rulenet.encoding.tables import read_table
from rulenet.exceptions import TableError
from rulenet.shards.parts import Part

# Raw rows that are kept to place cuts by: so many cells, at least those that quantiles are taken from.
MOST_ROWS = 1 << 16
MOST_CELLS = 1 << 21
MAX_WEIGHTS = 100_000  # different weights of rows, or classes, or pairs of both

#: The columns of a table that the user says have categories.
Listed = Callable[[pd.DataFrame], frozenset[int]]

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def n_kept(n_columns: int) -> int:
    """How many rows are kept as they are.

    >>> n_kept(20), n_kept(40), n_kept(2000)
    (65536, 52428, 50000)
    """
    return max(SAMPLE, min(MOST_ROWS, MOST_CELLS // max(1, n_columns)))


def limit_of(n_rows: int, n_most: int) -> np.uint64:
    """The largest hash of the rows that are chosen."""
    return ALL if n_rows <= n_most else np.uint64(hash_rows(choose_rows(n_rows, n_most)).max())


@dataclass(frozen=True)
class Look:
    """What one part tells.

    ``labels`` are the different ones of rows that count, ``counts`` all rows by label and weight, and ``numbers`` those
    of the rows that are kept.
    """

    names: tuple[str, ...]
    digests: tuple[Digest, ...]
    labels: NDArray[Any]
    counts: Counter[tuple[Any, float]]
    n_rows: int
    numbers: NDArray[np.int64]
    kept: Part


def count_rows(part: Part, class_weight: Mapping[Any, float]) -> int:
    """How many rows of a part count."""
    return len(part.counting(class_weight).labels)


def look(part: Part, listed: frozenset[int], class_weight: Mapping[Any, float], first: int, limit: np.uint64) -> Look:
    """Look at a part that begins with row ``first``; rows with a hash up to ``limit`` are kept."""
    counting = part.counting(class_weight)
    view, n_rows = read_table(counting.table), len(counting.labels)
    columns = ((view.column(i), i) for i in range(view.n_columns)) if n_rows else ()
    digests = tuple(digest(raw, load(raw, view.names[i], nominal=i in listed)) for raw, i in columns)
    numbers = np.arange(first, first + n_rows)
    chosen = np.flatnonzero(hash_rows(numbers) <= limit)
    labels = np.sort(counting.coded[1])
    return Look(view.names, digests, labels, _count(part), n_rows, numbers[chosen], take(counting, chosen))


@dataclass
class Survey:
    """What all parts tell that were added so far; no more than ``n_most`` rows are kept."""

    n_most: int
    n_rows: int = 0
    names: tuple[str, ...] | None = None
    digests: tuple[Digest, ...] = ()
    counts: Counter[tuple[Any, float]] = field(default_factory=Counter)
    _labels: list[NDArray[Any]] = field(default_factory=list)
    _looks: list[Look] = field(default_factory=list)
    _n_waiting: int = 0
    limit: np.uint64 = ALL

    def add(self, seen: Look) -> None:
        """Add the next part."""
        if self.names is None:
            self.names = seen.names
        elif seen.names != self.names:
            raise TableError(
                f"a part of the table has the columns {', '.join(seen.names[:10])}, but expected those of the first, "
                f"{', '.join(self.names[:10])}, in this order"
            )
        if seen.n_rows:
            pairs = zip(self.digests, seen.digests, self.names, strict=False)
            self.digests = tuple(merge(two, name) for *two, name in pairs) if self.digests else seen.digests
            self._labels.append(seen.labels)
        self.n_rows += seen.n_rows
        self.counts.update(seen.counts)
        if len(self.counts) > MAX_WEIGHTS:
            raise TableError(self._too_many)
        if seen.n_rows or not self._looks:
            self._looks.append(seen)
            self._n_waiting += len(seen.numbers)
        if self._n_waiting > 5 * self.n_most // 4:
            self._shrink()

    @property
    def classes(self) -> NDArray[Any]:
        """The different labels of rows that count, in order."""
        try:
            self._labels = [np.unique(np.concatenate(self._labels))] if self._labels else []
        except TypeError as error:
            kinds = " and ".join(sorted({kind_of(label) for label, _ in self.counts}))
            raise TableError(f"y is {kinds} in parts of the table: convert it to one type") from error
        return self._labels[0] if self._labels else np.array([])

    @property
    def _too_many(self) -> str:
        """What there is too much of to be counted: classes, or weights."""
        labels, weights = (set(found) for found in zip(*self.counts, strict=True))
        if len(labels) > len(weights):
            return f"y holds {len(labels):,} classes and more, but rules describe few: merge rare classes"
        return f"sample_weight has more than {MAX_WEIGHTS:,} different values: round them"

    def sample(self) -> tuple[NDArray[np.int64], Part]:
        """The rows that are kept and their numbers, in order."""
        self._shrink()
        numbers = np.concatenate([x.numbers for x in self._looks])
        waiting = [x.kept for x in self._looks if x.n_rows] or [self._looks[0].kept]
        self._looks = []
        kept = join(waiting)
        self._looks = [Look(self.names or (), (), kept.labels[:0], Counter(), len(numbers), numbers, kept)]
        return numbers, kept

    def _shrink(self) -> None:
        """Drop rows that are not chosen, part by part: nothing is held twice."""
        numbers = np.concatenate([x.numbers for x in self._looks])
        if len(numbers) >= self.n_most:
            self.limit = np.uint64(hash_rows(numbers[choose_among(numbers, self.n_most)]).max())
        if len(numbers) > self.n_most:
            for i, seen in enumerate(self._looks):
                chosen = np.flatnonzero(hash_rows(seen.numbers) <= self.limit)
                self._looks[i] = replace(seen, numbers=seen.numbers[chosen], kept=take(seen.kept, chosen))
        self._n_waiting = sum(len(x.numbers) for x in self._looks)


def _count(part: Part) -> Counter[tuple[Any, float]]:
    """The rows of every label and weight, those of weight zero too."""
    codes, labels = part.coded
    if part.weights is None:
        counts = np.bincount(codes, minlength=len(labels)).tolist()
        return Counter({(label, 1.0): n for label, n in zip(labels.tolist(), counts, strict=True)})
    pairs = pd.DataFrame({"label": codes, "weight": part.weights}).value_counts(sort=False)
    found: list[tuple[Any, int]] = [*zip(pairs.index, pairs.tolist(), strict=True)]
    return Counter({(labels[code : code + 1].tolist()[0], float(weight)): n for (code, weight), n in found})


def take(part: Part, rows: NDArray[np.int64]) -> Part:
    """Some rows of a part."""
    if len(rows) == len(part.labels):
        return part
    weights = None if part.weights is None else part.weights[rows]
    return Part(part.table.iloc[rows], part.labels[rows], weights)


def join(parts: list[Part]) -> Part:
    """The rows of all parts, of which the list is emptied: columns that are joined are not kept twice."""
    if len(parts) == 1:
        return parts.pop()
    labels = np.concatenate([part.labels for part in parts])
    weighted = parts[0].weights is not None
    weights = np.concatenate([part.weights for part in parts if part.weights is not None]) if weighted else None
    tables = [part.table.copy(deep=False) for part in parts]
    parts.clear()
    columns = {name: pd.concat([table.pop(name) for table in tables], ignore_index=True) for name in [*tables[0]]}
    return Part(pd.DataFrame(columns, index=pd.RangeIndex(len(labels)), copy=False), labels, weights)
