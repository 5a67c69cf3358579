"""Starts from one network a class, each of which tells it from the rest."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rulenet.conditions import Condition
from rulenet.network import Network
from rulenet.parameters import Constraint, having
from rulenet.search.problem import Problem
from rulenet.search.protocol import Search
from rulenet.search.structure import side_by_side
from rulenet.starts.learned import LearnedInit
from rulenet.starts.random import RandomInit


class OneVsRestInit(LearnedInit):
    """One network for every class against the rest, side by side.

    Parameters
    ----------
    search : search strategy
        What finds the network of each class; for a start of `Count` one whose networks count, such as a short `Count`.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"search": (having("a search strategy", "search"),)}

    def __init__(self, search: Search) -> None:
        self.search = search

    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The networks of all classes, or the one of two."""
        self.check()
        defaults = self.search.defaults
        found = []
        for part in problem.against_the_rest():
            start = RandomInit().start_for(part, conditions, defaults.shapes, defaults.first_gates)
            found.append(self.search.search(part, start, seed).network)
        return side_by_side(found)

    def learn_counting(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The same."""
        return self.learn(problem, conditions, seed)
