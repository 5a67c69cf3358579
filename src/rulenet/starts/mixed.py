"""The starts of `Anneal` where the user leaves them open: most are random, some come from the leaves of a tree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from rulenet.conditions import Condition
from rulenet.network import Gate, Network
from rulenet.search.problem import Problem
from rulenet.search.protocol import Shapes, Start
from rulenet.search.strategy import Strategy
from rulenet.starts.random import RandomInit, compile_ahead, random_rules
from rulenet.starts.tree import start_from_leaves

# Every fifth start comes from a tree: a walk from there is quick on what trees can say.
TREE_EVERY = 5


class MixedInit(Strategy):
    """Random networks of all shapes and gates, and every fifth one from the leaves of a decision tree."""

    def start_for(
        self, problem: Problem, conditions: Sequence[Condition], shapes: Shapes, gates: Sequence[Gate]
    ) -> "MixedStart":
        """The start for a problem."""
        compile_ahead()
        return MixedStart(problem, tuple(conditions), tuple(shapes), tuple(gates))


@dataclass(frozen=True)
class MixedStart(Start):
    """Starts of several shapes and gates in turn."""

    problem: Problem
    conditions: tuple[Condition, ...]
    shapes: tuple[tuple[int, ...], ...]
    gates: tuple[Gate, ...]

    @property
    def may_widen(self) -> bool:
        """Whether the shape was left open."""
        return len(self.shapes) > 1

    def on(self, problem: Problem) -> Self:
        """The start for other rows."""
        return replace(self, problem=problem)

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        if seed % TREE_EVERY == TREE_EVERY - 1:
            return self.another(seed)
        return random_rules(RandomInit(), self.problem.relations, *self._variant(seed), seed)

    def another(self, seed: int) -> Network:
        """A network of the same shape that comes from a tree."""
        return start_from_leaves(self.problem, self.conditions, *self._variant(seed), seed)

    def _variant(self, seed: int) -> tuple[tuple[int, ...], Gate]:
        return self.shapes[seed // len(self.gates) % len(self.shapes)], self.gates[seed % len(self.gates)]
