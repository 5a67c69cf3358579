"""The vote of many networks, and the network that agrees with it most.

Networks of about equal cost differ where no training row decides. Their weighted majority is more accurate there than
the cheapest of them, and so is the network that is closest to that majority on generated rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.network import Network
from rulenet.training.path import Rung
from rulenet.training.problem import Problem
from rulenet.training.select import description_length
from rulenet.training.walk import relatives_of

N_ROWS = 1 << 12
# The share of attributes that a generated row takes from another row.
EXCHANGED = 0.5
# Networks weigh less by e for this much more cost: so many rows of average weight, or this share of the least cost.
LEAST_SLACK, SLACK = 2.0, 0.2


@dataclass(frozen=True)
class Ballot:
    """Networks, and the share of all votes that each has."""

    networks: tuple[Network, ...]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, rungs: Sequence[Rung], unit: float, slack: float = SLACK) -> Self:
        """The vote of networks that count less the more they cost."""
        costs = np.array([description_length(rung) for rung in rungs])
        return cls(tuple(rung.network for rung in rungs), weigh(costs, unit, slack))

    def joined(self, other: Self, share: float) -> Self:
        """The vote of both, of which the ``other`` has a share."""
        weights = np.concatenate([(1 - share) * self.weights, share * other.weights])
        return type(self)(self.networks + other.networks, weights)

    def say(self, literals: bits.Words, n_rows: int) -> NDArray[np.bool_]:
        """What each network says of each row."""
        return np.array([bits.unpack(network.evaluate(literals), n_rows) for network in self.networks])

    def count(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """The share of votes for every row."""
        return np.asarray(self.weights @ self.say(literals, n_rows))


def find_central(problem: Problem, levels: Sequence[Sequence[Rung]], seed: int) -> list[Rung]:
    """Of the rungs of every level, those of one price, the one that agrees most with their weighted vote."""
    generated = generate_rows(problem, N_ROWS, RandomState(seed % 2**32))
    unit = problem.total_weight / problem.n_rows
    return [_closest_to_vote(rungs, generated, unit) for rungs in levels]


def _closest_to_vote(rungs: Sequence[Rung], generated: bits.Words, unit: float) -> Rung:
    ballot = Ballot.of(rungs, unit)
    says, costs = ballot.say(generated, N_ROWS), [description_length(rung) for rung in rungs]
    share = ballot.weights @ says
    # In a tie the cheaper one.
    return min(zip(np.abs(says - share).mean(axis=1).round(9), costs, range(len(rungs)), rungs, strict=True))[-1]


def weigh(costs: NDArray[np.float64], unit: float, share: float = SLACK) -> NDArray[np.float64]:
    """The weights of networks in a vote; one weighs less by e for a ``share`` of the least cost that it costs more.

    >>> weigh(np.array([10.0, 10.0, 12.0]), 1.0).round(3)
    array([0.422, 0.422, 0.155])
    """
    slack = max(LEAST_SLACK * unit, share * float(costs.min()))
    weights = np.exp((costs.min() - costs) / slack)
    return np.asarray(weights / weights.sum())


def generate_rows(problem: Problem, n_rows: int, rng: RandomState, exchanged: float = EXCHANGED) -> bits.Words:
    """Packed literals of ``n_rows`` mixtures of two training rows each; the second gives a share of the attributes."""
    first, second = rng.randint(problem.n_rows, size=(2, n_rows))
    attributes = relatives_of(problem.groups)[:, 0]
    words = np.empty((len(problem.literals), bits.n_words(n_rows)), np.uint64)
    taken = second
    for j, literal in enumerate(problem.literals):
        if attributes[j] == j:
            taken = np.where(rng.random_sample(n_rows) < exchanged, second, first)
        words[j] = bits.pack(bits.unpack(literal, problem.n_rows)[taken])
    return words
