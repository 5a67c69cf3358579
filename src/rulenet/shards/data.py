"""What a search learns from, wherever the rows are: in memory, in batches, in partitions.

A search sees all rows up to a number, and of more a sample; then what it finds is polished, pruned and judged by all.
Cuts are placed by raw rows, of which a sample is kept.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.encoding import Encoding
from rulenet.encoding.cuts import SAMPLE
from rulenet.encoding.encoding import listed_columns
from rulenet.encoding.sampling import choose_among, choose_rows
from rulenet.encoding.wishes import Wished
from rulenet.exceptions import ParameterError, TableError
from rulenet.labels import ClassWeight, Rows, check_known, codes_of, take_rows, weigh_alike
from rulenet.search.problem import Problem
from rulenet.search.weights import quantise_weights
from rulenet.shards.pack import Recipe, pack
from rulenet.shards.parts import Part
from rulenet.shards.shards import LocalShards, Shards
from rulenet.shards.survey import Listed, Survey, limit_of, n_kept, take

# Rows that are compared with what they were when they were read before.
COMPARED = 4096

Mass = NDArray[np.float64] | None
Widen = Callable[[Encoding], Encoding]


class Parts(Protocol):
    """All rows of a table in parts, in order, wherever they are; ``weighted`` where rows have weights."""

    weighted: bool

    def survey(self, listed: Listed, class_weight: Mapping[Any, float]) -> Survey:
        """Look at all parts."""
        ...

    def pack(self, recipe: Recipe, n_rows: int, n_jobs: int | None) -> tuple[Problem, Mass, Shards | None]:
        """The packed rows and the mass of those that a search sees.

        All rows where they are in memory; otherwise those that a search sees, and all of them in shards.
        """
        ...


@dataclass(frozen=True)
class Prepared:
    """What a search and what comes after it need.

    ``problem`` has the rows that the search sees, with the ``mass`` of each; where these are not all, ``shards`` has
    all. ``table`` has raw rows to place cuts by: those of ``problem`` that are numbered ``raw``.
    """

    encoding: Encoding
    problem: Problem
    mass: Mass
    shards: Shards | None
    table: Any
    raw: NDArray[np.int64] | None

    @property
    def placed(self) -> tuple[Problem, Mass]:
        """The rows of ``table``, packed, and their mass."""
        if self.raw is None:
            return self.problem, self.mass
        return self.problem.take(self.raw), None if self.mass is None else self.mass[self.raw]


def sampled(
    encoding: Encoding,
    problem: Problem,
    mass: Mass,
    table: Any,
    numbers: NDArray[np.int64],
    n_jobs: int | None,
    searched: int,
) -> Prepared:
    """All rows in memory, for a search that sees a sample where they are many; ``table`` has the rows ``numbers``."""
    shards: Shards | None = None
    chosen = choose_rows(problem.n_rows, searched)
    if len(chosen) < problem.n_rows:
        shards, problem = LocalShards(problem, n_jobs), replace(problem.take(chosen), numbers=None)
        mass = mass if mass is None or len(mass) == len(chosen) else mass[chosen]
    return Prepared(encoding, problem, mass, shards, *_raw(chosen, table, numbers))


def _raw(seen: NDArray[np.int64], table: Any, numbers: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64] | None]:
    """The raw rows that a search sees too, and which of its rows they are."""
    if len(numbers) == len(seen):
        return table, None
    _, places, raw = np.intersect1d(numbers, seen, assume_unique=True, return_indices=True)
    return table if len(places) == len(numbers) else take_rows(table, places), raw


def _n_rows(counts: Iterable[tuple[Any, float, int]]) -> dict[Any, int]:
    """How many rows of every class there are, of labels with a weight and a number of rows."""
    rows: dict[Any, int] = {}
    for label, _, n in counts:
        rows[label] = rows.get(label, 0) + n
    return rows


def _balanced(rows: Mapping[Any, int]) -> dict[Any, float]:
    """The weights of classes, of so many rows each, that make them weigh alike."""
    return {label: float(np.float64(sum(rows.values())) / (len(rows) * n)) for label, n in rows.items()}


def _check_weighted(given: Mapping[Any, float], labels: Collection[Any]) -> None:
    """Refuse weights of classes that no row has."""
    unknown = [label for label in given if label not in labels]
    if unknown:
        known = ", ".join(sorted(map(repr, labels)))
        raise ParameterError(f"class_weight has the class {unknown[0]!r}, but the classes are {known}")


def _check_read_again(
    kept: Part, numbers: NDArray[np.int64], problem: Problem, seen: NDArray[np.int64] | None, recipe: Recipe
) -> None:
    """Refuse rows that are not what they were when they were read first, as far as some of them tell.

    ``kept`` are the rows ``numbers`` of the first reading, ``problem`` has the rows ``seen`` of the second, or all.
    """
    chosen = choose_among(numbers, COMPARED)
    if seen is None:
        places = numbers[chosen]
    else:
        chosen = chosen[np.isin(numbers[chosen], seen)]
        places = np.searchsorted(seen, numbers[chosen])
    alike = seen is None or problem.n_rows == len(seen)
    if not alike or not _are_alike(pack(take(kept, chosen), recipe, 0).problem, problem.take(places), recipe.encoding):
        raise TableError(
            "the table was read twice, but the second time its rows were others, or in another order: give it an order "
            "(ORDER BY, a seed), write it to a file first, or let Dask keep it (.persist())"
        )


def _are_alike(first: Problem, again: Problem, encoding: Encoding) -> bool:
    """Whether rows have the same classes and the same numbers; names may be joined to others as they are kept."""
    measured = np.array([condition.attribute.measured for condition in encoding.conditions])
    same_classes = np.array_equal(first.target, again.target & bits.mask(again.n_rows))
    return same_classes and np.array_equal(first.literals[measured], again.literals[measured])


class Data(Protocol):
    """Rows to learn from: their classes, how much each class weighs, and what is asked of them."""

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, in order."""
        ...

    @property
    def class_mass(self) -> NDArray[np.float64]:
        """The total weight of every class."""
        ...

    @property
    def class_rows(self) -> NDArray[np.int64]:
        """How many rows every class has."""
        ...

    @property
    def alike(self) -> bool:
        """Whether rows of all classes weigh the same, but for weights of their own."""
        ...

    def prepare(
        self, outputs: tuple[int, ...], n_jobs: int | None, widen: Widen | None = None, **wishes: Unpack[Wished]
    ) -> Prepared:
        """The rows for a search that describes the classes ``outputs``; ``widen`` adds conditions to the encoding."""
        ...


