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
from rulenet.network import Network
from rulenet.training.path import Budget, walk_on
from rulenet.training.problem import Problem, slice_weights
from rulenet.training.structure import widen
from rulenet.training.vote import Ballot

# Chains are independent of each other, and their number does not depend on that of threads.
N_CHAINS, N_ROUNDS = 2, 20
LEFT_OUT = 0.25
N_SPARE = 8
# Row weights are rounded to integers with this mean, and none is larger than this.
MEAN_WEIGHT, MAX_WEIGHT = 8, 255
HOT, COLD = 0.6, 0.1
# Errors of a round, as a share of all weight, between which its vote is counted.
LEAST_ERROR, MOST_ERROR = 1e-3, 0.499


class Chain(NamedTuple):
    """The networks of successive rounds, and what the vote of each counts."""

    networks: list[Network]
    says: list[float]


def boost(
    problem: Problem, starts: Sequence[Network], price: float, seed: int, budget: Budget, n_threads: int
) -> Ballot:
    """The vote of the networks of all rounds, whose walks begin at the ``starts`` in turn.

    An edge costs as much as ``price`` rows of average weight. The ``budget`` is that of a round.
    """

    def follow(chain: int) -> Chain:
        return _follow_chain(problem, starts[chain::N_CHAINS] or starts, price, seed + chain, budget)

    with ThreadPoolExecutor(n_threads) as pool:
        chains = list(pool.map(follow, range(N_CHAINS)))
    weights = np.concatenate([chain.says for chain in chains])
    return Ballot(tuple(network for chain in chains for network in chain.networks), weights / weights.sum())


def _follow_chain(problem: Problem, starts: Sequence[Network], price: float, seed: int, budget: Budget) -> Chain:
    rng = RandomState(seed % 2**32)
    target = bits.unpack(problem.target, problem.n_rows)
    weights = problem.weights.astype(np.float64)
    chain = Chain([], [])
    for i in range(N_ROUNDS):
        kept = np.flatnonzero(rng.random_sample(problem.n_rows) >= LEFT_OUT)
        weighted = replace(problem, planes=slice_weights(round_weights(weights)))
        seen = weighted.take(kept) if len(kept) else weighted
        network = _walk(seen, starts[i % len(starts)], price, rng.randint(2**31), budget)
        wrong = bits.unpack(network.evaluate(problem.literals), problem.n_rows) != target
        error = np.clip(weights[wrong].sum() / weights.sum(), LEAST_ERROR, MOST_ERROR)
        say = 0.5 * np.log((1 - error) / error)
        weights = weights * np.exp(np.where(wrong, say, -say))
        chain.networks.append(network)
        chain.says.append(say)
    return chain


def _walk(problem: Problem, start: Network, price: float, seed: int, budget: Budget) -> Network:
    unit = problem.total_weight / problem.n_rows
    return walk_on(problem, widen(start, N_SPARE), seed, budget, HOT * unit, COLD * unit, price * unit).network()


def round_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers close to the proportions of ``weights``; only a weight of zero becomes zero.

    >>> round_weights(np.array([1.0, 2.0, 1e-9, 0.0]))
    array([11, 21,  1,  0])
    """
    rounded = np.rint(weights / weights.mean() * MEAN_WEIGHT).clip(1, MAX_WEIGHT).astype(np.int64)
    return np.where(weights > 0, rounded, 0)
