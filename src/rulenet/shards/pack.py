"""A part as packed rows, and packed rows joined."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.encoding import Encoding
from rulenet.encoding.packing import append_bits
from rulenet.encoding.sampling import hash_rows
from rulenet.exceptions import TableError
from rulenet.labels import codes_of
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.weights import slice_weights
from rulenet.shards.parts import Part


@dataclass(frozen=True)
class Recipe:
    """How rows are packed: their literals, a line for every class of ``outputs``, and their weights.

    A row that weighs ``levels[i]`` counts ``integers[i]`` times; None where all rows are alike. Rows with a hash up to
    ``limit`` are those that a search sees.
    """

    encoding: Encoding
    classes: NDArray[Any]
    outputs: tuple[int, ...]
    class_weight: Mapping[Any, float]
    levels: NDArray[np.float64] | None
    integers: NDArray[np.int64] | None
    limit: np.uint64

    @property
    def n_planes(self) -> int:
        """How many bits a weight has."""
        return 1 if self.integers is None else int(self.integers.max()).bit_length()


@dataclass(frozen=True)
class Shard:
    """Packed rows, the places of those that a search sees, and what the user said that these weigh."""

    problem: Problem
    seen: NDArray[np.int64]
    mass: NDArray[np.float64] | None

    @property
    def sample(self) -> "Shard":
        """The rows that a search sees."""
        taken = self.problem if len(self.seen) == self.problem.n_rows else self.problem.take(self.seen)
        return Shard(taken, np.arange(len(self.seen)), self.mass)


def pack(part: Part, recipe: Recipe, first: int, n_jobs: int | None = None) -> Shard:
    """The packed rows of a part that begins with row ``first``."""
    counting = part.counting(recipe.class_weight)
    n_rows = len(counting.labels)
    literals = recipe.encoding.encode(counting.table, n_jobs=n_jobs)
    codes, different = counting.coded
    known = codes_of(different, recipe.classes)
    if len(known) and known.min() < 0:
        odd = different[known.argmin() : known.argmin() + 1].tolist()[0]
        raise TableError(f"y holds the class {odd!r}, which was not there when the rows were read first")
    target = bits.pack((known == np.array(recipe.outputs)[:, np.newaxis])[:, codes])
    planes = bits.mask(n_rows)[np.newaxis]
    if recipe.levels is not None and recipe.integers is not None:
        places = np.searchsorted(recipe.levels, counting.products(recipe.class_weight))
        planes = slice_weights(recipe.integers[places], recipe.n_planes)
    seen = np.flatnonzero(hash_rows(np.arange(first, first + n_rows)) <= recipe.limit)
    mass = None if counting.weights is None else counting.weights[seen]
    return Shard(_problem(literals, target, planes, recipe.encoding.relations, n_rows), seen, mass)


class Joined:
    """Room for packed rows that come part by part."""

    def __init__(self, recipe: Recipe, n_rows: int) -> None:
        n_words = bits.n_words(n_rows)
        n_lines = len(recipe.encoding.conditions), len(recipe.outputs), recipe.n_planes
        self._lines = [np.zeros((n, n_words), np.uint64) for n in n_lines]
        self._relations, self._mass = recipe.encoding.relations, list[NDArray[np.float64]]()
        self.n_rows, self.n_filled = n_rows, 0

    def add(self, shard: Shard) -> None:
        """Append the rows of a shard."""
        problem = shard.problem
        pieces = problem.literals, np.atleast_2d(problem.target), problem.planes
        for words, piece in zip(self._lines, pieces, strict=True):
            append_bits(words, self.n_filled, piece, problem.n_rows)
        self.n_filled += problem.n_rows
        if shard.mass is not None:
            self._mass.append(shard.mass)

    @property
    def problem(self) -> Problem:
        """All rows."""
        literals, target, planes = self._lines
        return _problem(literals, target, planes, self._relations, self.n_rows)

    @property
    def mass(self) -> NDArray[np.float64] | None:
        """What the user said that the rows weigh that a search sees."""
        return np.concatenate(self._mass) if self._mass else None


def _problem(literals: bits.Words, target: bits.Words, planes: bits.Words, relations: Relations, n: int) -> Problem:
    # Writable copies: read-only arrays are another type to the compiler, and would be compiled for anew.
    own = Relations(*(np.array(array, dtype=np.int64) for array in relations))
    return Problem(literals, target if len(target) > 1 else target[0], planes, own, n)
