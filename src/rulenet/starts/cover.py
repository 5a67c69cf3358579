"""Starts from rules that cover a sample of the rows without error, found by the minimisers of `rulenet.formulas`."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet.conditions import MISSING, Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cubes import Cube, Space
from rulenet.formulas.dnf import Dnf
from rulenet.formulas.espresso import espresso
from rulenet.formulas.expressions import Formula
from rulenet.formulas.primes import fewest, primes_outside, restrict
from rulenet.formulas.to_network import to_network
from rulenet.network import Network
from rulenet.parameters import Constraint, integer
from rulenet.search.problem import Problem
from rulenet.starts.learned import LearnedInit, Sample, attributes_of

MAX_PRIMES = 2_000

Cells = NDArray[np.int64]


class EspressoInit(LearnedInit):
    """Rules grown one after the other until they cover a sample of the rows without error.

    Parameters
    ----------
    max_rows : int, default=400
        The most rows to cover. Where equal rows have different labels, the majority decides.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"max_rows": (integer(1),)}

    def __init__(self, max_rows: int = 400) -> None:
        self.max_rows = max_rows

    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The network of a cover for the rows of ``problem``."""
        return to_network(self.formula(problem, conditions, seed), conditions)

    def formula(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Formula:
        """The cover as a formula."""
        self.check()
        attributes = attributes_of(conditions)
        sample = Sample.of(problem, self.max_rows, seed)
        cells, positive = _distinct(find_cells(sample.literals, conditions, attributes), sample.target, sample.weights)
        not_equal = any(_is_not_equal(condition) for condition in conditions)
        space = Space(attributes, conditions)
        return Dnf(space, tuple(self._cover(space, cells, positive, not_equal)), attributes).formula()

    def _cover(self, space: Space, cells: Cells, positive: NDArray[np.bool_], not_equal: bool) -> list[Cube]:
        on = [space.closure(space.row(row), not_equal=not_equal) for row in cells[positive].tolist()]
        off = [space.row(row) for row in cells[~positive].tolist()]
        return espresso(space, on, lambda c: not any(space.nonempty(c & o) for o in off), not_equal=not_equal)


class QuineMcCluskeyInit(EspressoInit):
    """The provably fewest rules that cover a sample of the rows without error.

    Parameters
    ----------
    max_rows : int, default=200
        The most rows to cover; half as many, and so on, where more than 2000 rules are to choose from.
    """

    def __init__(self, max_rows: int = 200) -> None:
        super().__init__(max_rows)

    def _cover(self, space: Space, cells: Cells, positive: NDArray[np.bool_], not_equal: bool) -> list[Cube]:
        off = [space.row(row) for row in cells[~positive].tolist()]
        try:
            candidates = restrict(space, primes_outside(space, off, MAX_PRIMES), not_equal=not_equal)
            cover = fewest(space, candidates, cells[positive]) if len(candidates) <= MAX_PRIMES else None
        except FormulaError:
            cover = None
        return self._cover(space, cells[::2], positive[::2], not_equal) if cover is None else cover


def find_cells(literals: NDArray[np.bool_], conditions: Sequence[Condition], attributes: Sequence[Attribute]) -> Cells:
    """A cell of every attribute in which conditions hold as they do in the row; `MISSING` where there is none.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 30))
    >>> find_cells(np.array([[True, False], [False, True], [False, False]]), [age.at_most(20), age.above(30)], [age])
    array([[0],
           [2],
           [1]])
    """
    found = np.full((len(literals), len(attributes)), MISSING, dtype=np.int64)
    for i, attribute in enumerate(attributes):
        own = [j for j, condition in enumerate(conditions) if condition.attribute == attribute]
        tables = np.array([conditions[j].table for j in own])
        columns = np.ascontiguousarray(tables.T)
        cells = {columns[cell].tobytes(): cell for cell in (MISSING, *reversed(range(attribute.n_cells)))}
        patterns, index = np.unique(literals[:, own], axis=0, return_inverse=True)
        found[:, i] = np.array([cells.get(pattern.tobytes(), MISSING) for pattern in patterns])[index.ravel()]
    return found


def _is_not_equal(condition: Condition) -> bool:
    return not condition.attribute.ordered and condition.known_cells.bit_count() > 1


def _distinct(cells: Cells, target: NDArray[np.bool_], weights: NDArray[np.int64]) -> tuple[Cells, NDArray[np.bool_]]:
    """The different rows, in random order, and the label of most of the weight of each."""
    different, index = np.unique(cells, axis=0, return_inverse=True)
    balance = np.bincount(index.ravel(), np.where(target, weights, -weights))
    order = RandomState(0).permutation(len(different))
    return different[order], (balance > 0)[order]
