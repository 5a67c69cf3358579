"""Random starts, after F. Beck and J. Fürnkranz, "An Empirical Investigation into Deep and Shallow Rule Learning",
Frontiers in Artificial Intelligence 4, 2021, section 3.2.

The random numbers are those of `numpy.random.RandomState`, drawn in the order of the published runs. Drawing them one
by one from Python would take most of the time of a fit, so the generator's raw words are fetched at once and read by
compiled code the way NumPy reads them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.network import Gate, Network
from rulenet.parameters import Constraint, number
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.protocol import Shapes, Start
from rulenet.search.seeded import seeded
from rulenet.search.strategy import Strategy
from rulenet.starts.random_kernels import fill_layer, fill_rules


class RandomInit(Strategy):
    """A random network that is connected from the literals to the output.

    Parameters
    ----------
    avg_rule_length : float, default=2
        How many attributes a unit of an AND first layer reads on average, one random literal of each.
    init_prob : float, default=0.05
        The probability of every weight between, beside the one outgoing weight that each unit gets for sure.
        All weights of the output are set.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "avg_rule_length": (number(0),),
        "init_prob": (number(0, 1),),
    }

    def __init__(self, avg_rule_length: float = 2, init_prob: float = 0.05) -> None:
        self.avg_rule_length = avg_rule_length
        self.init_prob = init_prob

    def start_for(
        self, problem: Problem, conditions: Sequence[Condition], shapes: Shapes, gates: Sequence[Gate]
    ) -> "RandomStart":
        """Random networks of all shapes and gates in turn."""
        self.check()
        compile_ahead()
        return RandomStart(self, problem.relations, tuple(shapes), tuple(gates))

    def start(self, relations: Relations, hidden_layer_sizes: Sequence[int], first_gate: Gate, seed: int) -> Network:
        """A network over literals with these ``relations``; the same for the same ``seed``."""
        self.check()
        sizes = [len(relations.owner), *hidden_layer_sizes]
        literals, bounds = drawn_literals(relations)
        words = _Words(seed)
        weights = []
        for i, (n_inputs, n_units) in enumerate(pairwise(sizes)):
            layer = np.zeros((n_units, n_inputs), dtype=np.bool_)
            if i == 0 and first_gate == "and":
                words.read(fill_rules, layer, literals, bounds, self.avg_rule_length / (len(bounds) - 1))
            else:
                words.read(fill_layer, layer, self.init_prob)
            weights.append(layer)
        return Network([*weights, np.ones((1, sizes[-1]), dtype=np.bool_)], first_gate)


@dataclass(frozen=True)
class RandomStart(Start):
    """Random networks of all shapes and gates in turn."""

    init: RandomInit
    relations: Relations
    shapes: tuple[tuple[int, ...], ...]
    gates: tuple[Gate, ...]

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        variants = [(sizes, gate) for sizes in self.shapes for gate in self.gates]
        sizes, gate = variants[seed % len(variants)]
        if len(self.gates) == 1:
            return self.init.start(self.relations, sizes, gate, seed)
        return random_rules(self.init, self.relations, sizes, gate, seed)


def random_rules(init: RandomInit, relations: Relations, sizes: Sequence[int], gate: Gate, seed: int) -> Network:
    """A network whose first layer reads few literals a unit, whatever its gate."""
    return Network(init.start(relations, sizes, "and", seed).weights, gate)


def drawn_literals(relations: Relations) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The literals that random rules draw from, attribute by attribute, and where those of each attribute begin.

    Of an attribute these are the literals that exclude each other and those that have neighbours; where there are none
    such, all. So "!=", which says little, is drawn only where nothing else is left.

    >>> drawn_literals(Relations.of([0, 0, 0, 1, 1, 2], [0, 0, -1, -1, -1, 1]))
    (array([0, 1, 3, 4, 5]), array([0, 2, 4, 5]))
    """
    owner = relations.owner
    telling = (relations.exclusive >= 0) | (relations.up >= 0) | (relations.down >= 0)
    has_telling = np.bincount(owner, telling) > 0
    kept = telling | ~has_telling[owner]
    counts = np.bincount(owner[kept])
    bounds = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
    return relations.members[kept[relations.members]], bounds


@cache
def compile_ahead() -> None:
    """Compile, or load, what a start needs, before the clock of a search starts."""
    RandomInit().start(Relations.of([0], [0]), (1, 1), "and", 0)


class _Words:
    """The raw 32-bit words of a RandomState, fetched as they are needed."""

    def __init__(self, seed: int) -> None:
        self._rng = seeded(seed)
        self._words = np.empty(0, dtype=np.uint32)
        self._used = 0

    def read(self, fill: Callable[..., int], layer: NDArray[np.bool_], *args: object) -> None:
        """Let ``fill`` set weights of ``layer``; it starts over with more words where they run out."""
        while True:
            used = fill(self._words, self._used, layer, *args)
            if used >= 0:
                self._used = used
                return
            layer[:] = False
            more = self._rng.randint(0, 2**32, 4 * layer.size + 256, dtype=np.uint32)
            self._words = np.concatenate([self._words, more])
