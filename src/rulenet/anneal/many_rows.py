"""From small samples to a large one, and from that to all rows.

What a few thousand rows cannot tell from chance, ten times as many can. Walks on so many rows take long from a random
start, but not from a network that is nearly right. So the walks on small samples are followed by two rounds on one
large sample, each from the best networks before it; the second one follows the price of an edge upwards, and rows held
out choose the price. Last, the best network walks on at low temperature on more and more rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import perf_counter

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.anneal.jobs import Job, Run
from rulenet.anneal.path import follow_path
from rulenet.anneal.plan import Plan
from rulenet.anneal.price import Candidate, Path, Paths, end_at, judge
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.walk import Walker, seconds_of_proposal, work_of_proposal
from rulenet.network import Network
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, sample_rows
from rulenet.search.problem import Problem


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
    run: Run,
    done: float,
    share: float,
) -> Paths | None:
    """The networks that walks from the ones ``found`` lead to, at rising prices or up to the given one.

    None if there was no time for any. A share ``done`` of all work was done before, and this is another ``share``.
    """
    schedule = plan.schedule
    usual = schedule.usual_large_price if price is None else price
    prices = schedule.large_prices if price is None else end_at(schedule.large_prices, price)
    seen, held_out = split(problem, seed, schedule)
    first = Round(seen, schedule.n_first, plan.n_proposals, (usual,))
    second = Round(seen, schedule.n_second, schedule.longer * plan.n_proposals, prices)
    half = share / 2
    early = _walk(first, _cheapest(found, first, plan.row_weight), plan, seed, len(found), run, done, half, 2)
    if not early or run.stop[0]:
        paths = []
    else:
        starts = _cheapest([path[0].network for path in early], first, plan.row_weight)
        paths = _walk(second, starts, plan, seed, len(found) + first.n_walks, run, done + half, half, 1)
    # What the first round found is for all prices.
    standing = [[Candidate(p * plan.row_weight, path[0].network, path[0].errors) for p in prices] for path in early]
    full = [judge(path, problem) for path in paths + standing]
    return Paths(prices, usual, full, [(path, held_out) for path in paths]) if full else None


def split(problem: Problem, seed: int, schedule: Schedule = SCHEDULE) -> tuple[Problem, Problem]:
    """Rows to see and rows held out, at random."""
    n_held_out = min(problem.n_rows // 8, schedule.max_held_out)
    shuffled = RandomState(seed % 2**32).permutation(problem.n_rows)
    seen = shuffled[n_held_out : n_held_out + schedule.large_sample]
    return problem.take(np.sort(seen)), problem.take(np.sort(shuffled[:n_held_out]))


def _cheapest(networks: Sequence[Network], this: Round, row_weight: float) -> list[Network]:
    """The networks of least cost on the rows seen, as many as there are walks."""
    price = this.prices[-1] * row_weight
    costs = [Candidate(price, network, this.seen.errors(network)).cost for network in networks]
    return [networks[i] for i in np.argsort(costs, kind="stable")[: this.n_walks]]


def _walk(
    this: Round,
    starts: Sequence[Network],
    plan: Plan,
    seed: int,
    n_before: int,
    run: Run,
    done: float,
    share: float,
    n_rounds_left: int,
) -> list[Path]:
    """The paths of a round, which gets its share of the time left."""
    schedule = plan.schedule
    hot = max(schedule.least_large_hot, schedule.large_hot * this.seen.n_rows / schedule.large_sample)
    seconds = None
    if run.seconds_left is not None:
        left = run.seconds_left - plan.refine_seconds - (plan.distil_seconds or 0.0)
        seconds = left / n_rounds_left / ceil(this.n_walks / run.n_threads)

    def follow(k: int) -> Path:
        if run.late:
            return []
        deadline = None if seconds is None else perf_counter() + seconds
        return follow_path(
            this.seen,
            starts[k % len(starts)],
            this.prices,
            plan.row_weight,
            draw_seed(seed, n_before + k),
            Budget.until(this.n_proposals, deadline, run.stop),
            plan.moves,
            temperatures=(hot, schedule.large_cold),
            schedule=schedule,
        )

    jobs = [Job(None, partial(follow, k)) for k in range(this.n_walks)]
    return [path for path in run.follow(jobs, done, share) if path]


def refine(
    problem: Problem,
    found: Candidate,
    seconds: float,
    limited: bool,
    seed: int,
    stop: NDArray[np.bool_],
    schedule: Schedule = SCHEDULE,
) -> Candidate:
    """The candidate after walks on growing samples, the last one on all rows, and pruning there.

    That takes about so many ``seconds``, or, where ``limited``, no more.
    """
    network, stages = found.network, _stages(problem.n_rows, schedule)
    for n_rows in stages:
        seen = problem
        if n_rows < problem.n_rows:
            seen = problem.take(sample_rows(np.arange(problem.n_rows), n_rows, seed))
        # Chance regularities that win a row or two in a small sample win more in a larger one, as its square root.
        scaled = found.price * max(1.0, (n_rows / schedule.large_sample) ** 0.5)
        share = seconds / len(stages)
        each = (seconds_of_proposal if limited else work_of_proposal)(bits.n_words(n_rows))
        n = int(np.clip(share / each, schedule.least_refining, schedule.most_refining))
        walker = Walker.of(seen, network, seed)
        budget = Budget(n, share if limited else None, stop)
        budget.cool(walker, schedule.refine_hot * scaled, schedule.refine_cold * scaled, scaled)
        network = walker.network()
        if stop[0]:
            break
    last = walker if walker.problem is problem else Walker.of(problem, network, seed)
    last.prune(scaled, stop)
    return min((found, Candidate(found.price, last.network(), last.errors)), key=lambda c: c.errors)


def _stages(n_rows: int, schedule: Schedule = SCHEDULE) -> list[int]:
    """Growing numbers of rows, up to all.

    >>> _stages(1_000_000)
    [262144, 1000000]
    """
    stages, n = [], schedule.growth * schedule.large_sample
    while n < n_rows:
        stages.append(n)
        n *= schedule.growth
    return [*stages, n_rows]
