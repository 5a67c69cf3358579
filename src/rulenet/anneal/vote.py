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
from rulenet.anneal.price import Candidate
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.network import Network
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem


@dataclass(frozen=True)
class Vote:
    """Networks, and the share of all votes that each has."""

    networks: tuple[Network, ...]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, candidates: Sequence[Candidate], row_weight: float, slack: float = SCHEDULE.slack) -> Self:
        """The vote of networks that count less the more they cost."""
        costs = np.array([found.cost for found in candidates])
        return cls(tuple(found.network for found in candidates), weigh(costs, row_weight, slack))

    def joined(self, other: Self, share: float) -> Self:
        """The vote of both, of which the ``other`` has a share."""
        weights = np.concatenate([(1 - share) * self.weights, share * other.weights])
        return type(self)(self.networks + other.networks, weights)

    def outputs(self, literals: bits.Words, n_rows: int) -> NDArray[np.bool_]:
        """The output of each network for each row."""
        return np.array([bits.unpack(network.evaluate(literals), n_rows) for network in self.networks])

    def shares(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """The share of votes for every row."""
        return np.asarray(self.weights @ self.outputs(literals, n_rows))


def find_central(
    problem: Problem, levels: Sequence[Sequence[Candidate]], seed: int, schedule: Schedule = SCHEDULE
) -> list[Candidate]:
    """Of the candidates of every level, those of one price, the one that agrees most with their weighted vote."""
    rng = RandomState(seed % 2**32)
    generated = generate_rows(problem, schedule.vote_rows, rng, schedule.vote_exchanged)
    return [_closest_to_vote(level, generated, problem.row_weight, schedule) for level in levels]


def _closest_to_vote(
    candidates: Sequence[Candidate], generated: bits.Words, row_weight: float, schedule: Schedule
) -> Candidate:
    vote = Vote.of(candidates, row_weight, schedule.slack)
    outputs, costs = vote.outputs(generated, schedule.vote_rows), [found.cost for found in candidates]
    distances = np.abs(outputs - vote.weights @ outputs).mean(axis=1).round(9)
    # In a tie the cheaper one.
    return min(zip(distances, costs, range(len(candidates)), candidates, strict=True))[-1]


def weigh(costs: NDArray[np.float64], row_weight: float, share: float = SCHEDULE.slack) -> NDArray[np.float64]:
    """The weights of networks in a vote; one weighs less by e for a ``share`` of the least cost that it costs more.

    >>> weigh(np.array([10.0, 10.0, 12.0]), 1.0).round(3)
    array([0.422, 0.422, 0.155])
    """
    slack = max(SCHEDULE.least_slack * row_weight, share * float(costs.min()))
    weights = np.exp((costs.min() - costs) / slack)
    return np.asarray(weights / weights.sum())
