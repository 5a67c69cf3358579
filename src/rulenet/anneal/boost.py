"""Networks that vote better together: each walks over rows that weigh more where those before it went wrong.

This is AdaBoost (Y. Freund and R. E. Schapire, 1997), with a part of the rows left out of every round, as in
J. H. Friedman, "Stochastic Gradient Boosting", 2002: rows with a wrong label, which gain weight in every round, would
else be learned by heart.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.anneal.path import walk_on
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.vote import Vote
from rulenet.network import Network
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem
from rulenet.search.structure import widen
from rulenet.search.weights import slice_weights


class Chain(NamedTuple):
    """The networks of successive rounds, and what the vote of each counts."""

    networks: list[Network]
    weights: list[float]


def boost(
    problem: Problem,
    starts: Sequence[Network],
    price: float,
    seed: int,
    budget: Budget,
    n_threads: int,
    schedule: Schedule = SCHEDULE,
) -> Vote:
    """The vote of the networks of all rounds, whose walks begin at the ``starts`` in turn.

    An edge costs as much as ``price`` rows of average weight. The ``budget`` is that of a round.
    """
    n_chains = schedule.n_chains

    def follow(chain: int) -> Chain:
        return _follow_chain(problem, starts[chain::n_chains] or starts, price, seed + chain, budget, schedule)

    with ThreadPoolExecutor(n_threads) as pool:
        chains = list(pool.map(follow, range(n_chains)))
    weights = np.concatenate([chain.weights for chain in chains])
    return Vote(tuple(network for chain in chains for network in chain.networks), weights / weights.sum())


def _follow_chain(
    problem: Problem, starts: Sequence[Network], price: float, seed: int, budget: Budget, schedule: Schedule
) -> Chain:
    rng = RandomState(seed % 2**32)
    target = bits.unpack(problem.target, problem.n_rows)
    weights = problem.weights.astype(np.float64)
    chain = Chain([], [])
    for i in range(schedule.n_rounds):
        kept = np.flatnonzero(rng.random_sample(problem.n_rows) >= schedule.left_out)
        weighted = replace(problem, planes=slice_weights(round_weights(weights, schedule)))
        seen = weighted.take(kept) if len(kept) else weighted
        network = _walk(seen, starts[i % len(starts)], price, rng.randint(2**31), budget, schedule)
        wrong = bits.unpack(network.evaluate(problem.literals), problem.n_rows) != target
        error = np.clip(weights[wrong].sum() / weights.sum(), schedule.least_error, schedule.most_error)
        weight = 0.5 * np.log((1 - error) / error)
        weights = weights * np.exp(np.where(wrong, weight, -weight))
        chain.networks.append(network)
        chain.weights.append(weight)
    return chain


def _walk(problem: Problem, start: Network, price: float, seed: int, budget: Budget, schedule: Schedule) -> Network:
    average = problem.total_weight / problem.n_rows
    hot, cold, price = (average * times for times in (schedule.boost_hot, schedule.boost_cold, price))
    return walk_on(problem, widen(start, schedule.boost_spare), seed, budget, hot, cold, price).network()


def round_weights(weights: NDArray[np.float64], schedule: Schedule = SCHEDULE) -> NDArray[np.int64]:
    """Integers close to the proportions of ``weights``; only a weight of zero becomes zero.

    >>> round_weights(np.array([1.0, 2.0, 1e-9, 0.0]))
    array([11, 21,  1,  0])
    """
    scaled = np.rint(weights / weights.mean() * schedule.mean_weight)
    return np.where(weights > 0, scaled.clip(1, schedule.max_weight).astype(np.int64), 0)
