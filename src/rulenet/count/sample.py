"""Networks sampled by walks at a constant temperature, and their vote.

A walk that has cooled to about a nat and stays there passes through networks in proportion to the exponential of minus
their cost. The mean of their probabilities is that of a Bayesian average over networks, and more accurate than any one
of them: see D. Denison, B. Mallick and A. Smith, "A Bayesian CART algorithm", Biometrika 85(2), 1998.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.schedule import Law, Schedule
from rulenet.count.scoring import Scoring
from rulenet.count.walk import Walker, rows_of
from rulenet.search.budget import Budget
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem


class Opinion(Protocol):
    """What tells how likely the classes of rows are."""

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """The probabilities of packed rows, (n_rows, n_classes)."""


@dataclass(frozen=True)
class Voters:
    """Sampled networks, of equal say; and guests, each of whom has as much say as all networks together."""

    scorings: tuple[Scoring, ...]
    guests: tuple[Opinion, ...] = ()

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """The mean of their probabilities, (n_rows, n_classes)."""
        networks = _mean(self.scorings, literals, n_rows)
        if not self.guests:
            return networks
        n_guests = len(self.guests)
        return (networks + n_guests * _mean(self.guests, literals, n_rows)) / (1 + n_guests)

    def joined_by(self, guest: Opinion) -> Self:
        """The same with one more guest."""
        return replace(self, guests=(*self.guests, guest))


def _mean(opinions: Sequence[Opinion], literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
    total: NDArray[np.float64] = sum(opinion.probabilities(literals, n_rows) for opinion in opinions)  # type: ignore[assignment]
    return total / len(opinions)


def join(parties: Iterable[Voters]) -> Voters:
    """Voters of several parties together."""
    return Voters(tuple(scoring for voters in parties for scoring in voters.scorings))


def sample_voters(
    problem: Problem,
    opposite: NDArray[np.int64],
    law: Law,
    schedule: Schedule,
    seed: int,
    budget: Budget,
    begin: Scoring | None = None,
) -> Sequence[Scoring]:
    """The networks that a walk leaves behind; each walk sees a sample of many rows."""
    chosen = sample_rows(np.arange(problem.n_rows), schedule.max_rows, seed, problem.codes)
    seen = problem if len(chosen) == problem.n_rows else problem.take(chosen)
    rows = rows_of(seen.literals, class_weights(seen), seen.relations, opposite)
    walker = Walker.of(rows, law, problem.row_weight, seed, schedule.max_units, begin)
    n_after = schedule.n_snapshots * schedule.n_between
    share = schedule.n_burn / (schedule.n_burn + n_after)
    budget.part(share, share).cool(walker, law.hot if begin is None else schedule.start_hot, law.cold, law.price)
    n_snapshots = count_snapshots(schedule, None if budget.seconds is None else (1 - share) * budget.seconds)
    between = budget.part((1 - share) / n_snapshots, (1 - share) / schedule.n_snapshots)
    found = []
    for _ in range(n_snapshots):
        between.cool(walker, law.cold, law.cold, law.price)
        found.append(walker.now())
    return found


def count_snapshots(schedule: Schedule, seconds: float | None) -> int:
    """How many networks a walk leaves behind within some seconds, None where time is not limited.

    >>> [count_snapshots(Schedule(), seconds) for seconds in (None, 0.0, 0.02, 9.0)]
    [20, 1, 4, 20]
    """
    if seconds is None:
        return schedule.n_snapshots
    return max(1, min(schedule.n_snapshots, int(seconds / schedule.least_between)))


def class_weights(problem: Problem) -> NDArray[np.int64]:
    """The weight of every row at its class, (n_rows, n_classes)."""
    weights = np.zeros((problem.n_rows, problem.n_classes), dtype=np.int64)
    weights[np.arange(problem.n_rows), problem.codes] = problem.weights
    return weights
