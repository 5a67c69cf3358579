"""A counting network on its random walk: builds what the compiled loops need, and reads networks back."""

from collections.abc import Callable
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet.count import kernels
from rulenet.count.kernels import (
    BEST_LOSS,
    BEST_N_UNITS,
    BEST_SIZE,
    MAX_INPUTS,
    N_COUNTERS,
    N_UNITS,
    OFFSET,
    ONE_NAT,
    Bounds,
    Rows,
    Tables,
    Walk,
)
from rulenet.count.schedule import MOVES, Law, Loss
from rulenet.count.scoring import Scoring
from rulenet.relations import Relations

# What a margin costs that is above zero where the row gets its class.
LOSSES: dict[Loss, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "logistic": lambda margin: np.logaddexp(0, -margin),
    "hinge": lambda margin: np.maximum(0, 1 - margin),
    "errors": lambda margin: np.where(margin > 0, 0.0, 1.0),
}
# Probabilities are taken for certain beyond so many nats.
MOST_NATS = 20.0
# With more outputs, what a point would cost is not kept for every row: it changes too often.
MOST_NOTED = 4
# Units that a walk may add to those of the network that it begins at.
N_SPARE = 16


@cache
def tables_of(scale: float, loss: Loss = "logistic") -> Tables:
    """The losses of scores: one of `LOSSES` for one output, softmax for several."""
    scores = np.arange(-OFFSET, OFFSET + 1)
    margin = scale * (scores + 0.5)
    losses = np.rint(LOSSES[loss](np.array([-margin, margin])) * ONE_NAT).astype(np.int64)
    shifted = np.clip(scale * scores, -MOST_NATS, MOST_NATS) + MOST_NATS / 2
    powers = np.maximum(1, np.rint(np.exp(shifted))).astype(np.int64)
    mantissas = 1 + (np.arange(1 << kernels.LOG_BITS) + 0.5) / (1 << kernels.LOG_BITS)
    logs = np.rint(np.log(mantissas) * ONE_NAT).astype(np.int64)
    return Tables(losses, powers, logs, np.rint(shifted * ONE_NAT).astype(np.int64), np.int64(np.log(2) * ONE_NAT))


def rows_of(
    literals: NDArray[np.uint64], weights: NDArray[np.int64], relations: Relations, opposite: NDArray[np.int64]
) -> Rows:
    """Rows for a walk; ``weights`` (n_rows, n_classes) says how much every class weighs in a row."""
    padded = np.zeros((weights.shape[1], literals.shape[1] * 64), np.int64)
    padded[:, : len(weights)] = weights.T
    related = (relations.owner, relations.down, relations.up, relations.starts, relations.members, opposite)
    return Rows(np.ascontiguousarray(literals), padded, padded.sum(axis=0), padded.argmax(axis=0), *related)


class Walker:
    """A walk over counting networks, judged by some rows; losses and prices are multiples of ``row_weight``."""

    def __init__(self, rows: Rows, walk: Walk, law: Law, row_weight: float) -> None:
        self.rows, self.walk, self.law = rows, walk, law
        self.nat = row_weight * ONE_NAT
        self.tables = tables_of(law.scale, law.loss)
        self.bounds = Bounds(law.max_inputs, law.max_points, law.max_need, True)
        self.moves = np.cumsum([*MOVES.values()])

    @classmethod
    def of(
        cls, rows: Rows, law: Law, row_weight: float, seed: int, max_units: int, begin: Scoring | None = None
    ) -> Self:
        """A walk that starts at the network without units, or at a given one, which may have more of them."""
        if begin is None:
            walker = cls(rows, _empty_walk(rows, seed, max_units), law, row_weight)
        else:
            walker = cls(rows, _walk_from(begin, rows, seed, max_units), law, row_weight)
        kernels.evaluate(walker.walk, rows, walker.tables)
        return walker

    def anneal(self, n_proposals: int, hot: float, cold: float, price: float, stop: NDArray[np.bool_]) -> None:
        """Walk ``n_proposals`` steps while the temperature falls from ``hot`` to ``cold``, in nats."""
        temperatures = hot * self.nat, cold * self.nat
        kernels.anneal(
            self.walk, self.rows, self.tables, self.bounds, n_proposals, *temperatures, price * self.nat, self.moves,
            stop,
        )  # fmt: skip

    @property
    def cost(self) -> float:
        """Loss and price of the best network, in nats of an average row."""
        counters = self.walk.counters
        return float(counters[BEST_LOSS]) / self.nat + self.law.price * int(counters[BEST_SIZE])

    def now(self) -> Scoring:
        """The network as it is now."""
        walk = self.walk
        n_units = int(walk.counters[N_UNITS])
        return self._scoring(walk.inputs, walk.n_inputs, walk.need, walk.points, walk.bias, n_units)

    def best(self) -> Scoring:
        """The best network so far."""
        walk, n_units = self.walk, int(self.walk.counters[BEST_N_UNITS])
        return self._scoring(
            walk.best_inputs, walk.best_n_inputs, walk.best_need, walk.best_points, walk.best_bias, n_units
        )

    def _scoring(
        self,
        inputs: NDArray[np.int32],
        n_inputs: NDArray[np.int64],
        need: NDArray[np.int64],
        points: NDArray[np.int64],
        bias: NDArray[np.int64],
        n_units: int,
    ) -> Scoring:
        read = tuple(tuple(sorted(inputs[u, : n_inputs[u]].tolist())) for u in range(n_units))
        return Scoring(read, tuple(need[:n_units].tolist()), points[:n_units].copy(), bias.copy(), self.law.scale)


def _walk_from(begin: Scoring, rows: Rows, seed: int, max_units: int) -> Walk:
    n_units = len(begin.inputs)
    longest = max(map(len, begin.inputs), default=0)
    walk = _empty_walk(rows, seed, max(max_units, n_units + N_SPARE), max(MAX_INPUTS, longest))
    walk.counters[N_UNITS] = n_units
    for u, inputs in enumerate(begin.inputs):
        walk.inputs[u, : len(inputs)], walk.n_inputs[u] = inputs, len(inputs)
    walk.need[:n_units], walk.points[:n_units], walk.bias[:] = begin.needs, begin.points, begin.bias
    return walk


def _empty_walk(rows: Rows, seed: int, max_units: int, max_inputs: int = MAX_INPUTS) -> Walk:
    n_classes = len(rows.weights)
    n_outputs, (n_rows, n_words) = 1 if n_classes == 2 else n_classes, (len(rows.totals), rows.literals.shape[1])
    many = n_outputs > 1

    def units() -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        count = np.zeros((3, max_units), np.int64)
        points = np.zeros((max_units, n_outputs), np.int64)
        return (
            np.zeros((max_units, max_inputs + 1), np.int32),
            count[0],
            count[1],
            points,
            np.zeros(n_outputs, np.int64),
        )

    return Walk(
        np.zeros((max_units, n_words), np.uint64),
        *units(),
        np.zeros((n_outputs, n_rows), np.int32),
        np.zeros(n_rows if many else 1, np.int64),
        np.zeros(n_rows if many else 1, np.int64),
        np.zeros((2 * n_outputs if n_outputs <= MOST_NOTED else 0, n_rows), np.int64),
        *units(),
        np.zeros(n_words, np.uint64),
        np.zeros(max_inputs + 2, np.int32),
        np.zeros(n_outputs, np.int64),
        np.zeros(n_outputs, np.int64),
        np.zeros(N_COUNTERS, np.int64),
        np.array([seed], np.uint64),
    )
