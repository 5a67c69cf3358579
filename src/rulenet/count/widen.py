"""Which concepts would help a counting network: those that would do better in place of what its units read.

A unit depends on one of its inputs in some rows only, and there the loss is one with the input and another one without
it. The best input holds where it is the smaller one. So every place of every unit sets a task with a weight for each
row, and a concept that does the task better than what is read there, by more than it costs, is worth a trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.concepts import Concepts
from rulenet.count.scoring import Scoring, Unit
from rulenet.search.problem import Problem

Floats = NDArray[np.float64]

# Losses are whole numbers of which so many make a nat, so that sums are exact in any order.
ONE_NAT = 1 << 14


@dataclass(frozen=True)
class Joined:
    """At least ``least`` of the literals ``inputs``, and what it costs, by rows and in size."""

    inputs: tuple[int, ...]
    least: int
    cost: float

    @property
    def unit(self) -> Unit:
        """The same as a unit that holds where fewer than a need of its literals fail."""
        return tuple(sorted(self.inputs)), len(self.inputs) - self.least + 1


def propose_concepts(
    scoring: Scoring, problem: Problem, concepts: Concepts, price: float, max_inputs: int
) -> list[tuple[float, Unit]]:
    """Units of literals in place of what the units of a scoring read, by how much they would win, the best first.

    The scoring is one over the literals and the ``concepts`` of a problem that has them.
    """
    literals = bits.unpack(problem.literals, problem.n_rows)
    plain = literals[: concepts.n_literals].astype(np.float64)
    found = dict[Unit, float]()
    for inputs, need, delta in _tasks(scoring, problem):
        held = literals[list(inputs)]
        n_failing = (~held).sum(axis=0)
        for j, mine in zip(inputs, held, strict=True):
            # Where all others fail one less than the unit stands, it is this input that decides.
            weights = np.where(n_failing - ~mine == need - 1, delta, 0.0)
            begin = ((j,), 1) if j < concepts.n_literals else concepts.units[j - concepts.n_literals]
            gain, unit = _improve(plain, weights, begin, mine, ONE_NAT * price, max_inputs)
            if unit is not None and gain > found.get(unit, 0.0):
                found[unit] = gain
    return sorted(((gain, unit) for unit, gain in found.items()), key=lambda pair: (-pair[0], pair[1]))


def _tasks(scoring: Scoring, problem: Problem) -> list[tuple[tuple[int, ...], int, Floats]]:
    """The units, and for every row what it costs more, or less, if a unit holds there; in parts of a nat."""
    scores = scoring.scores(problem.literals, problem.n_rows)
    mass, tasks = problem.weights / problem.row_weight, []
    literals = bits.unpack(problem.literals, problem.n_rows)
    for inputs, need, points in zip(scoring.inputs, scoring.needs, scoring.points, strict=True):
        holds = (~literals[list(inputs)]).sum(axis=0) < need
        without = scores - holds[:, np.newaxis] * points
        more = losses(without + points, problem.codes, scoring.scale)
        less = losses(without, problem.codes, scoring.scale)
        tasks.append((inputs, need, np.rint(ONE_NAT * mass * (more - less))))
    return tasks


def losses(scores: NDArray[np.int64], codes: NDArray[np.int64], scale: float) -> Floats:
    """What rows of these classes cost, in nats: logistic for one output, softmax for several."""
    if scores.shape[1] == 1:
        margins = scale * (scores[:, 0] + 0.5)
        return np.logaddexp(0, np.where(codes == 1, -margins, margins))
    scaled = scale * scores
    return np.asarray(np.logaddexp.reduce(scaled, axis=1) - scaled[np.arange(len(codes)), codes])


def _improve(
    literals: Floats, weights: Floats, begin: Unit, held: NDArray[np.bool_], price: float, max_inputs: int
) -> tuple[float, Unit | None]:
    """How much the best concept found wins over what is there, and that concept; None if nothing is won."""
    inputs, need = begin
    now = Joined(inputs, len(inputs) - need + 1, float(weights[held].sum()) + price * _size(len(inputs), need))
    rows = np.flatnonzero(weights)
    if now.cost - weights[weights < 0].sum() <= 2 * price:  # not even a perfect one would pay
        return 0.0, None
    literals, weights = literals[:, rows], weights[rows]
    best = first = now
    while len(now.inputs) < max_inputs:
        now = min(_longer(now, literals, weights, price), key=lambda joined: joined.cost)
        if now.cost < best.cost:
            best = now
    return (first.cost - best.cost, best.unit) if best is not first else (0.0, None)


def _longer(now: Joined, literals: Floats, weights: Floats, price: float) -> Sequence[Joined]:
    """The best ways to join one more literal: with as many that must hold, and with one more."""
    count, found = literals[list(now.inputs)].sum(axis=0), []
    for least in (now.least, now.least + 1):
        values = weights[count >= least].sum() + literals @ np.where(count == least - 1, weights, 0.0)
        values[list(now.inputs)] = np.inf
        j, n = int(values.argmin()), len(now.inputs) + 1
        cost = float(values[j]) + price * _size(n, n - least + 1)
        found.append(Joined((*now.inputs, j), least, cost))
    return found


def _size(n_inputs: int, need: int) -> int:
    """What a concept adds to the size of a network: its literals, and one for counting; a literal adds nothing."""
    return n_inputs + (need < n_inputs) if n_inputs > 1 else 0
