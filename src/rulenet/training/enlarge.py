"""From small samples to a large one: the best networks found so far walk on, and rows held out choose the price.

What a few thousand rows cannot tell from chance, ten times as many can. Walks on so many rows take long from a random
start, but not from a network that is nearly right. So the walks on small samples are followed by two rounds on one
large sample, each from the best networks before it; the second one follows the price of an edge upwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import perf_counter

import numpy as np
from numpy.random import RandomState

from rulenet.network import Network
from rulenet.training.crew import Crew, Job, draw_seed
from rulenet.training.path import Budget, Rung, follow_path, judge
from rulenet.training.plan import LONGER, Plan, end_at
from rulenet.training.problem import Problem
from rulenet.training.select import Candidates, description_length

# Rows of the large sample, at most; an eighth of all rows is held out, and at most so many.
MAX_SEEN, MAX_HELD_OUT = 1 << 15, 1 << 14
PRICES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
USUAL_PRICE = 2.0
# Walks of the two rounds.
N_FIRST, N_SECOND = 8, 4
# The temperatures of the first price, in rows of average weight; the upper one for as many rows as a sample may have.
HOT, LEAST_HOT, COLD = 8.0, 0.6, 0.1


@dataclass(frozen=True)
class Round:
    """So many walks on ``seen`` rows at these prices, each of so many proposals."""

    seen: Problem
    n_walks: int
    n_proposals: int
    prices: tuple[float, ...]


def enlarge(
    problem: Problem,
    plan: Plan,
    found: Sequence[Network],
    price: float | None,
    seed: int,
    crew: Crew,
    done: float,
    share: float,
) -> Candidates | None:
    """The networks that walks from the ones ``found`` lead to, at rising prices or up to the given one.

    None if there was no time for any. A share ``done`` of all work was done before, and this is another ``share``.
    """
    usual = USUAL_PRICE if price is None else price
    prices = PRICES if price is None else end_at(PRICES, price)
    seen, held_out = split(problem, seed)
    first = Round(seen, N_FIRST, plan.n_proposals, (usual,))
    second = Round(seen, N_SECOND, LONGER * plan.n_proposals, prices)
    half = share / 2
    early = _walk(first, _cheapest(found, first, plan.unit), plan, seed, len(found), crew, done, half, 2)
    if not early or crew.stop[0]:
        paths = []
    else:
        starts = _cheapest([path[0].network for path in early], first, plan.unit)
        paths = _walk(second, starts, plan, seed, len(found) + first.n_walks, crew, done + half, half, 1)
    # What the first round found is for all prices.
    standing = [[Rung(p * plan.unit, path[0].network, path[0].errors) for p in prices] for path in early]
    full = [judge(path, problem) for path in paths + standing]
    return Candidates(prices, usual, full, [(path, held_out) for path in paths]) if full else None


def split(problem: Problem, seed: int) -> tuple[Problem, Problem]:
    """Rows to see and rows held out, at random."""
    n_held_out = min(problem.n_rows // 8, MAX_HELD_OUT)
    shuffled = RandomState(seed % 2**32).permutation(problem.n_rows)
    seen = shuffled[n_held_out : n_held_out + MAX_SEEN]
    return problem.take(np.sort(seen)), problem.take(np.sort(shuffled[:n_held_out]))


def _cheapest(networks: Sequence[Network], this: Round, unit: float) -> list[Network]:
    """The networks of least cost on the rows seen, as many as there are walks."""
    price = this.prices[-1] * unit
    costs = [description_length(Rung(price, network, this.seen.errors(network))) for network in networks]
    return [networks[i] for i in np.argsort(costs, kind="stable")[: this.n_walks]]


def _walk(
    this: Round,
    starts: Sequence[Network],
    plan: Plan,
    seed: int,
    n_before: int,
    crew: Crew,
    done: float,
    share: float,
    n_rounds_left: int,
) -> list[list[Rung]]:
    """The paths of a round, which gets its share of the time left."""
    hot = max(LEAST_HOT, HOT * this.seen.n_rows / MAX_SEEN)
    seconds = None
    if crew.seconds_left is not None:
        left = crew.seconds_left - plan.refine_seconds - (plan.distil_seconds or 0.0)
        seconds = left / n_rounds_left / ceil(this.n_walks / crew.n_threads)

    def follow(k: int) -> list[Rung]:
        if crew.late:
            return []
        deadline = None if seconds is None else perf_counter() + seconds
        return follow_path(
            this.seen,
            starts[k % len(starts)],
            this.prices,
            plan.unit,
            draw_seed(seed, n_before + k),
            Budget.until(this.n_proposals, deadline, crew.stop),
            plan.moves,
            temperatures=(hot, COLD),
        )

    jobs = [Job(None, partial(follow, k)) for k in range(this.n_walks)]
    return [path for path in crew.run(jobs, done, share) if path]
