"""One network for the vote of many.

Networks of about equal cost differ where no training row decides, and where labels are wrong; their weighted majority
is more accurate than any one of them, and boosted networks make it more so. One network is fitted to the training rows
together with generated rows, labelled by the vote, as in C. Bucila, R. Caruana and A. Niculescu-Mizil, "Model
Compression", KDD 2006. A generated row is a training row in which some attributes have the values of another one.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.anneal.boost import boost
from rulenet.anneal.path import walk_on
from rulenet.anneal.price import Candidate
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.vote import Vote
from rulenet.anneal.walk import Walker
from rulenet.search.budget import Budget
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem
from rulenet.search.structure import widen
from rulenet.search.weights import slice_weights


def distil(
    problem: Problem,
    candidates: Sequence[Candidate],
    others: Sequence[Candidate],
    n_spare: int,
    seed: int,
    budget: Budget,
    n_threads: int,
    schedule: Schedule = SCHEDULE,
) -> Candidate | None:
    """The best network for training rows and vote that a walk from one of the cheapest ``candidates`` finds.

    The ``others`` vote as well, but no walk starts from them. All are of one price, with their errors on all rows. A
    walk may fill ``n_spare`` more units in every layer. None where the voters agree, or there are too few.
    """
    vote = Vote.of([*candidates, *others], problem.row_weight, schedule.distil_slack)
    n_generated = min(schedule.n_generated * problem.n_rows, schedule.max_generated)
    generated = generate_rows(problem, n_generated, RandomState(seed % 2**32), schedule.distil_exchanged)
    disagreement = _disagreement(vote.shares(generated, n_generated))
    if len(vote.networks) < schedule.least_voters or disagreement < schedule.least_disagreement:
        return None
    starts = sorted(candidates, key=lambda found: found.cost)
    if problem.n_rows >= schedule.boosted_rows:
        vote = vote.joined(_boosted(problem, starts, seed, budget, n_threads, schedule), schedule.boosted_share)
        budget = budget.part(1 - schedule.boosted_time)
    taught = add_rows(problem, generated, vote.shares(generated, n_generated), schedule)
    price = starts[0].price
    walks = _fit(taught, starts, price, problem.row_weight, n_spare, seed, budget, n_threads, schedule)
    scaled = price * schedule.price_share * schedule.vote_weight
    network = min(walks, key=lambda walker: walker.cost(scaled)).network()
    return Candidate(price, network, problem.errors(network))


def _boosted(
    problem: Problem, starts: Sequence[Candidate], seed: int, budget: Budget, n_threads: int, schedule: Schedule
) -> Vote:
    n_turns = schedule.n_rounds * ceil(schedule.n_chains / n_threads)
    of_round = budget.part(schedule.boosted_time, schedule.round_proposals, n_turns)
    networks, price = [start.network for start in starts], starts[0].price / problem.row_weight
    return boost(problem, networks, price, seed, of_round, n_threads, schedule)


def _fit(
    taught: Problem,
    starts: Sequence[Candidate],
    price: float,
    row_weight: float,
    n_spare: int,
    seed: int,
    budget: Budget,
    n_threads: int,
    schedule: Schedule,
) -> list[Walker]:
    """Walks over training rows and vote, from the first few starts."""
    budget = budget.part(n_turns=ceil(schedule.n_distilling / n_threads))
    scaled = price * schedule.price_share * schedule.vote_weight
    hot = max(schedule.distil_hot * row_weight * schedule.vote_weight, scaled)
    cold = hot * schedule.distil_cold / schedule.distil_hot

    def walk(number: int) -> Walker:
        start = widen(starts[number].network, n_spare)
        return walk_on(taught, start, seed + number, budget, hot, cold, scaled)

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(walk, range(min(schedule.n_distilling, len(starts)))))


def add_rows(
    problem: Problem, generated: bits.Words, shares: NDArray[np.float64], schedule: Schedule = SCHEDULE
) -> Problem:
    """Training rows and ``generated`` rows, whose target is the vote that gave them its ``shares``.

    A training row of weight one weighs as much as a unanimous vote.
    """
    voted = np.rint(np.abs(2 * shares - 1) * schedule.vote_weight).astype(np.int64)
    weights = np.concatenate([problem.weights * schedule.vote_weight, voted])
    pairs = zip(problem.literals, generated, strict=True)
    literals = np.vstack([_joined(known, problem, new, len(shares)) for known, new in pairs])
    target = _joined(problem.target, problem, bits.pack(shares > 0.5), len(shares))
    return Problem(literals, target, slice_weights(weights), problem.relations, len(weights))


def _joined(known: bits.Words, problem: Problem, generated: bits.Words, n_generated: int) -> bits.Words:
    return bits.pack(np.concatenate([bits.unpack(known, problem.n_rows), bits.unpack(generated, n_generated)]))


def _disagreement(shares: NDArray[np.float64]) -> float:
    """How often two random voters differ."""
    return float((shares * (1 - shares)).mean() * 2)
