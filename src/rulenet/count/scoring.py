"""What a walk finds: units that give points to classes; and the network that says the same."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count import kernels
from rulenet.network import Network

# A unit holds where fewer than so many of its literals fail.
Unit = tuple[tuple[int, ...], int]


@dataclass(frozen=True)
class Scoring:
    """Units of literals, their points for every output, and the scores that outputs start from.

    Unit u holds where fewer than ``needs[u]`` of the literals ``inputs[u]`` fail; needs are 4 at most. The loss of a
    walk was that of ``scale`` times the score.
    """

    inputs: tuple[tuple[int, ...], ...]
    needs: tuple[int, ...]
    points: NDArray[np.int64]
    bias: NDArray[np.int64]
    scale: float

    def rescaled(self, scale: float, max_points: int) -> Self:
        """About the same losses at another scale, where a point is worth more or less.

        A unit gives at most ``max_points`` to an output; it stands there again for what is left.
        """
        ratio, totals = self.scale / scale, dict[Unit, NDArray[np.int64]]()
        for unit, points in zip(zip(self.inputs, self.needs, strict=True), self.points, strict=True):
            totals[unit] = totals.get(unit, 0) + points
        found = list[tuple[Unit, NDArray[np.int64]]]()
        for unit, points in totals.items():
            left = np.rint(points * ratio).astype(np.int64)
            while left.any():
                found.append((unit, np.clip(left, -max_points, max_points)))
                left = left - found[-1][1]
        # One output is judged half a point above its score.
        half = 0.5 if len(self.bias) == 1 else 0.0
        bias = np.rint((self.bias + half) * ratio - half).astype(np.int64)
        given = np.array([points for _, points in found], dtype=np.int64).reshape(-1, len(bias))
        return type(self)(
            tuple(inputs for (inputs, _), _ in found), tuple(need for (_, need), _ in found), given, bias, scale
        )

    def network(self, n_literals: int, opposite: NDArray[np.int64]) -> Network:
        """The network whose margins are the scores.

        A unit that gives several points stands there as often. One that speaks against a class is the unit of the
        opposite literals that holds where this one does not, and the output needs one more for it. An output that
        would need nothing gets units that always hold; with several outputs all of them may need more alike.
        """
        units, edges, needs = list[Unit](), list[list[int]](), list[int]()
        for k in range(len(self.bias)):
            mine, need = list[int](), -int(self.bias[k])
            for u, inputs in enumerate(self.inputs):
                n = int(self.points[u, k])
                unit = (inputs, self.needs[u]) if n > 0 else opposite_unit(inputs, self.needs[u], opposite)
                mine += _places(units, unit, abs(n), mine)
                need += max(0, -n)
            edges.append(mine)
            needs.append(need)
        if len(needs) > 1:  # only differences count
            lift = max(0, 1 - min(needs))
            needs = [need + lift for need in needs]
        for k, need in enumerate(needs):
            edges[k] += _places(units, ((), 1), max(0, 1 - need), edges[k])
            needs[k] = max(1, need)
        return _assemble(units, edges, needs, n_literals)

    def scores(self, literals: bits.Words, n_rows: int) -> NDArray[np.int64]:
        """The scores of packed rows, (n_rows, n_outputs)."""
        n_inputs = np.array([len(each) for each in self.inputs], np.int64)
        inputs = np.zeros((len(n_inputs), n_inputs.max(initial=0)), np.int32)
        for mine, each in zip(inputs, self.inputs, strict=True):
            mine[: len(each)] = each
        scores = np.repeat(self.bias[:, np.newaxis], literals.shape[1] * bits.WORD_BITS, axis=1)
        words, needs, points = np.ascontiguousarray(literals), np.array(self.needs, np.int64), self.points
        holds = np.empty(words.shape[1], np.uint64)
        kernels.add_scores(words, inputs, n_inputs, needs, np.ascontiguousarray(points), holds, scores)
        return np.ascontiguousarray(scores[:, :n_rows].T)

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """What the loss takes for the probabilities of the classes, (n_rows, n_classes)."""
        scores = self.scale * self.scores(literals, n_rows)
        if scores.shape[1] == 1:
            one = 1 / (1 + np.exp(-(scores[:, 0] + 0.5 * self.scale)))
            return np.column_stack([1 - one, one])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def opposites(literals: bits.Words, n_rows: int, owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every literal one of the same attribute that holds just where this one fails, -1 if there is none.

    >>> opposites(bits.pack(np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)), 2, np.array([0, 0, 0]))
    array([ 1,  0, -1])
    """
    valid, found = bits.mask(n_rows), np.full(len(owner), -1, dtype=np.int64)
    for attribute in np.unique(owner):
        mine = np.flatnonzero(owner == attribute).tolist()
        place = {literals[j].tobytes(): j for j in reversed(mine)}
        for j in mine:
            found[j] = place.get((~literals[j] & valid).tobytes(), -1)
    return found


def opposite_unit(inputs: tuple[int, ...], need: int, opposite: NDArray[np.int64]) -> Unit:
    """The unit that holds where this one does not."""
    return tuple(int(opposite[j]) for j in inputs), len(inputs) - need + 1


def _places(units: list[Unit], unit: Unit, n: int, taken: list[int]) -> list[int]:
    """Places of ``n`` copies of a unit that an output does not read yet, added where there are none."""
    found = [place for place, other in enumerate(units) if other == unit and place not in taken]
    while len(found) < n:
        found.append(len(units))
        units.append(unit)
    return found[:n]


def _assemble(units: list[Unit], edges: list[list[int]], needs: list[int], n_literals: int) -> Network:
    units = units or [((), 1)]
    first = np.zeros((len(units), n_literals), dtype=np.bool_)
    last = np.zeros((len(edges), len(units)), dtype=np.bool_)
    for row, (inputs, _) in zip(first, units, strict=True):
        row[list(inputs)] = True
    for row, places in zip(last, edges, strict=True):
        row[places] = True
    return Network([first, last], "and", [[need for _, need in units], needs])
