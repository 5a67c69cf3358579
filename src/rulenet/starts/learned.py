"""Starts from data: what a known learner finds, as a network to search on from.

Each start says on every row without missing values exactly what its source says there. (A source that sees literals
as plain Boolean columns takes "not x = 1" to hold where x is missing; a network has no literal for that.)
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError, ParameterError
from rulenet.network import Gate, Network
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Shapes, Start
from rulenet.search.strategy import Strategy
from rulenet.search.structure import widen
from rulenet.starts.random import RandomInit

# Units that a search may fill, in every layer of a start.
N_SPARE = 8


class LearnedInit(Strategy):
    """A start that is learned from rows; its shape is that of what is learned, with some units to spare."""

    @abstractmethod
    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The network learned from the rows of ``problem``."""

    def learn_counting(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The same for a search of networks that count, where possible with one hidden layer; an output a class."""
        if problem.n_classes > 2:
            raise ParameterError(
                f"init is a {type(self).__name__}, which describes one of two classes, but y holds "
                f"{problem.n_classes}: take init='tree' or a OneVsRestInit"
            )
        return self.learn(problem, conditions, seed)

    def start_for(
        self, problem: Problem, conditions: Sequence[Condition], shapes: Shapes, gates: Sequence[Gate]
    ) -> "LearnedStart":
        """What is learned from the rows that a search sees."""
        self.check()
        otherwise = RandomInit().start_for(problem, conditions, shapes, gates)
        return LearnedStart(self, problem, tuple(conditions), otherwise)


@dataclass(frozen=True)
class LearnedStart(Start):
    """What is learned from the rows that a search sees; ``otherwise`` starts where its literals cannot say that."""

    init: LearnedInit
    problem: Problem
    conditions: tuple[Condition, ...]
    otherwise: Start

    def on(self, problem: Problem) -> Self:
        """The start for other rows."""
        return replace(self, problem=problem)

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        try:
            return widen(self.init.learn(self.problem, self.conditions, seed), N_SPARE)
        except FormulaError:
            return self.otherwise(seed)

    def counting(self, seed: int) -> Network | None:
        """Where a search for networks that count begins; the empty network if conditions cannot say it."""
        try:
            return self.init.learn_counting(self.problem, self.conditions, seed)
        except FormulaError:
            return None


class Sample(NamedTuple):
    """Some rows, unpacked: the truth of literals (n_rows, n_literals), labels, weights, and classes as numbers."""

    literals: NDArray[np.bool_]
    target: NDArray[np.bool_]
    weights: NDArray[np.int64]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, max_rows: int, seed: int) -> Self:
        """At most ``max_rows`` random rows of a problem."""
        seen = problem.take(sample_rows(np.arange(problem.n_rows), max_rows, seed))
        literals, target = bits.unpack(seen.literals, seen.n_rows).T, bits.unpack(seen.target, seen.n_rows)
        return cls(literals, target, seen.weights, seen.codes)


def attributes_of(conditions: Sequence[Condition]) -> tuple[Attribute, ...]:
    """The attributes of ``conditions``, in order of appearance."""
    return tuple(dict.fromkeys(condition.attribute for condition in conditions))


def find_deniable(conditions: Sequence[Condition]) -> NDArray[np.int64]:
    """The places of the conditions whose opposite can be said with the others; a network has no NOT.

    >>> shape = Attribute("shape", ("disc", "ring", "star"))
    >>> find_deniable([shape.equal("disc"), ~shape.equal("disc"), shape.equal("ring")])
    array([0, 1])
    """
    siblings: dict[Attribute, list[int]] = {}
    for condition in conditions:
        siblings.setdefault(condition.attribute, []).append(condition.cells)
    cells = {attribute: frozenset(found) for attribute, found in siblings.items()}
    singles = {attribute: sum(c for c in found if c.bit_count() == 1) for attribute, found in cells.items()}

    def is_sayable(wanted: Condition) -> bool:
        known, a = wanted.cells, wanted.attribute
        return known in cells[a] or known & ~singles[a] == 0 or _is_union_of_products(known, cells[a])

    return np.array([j for j, x in enumerate(conditions) if is_sayable(~x)], dtype=np.int64)


def _is_union_of_products(wanted: int, given: frozenset[int]) -> bool:
    """Whether every cell of ``wanted`` is in some of the ``given`` sets that share no other cell than wanted ones."""
    left = wanted
    while left:
        cell = left & -left
        around = [cells for cells in given if cells & cell]
        common = -1 if around else 0
        for cells in around:
            common &= cells
        if not around or common & ~wanted:
            return False
        left &= ~common
    return True