@dataclass(frozen=True)
class Whole:
    """A table in memory."""

    rows: Rows
    searched: int

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, in order."""
        return self.rows.classes

    @property
    def class_mass(self) -> NDArray[np.float64]:
        """The total weight of every class."""
        return np.bincount(self.rows.codes, self.rows.weights, len(self.classes)).astype(np.float64)

    @property
    def class_rows(self) -> NDArray[np.int64]:
        """How many rows every class has."""
        return np.bincount(self.rows.codes, minlength=len(self.classes)).astype(np.int64)

    @property
    def alike(self) -> bool:
        """Whether rows of all classes weigh the same, but for weights of their own."""
        return self.rows.alike

    def prepare(
        self, outputs: tuple[int, ...], n_jobs: int | None, widen: Widen | None = None, **wishes: Unpack[Wished]
    ) -> Prepared:
        """The rows for a search that describes the classes ``outputs``; ``widen`` adds conditions to the encoding."""
        rows = self.rows
        encoding, literals = Encoding.learn_encode(rows.table, rows.codes, n_jobs=n_jobs, **wishes)
        if widen is not None:
            encoding = widen(encoding)
            literals = encoding.encode(rows.table, n_jobs=n_jobs)
        order = np.argsort(outputs) if len(outputs) > 1 else np.array([1 - outputs[0], outputs[0]])
        problem = Problem.of_classes(literals, order[rows.codes], len(order), encoding.relations, rows.weights)
        table, chosen = rows.table, choose_rows(problem.n_rows, n_kept(len(encoding.attributes)))
        if len(chosen) < problem.n_rows:
            table = take_rows(table, chosen)
        return sampled(encoding, problem, rows.mass, table, chosen, n_jobs, self.searched)


class Divided:
    """A table in parts: looked at once, then packed."""

    def __init__(
        self,
        parts: Parts,
        class_weight: ClassWeight,
        searched: int,
        known: NDArray[Any] | None = None,
        **wishes: Unpack[Wished],
    ) -> None:
        self._parts, self._searched = parts, searched
        given = class_weight if isinstance(class_weight, Mapping) else {}
        self._survey = parts.survey(lambda table: listed_columns(table, **wishes), given)
        self.classes = self._survey.classes
        if self._survey.n_rows == 0:
            raise TableError("Found array with 0 sample(s) that count, while a minimum of 1 is required.")
        if known is not None:
            check_known(self.classes, known)
            self.classes = known
        elif len(self.classes) == 1:
            raise TableError(
                f"y holds one class only, {self.classes.item()!r}, but two are needed to learn a difference"
            )
        _check_weighted(given, {label for label, _ in self._survey.counts} | set(self.classes.tolist()))
        n_rows = _n_rows((label, weight, n) for (label, weight), n in self._survey.counts.items())
        self.alike = weigh_alike(class_weight, n_rows)
        self._class_weight = _balanced(n_rows) if class_weight == "balanced" else given
        self._levels = self._weigh(weighted=parts.weighted or class_weight is not None)

    @cached_property
    def _products(self) -> list[tuple[Any, float, int]]:
        """Label, weight with that of the class, and number of rows."""
        found = [(x, w * self._class_weight.get(x, 1.0), n) for (x, w), n in self._survey.counts.items()]
        return [(label, weight, n) for label, weight, n in found if weight]

    def _weigh(self, weighted: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        if not weighted:
            return None
        levels = np.unique([weight for _, weight, _ in self._products])
        return levels, quantise_weights(levels)

    @property
    def class_mass(self) -> NDArray[np.float64]:
        """The total weight of every class."""
        places = {label: k for k, label in enumerate(self.classes.tolist())}
        terms = [[weight * n for label, weight, n in self._products if places[label] == k] for k in places.values()]
        return np.array([fsum(term) for term in terms])

    @property
    def class_rows(self) -> NDArray[np.int64]:
        """How many rows every class has."""
        rows = _n_rows(self._products)
        return np.array([rows.get(label, 0) for label in self.classes.tolist()], np.int64)

    def prepare(
        self, outputs: tuple[int, ...], n_jobs: int | None, widen: Widen | None = None, **wishes: Unpack[Wished]
    ) -> Prepared:
        """The rows for a search that describes the classes ``outputs``; ``widen`` adds conditions to the encoding."""
        numbers, kept = self._survey.sample()
        quantiles = choose_among(numbers, SAMPLE)
        codes = codes_of(kept.labels, self.classes)
        few = kept.table if len(quantiles) == len(numbers) else kept.table.iloc[quantiles]
        encoding = Encoding.learn_from(self._survey.digests, few, codes[quantiles], **wishes)
        encoding = encoding if widen is None else widen(encoding)
        levels, integers = self._levels or (None, None)
        limit = limit_of(self._survey.n_rows, self._searched)
        recipe = Recipe(encoding, self.classes, outputs, self._class_weight, levels, integers, limit)
        problem, mass, shards = self._parts.pack(recipe, self._survey.n_rows, n_jobs)
        seen = None if shards is None else choose_rows(self._survey.n_rows, self._searched)
        _check_read_again(kept, numbers, problem, seen, recipe)
        if shards is None or seen is None:
            return sampled(encoding, problem, mass, kept.table, numbers, n_jobs, self._searched)
        return Prepared(encoding, problem, mass, shards, *_raw(seen, kept.table, numbers))
