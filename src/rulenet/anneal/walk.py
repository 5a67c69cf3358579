"""A network on its random walk: builds what the compiled loops need, and reads networks back."""

import functools
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet import kernels
from rulenet.anneal import kernels as walking
from rulenet.anneal.kernels import (
    BEST_ERRORS,
    BEST_N_EDGES,
    BEST_N_SHOWN,
    ERRORS,
    FIRST_PLANE,
    LOG_BITS,
    N_COUNTERS,
    N_EDGES,
    N_SHOWN,
    SET_ROW,
    WANTED_ROW,
    Walk,
)
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.vectors import new_lists
from rulenet.drawing import first_bits
from rulenet.exceptions import NetworkError
from rulenet.network import Network
from rulenet.search.problem import Problem
from rulenet.vectors import N_WORDS, new_signals


def weigh_moves(
    repairs: float = SCHEDULE.repairs, copies: float = SCHEDULE.copies, schedule: Schedule = SCHEDULE
) -> NDArray[np.float64]:
    """The cumulative shares of all kinds of proposals.

    >>> weigh_moves(0.5, 0.1).round(3)
    array([0.1 , 0.25, 0.35, 0.4 , 0.9 , 1.  ])
    """
    plain = np.array(schedule.plain_moves)
    plain[1] += schedule.more_additions * max(0.0, 1 - repairs / schedule.repairs)
    return np.cumsum([*plain / plain.sum() * (1 - repairs - copies), repairs, copies])


USUAL_MOVES = weigh_moves()


class Walker:
    """A walk over networks of one shape, judged by the rows of a problem."""

    def __init__(self, problem: Problem, walk: Walk, first_and: bool, moves: NDArray[np.float64]) -> None:
        self.moves = first_bits(moves)
        self.problem = problem
        self.walk = walk
        self.first_and = first_and
        n_weights = np.diff(walk.layer_starts).astype(np.float64)
        shares = (n_weights[1:] * n_weights[:-1]) ** SCHEDULE.layer_power
        self.shares = first_bits(np.cumsum([0.0, *shares]))

    @classmethod
    def of(cls, problem: Problem, network: Network, seed: int, moves: NDArray[np.float64] = USUAL_MOVES) -> Self:
        """A walk that starts at ``network``, whose units do not count, and which has one output."""
        if network.is_counting or network.n_outputs > 1:
            raise NetworkError(f"a walk cannot start from {network}: its units must need one input, and one output")
        flat = network.flat()
        walk = _empty_walk(flat, problem, seed)
        walking.load(walk, problem.rows, _edges_of(network), flat.first_and)
        return cls(problem, walk, flat.first_and, moves)

    @property
    def errors(self) -> int:
        """The total weight of the rows that the network got wrong at its best."""
        return int(self.walk.counters[BEST_ERRORS])

    @property
    def n_edges(self) -> int:
        """The edges of the network at its best."""
        return int(self.walk.counters[BEST_N_EDGES])

    @property
    def errors_now(self) -> int:
        """The total weight of the rows that the network, as it is now, gets wrong."""
        return int(self.walk.counters[ERRORS])

    @property
    def n_edges_now(self) -> int:
        """The edges of the network as it is now."""
        return int(self.walk.counters[N_EDGES])

    @property
    def n_shown_now(self) -> int:
        """The edges of the network, as it is now, that lead to a unit with several inputs."""
        return int(self.walk.counters[N_SHOWN])

    def cost(self, price: float) -> float:
        """Errors and shown edges of the best network, as one number."""
        return self.errors + price * int(self.walk.counters[BEST_N_SHOWN])

    def anneal(self, n_proposals: int, hot: float, cold: float, price: float, stop: NDArray[np.bool_]) -> None:
        """Walk ``n_proposals`` steps while the temperature falls from ``hot`` to ``cold``."""
        walking.anneal(self.walk, self.problem.rows, n_proposals, hot, cold, price, self.moves, self.shares, stop)

    def settle(self) -> None:
        """Go back to the best network."""
        edges = np.ascontiguousarray(self.walk.best[: self.n_edges], dtype=np.int64)
        walking.load(self.walk, self.problem.rows, edges, self.first_and)

    def prune(self, price: float, stop: NDArray[np.bool_]) -> int:
        """Go back to the best network and remove the edges that do not pay; how many."""
        self.settle()
        return int(walking.prune(self.walk, price, stop))

    def network(self) -> Network:
        """The best network so far."""
        return self._network(self.walk.best[: self.n_edges])

    def network_now(self) -> Network:
        """The network as it is now."""
        return self._network(self.walk.edges[: self.n_edges_now])

    def _network(self, edges: NDArray[np.int32]) -> Network:
        starts = self.walk.layer_starts
        weights = []
        for layer in range(1, len(starts) - 1):
            first, above, below = starts[layer], starts[layer + 1], starts[layer - 1]
            units, sources = edges[(first <= edges[:, 0]) & (edges[:, 0] < above)].T
            weights.append(np.zeros((above - first, first - below), dtype=np.bool_))
            weights[-1][units - first, sources - below] = True
        return Network(weights, "and" if self.first_and else "or")


