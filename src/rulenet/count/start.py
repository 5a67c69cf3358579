"""A network as what a walk begins at: units of literals that give points.

A walk knows one hidden layer. A deeper network says what such a one says where its units only pass on what they read,
or join conditions as a single unit could; all others are refused.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulenet.count.kernels import MAX_NEED
from rulenet.count.scoring import Scoring, Unit, opposite_unit
from rulenet.exceptions import ParameterError
from rulenet.network import Network

ALWAYS: Unit = ((), 1)
NEVER: Unit = ((), 0)


def scoring_of(network: Network, opposite: NDArray[np.int64]) -> Scoring:
    """The scoring whose scores are the margins of a network; refused if there is none.

    >>> found = scoring_of(Network([[[1, 1], [0, 1]], [[1, 1]]], "and", [[1, 1], [2]]), np.array([-1, -1]))
    >>> found.inputs, found.needs, found.points.tolist(), found.bias.tolist()
    (((0, 1), (1,)), (1, 1), [[1], [1]], [-2])
    """
    below: list[Unit | None] = [((j,), 1) for j in range(network.n_literals)]
    for gate, weights, needs in zip(network.gates[:-1], network.weights[:-1], network.needs[:-1], strict=True):
        below = [
            _joined(gate, int(need), [below[i] for i in np.flatnonzero(row)])
            for row, need in zip(weights, needs, strict=True)
        ]
    n_outputs, bias = network.n_outputs, np.zeros(network.n_outputs, dtype=np.int64)
    points = dict[Unit, NDArray[np.int64]]()
    for k, (row, need) in enumerate(zip(network.weights[-1], network.needs[-1], strict=True)):
        bias[k] = -need if network.gates[-1] == "or" else need - 1 - row.sum()
        for unit in (below[i] for i in np.flatnonzero(row)):
            if unit is None:
                raise ParameterError(
                    "init has a unit that joins others in a way that no unit of conditions does, but networks that "
                    "count have one hidden layer: give a network whose outputs count units of conditions"
                )
            if unit == ALWAYS:
                bias[k] += 1
            elif unit != NEVER:
                points.setdefault(unit, np.zeros(n_outputs, dtype=np.int64))[k] += 1
    return _countable(points, bias, opposite)


def _joined(gate: str, need: int, parts: Sequence[Unit | None]) -> Unit | None:
    """The unit of literals that says what a unit over ``parts`` says, None if there is none."""
    n_failing = need if gate == "and" else len(parts) - need + 1  # so many that fail make it fail
    n_failing -= sum(part == NEVER for part in parts)
    known = [part for part in parts if part not in (ALWAYS, NEVER)]
    if n_failing <= 0:
        return NEVER
    if n_failing > len(known):
        return ALWAYS
    if len(known) == 1:
        return known[0]
    found = [part for part in known if part is not None]
    if len(found) < len(known):
        return None
    return _one_unit(n_failing, found)


def _one_unit(n_failing: int, parts: list[Unit]) -> Unit | None:
    """The unit that fails where ``n_failing`` of several parts do: an AND of ANDs, an OR of ORs, or of literals."""
    literals = [j for inputs, _ in parts for j in inputs]
    different = tuple(sorted(set(literals)))
    if n_failing == 1 and all(need == 1 for _, need in parts):
        return different, 1
    if n_failing == len(parts) and all(need == len(inputs) for inputs, need in parts):
        return different, len(different)
    if all(len(inputs) == 1 for inputs, _ in parts) and len(different) == len(literals):
        return different, n_failing
    return None


def _countable(points: dict[Unit, NDArray[np.int64]], bias: NDArray[np.int64], opposite: NDArray[np.int64]) -> Scoring:
    """The scoring of these units; one that may fail more often than walks count speaks as its opposite, against."""
    units = dict[Unit, NDArray[np.int64]]()
    for unit, given in points.items():
        turned = unit[1] > MAX_NEED
        if turned:
            unit, given = opposite_unit(*unit, opposite), -given
            bias = bias - given
        if unit[1] > MAX_NEED or -1 in unit[0]:
            raise ParameterError(
                f"init has a unit of {len(unit[0])} conditions of which {unit[1] - 1} may fail, but walks count to "
                f"{MAX_NEED - 1}: give a network of units that join fewer conditions"
            )
        units[unit] = units.get(unit, np.zeros_like(given)) + given
    kept = {unit: given for unit, given in units.items() if given.any()}
    inputs, needs = tuple(unit[0] for unit in kept), tuple(unit[1] for unit in kept)
    return Scoring(inputs, needs, np.array([*kept.values()], dtype=np.int64).reshape(-1, len(bias)), bias, 1.0)