def work_of_proposal(n_words: int) -> float:
    """The work of a proposal, in seconds of some machine: what searches without a time limit are planned by."""
    return 1.5e-7 + 1.3e-8 * n_words


def seconds_of_proposal(n_words: int) -> float:
    """About how long a proposal takes."""
    return 1.1e-7 + 2.5e-9 * n_words


def _edges_of(network: Network) -> NDArray[np.int64]:
    """(unit, input) of every edge, by signal numbers."""
    starts = np.cumsum([0, network.n_literals, *network.hidden_layer_sizes])
    edges = np.vstack([np.argwhere(w) + starts[[i + 1, i]] for i, w in enumerate(network.weights)])
    return np.ascontiguousarray(edges)  # one memory layout, one compilation


def _empty_walk(flat: kernels.Flat, problem: Problem, seed: int) -> Walk:
    n_signals, widest = int(flat.sizes.sum()), int(flat.sizes.max())
    layer_starts = np.concatenate([[0], np.cumsum(flat.sizes)])
    n_weights, n_literals = flat.weights.size, int(flat.sizes[0])
    n_units, n_words = n_signals - n_literals, problem.target.size
    flip = kernels.ALL if flat.first_and == (flat.sizes.size % 2 == 0) else kernels.NONE
    first_plane, n_planes = n_signals + FIRST_PLANE, len(problem.planes)
    signals = new_signals(first_plane + n_planes + n_units + 1, n_words)
    walk = Walk(
        signals=signals,
        inputs=new_lists(n_signals, widest + 1),
        n_inputs=np.zeros(n_signals, np.int64),
        readers=np.zeros((-(-n_units // 64), n_signals), np.uint64),
        edges=np.zeros((n_weights + N_WORDS, 2), np.int32),
        best=np.zeros((n_weights, 2), np.int32),
        layer_starts=layer_starts,
        layers=np.repeat(np.arange(flat.sizes.size), flat.sizes),
        relations=problem.relations,
        counters=np.zeros(N_COUNTERS, np.int64),
        waiting=np.zeros(-(-n_units // 64), np.uint64),
        changed=np.zeros(n_units + 1, np.int64),
        wanted=signals[n_signals + WANTED_ROW],
        planes=signals[first_plane : first_plane + n_planes],
        logarithms=_bound_logarithms(),
        random=np.array([seed], np.uint64),
    )
    walk.inputs[n_literals:] = n_signals + SET_ROW
    walk.wanted[:n_words] = problem.target ^ flip
    walk.planes[:, :n_words] = problem.planes
    return walk


@functools.cache
def _bound_logarithms() -> NDArray[np.float64]:
    """Below and above all logarithms of shares with the same leading bits, as computed by whatever library."""
    bounds = np.arange((1 << LOG_BITS) + 1) / (1 << LOG_BITS)
    with np.errstate(divide="ignore"):
        logarithms = np.log(bounds)
    return np.ascontiguousarray(np.column_stack([logarithms[:-1] - 1e-12, logarithms[1:] + 1e-12]))
