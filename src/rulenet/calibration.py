"""Probabilities for margins.

The probability of a class is the logistic function, or for several outputs the softmax, of a multiple of the margin and
an offset: J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999. It grows with the margin, is never 0 or
1, and never contradicts the decision. The multiple and the offsets are fitted to margins of rows that the network, or
one of its kind, was not fitted to, where a search has such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulenet.later import Later

if TYPE_CHECKING:
    from scipy import optimize, special
else:
    optimize, special = Later("scipy.optimize"), Later("scipy.special")

Margins = NDArray[np.int64]

# The bounds of the multiple: a margin always tells something, and never everything.
LEAST_SCALE, MOST_SCALE = 0.02, 20.0
# A class that the decision prefers is at least this much more probable.
EDGE = 1e-6
#: A weight of this many rows speaks for classes as frequent as they are, whatever the margin.
PRIOR_ROWS = 1.0


@dataclass(frozen=True)
class Calibration:
    """The ``scale`` of margins, and an offset for every output."""

    scale: float
    offsets: tuple[float, ...]

    def probabilities(self, margins: Margins, decided: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability of every class, (n_rows, n_classes), from margins (n_rows, n_outputs).

        One output is about the last of two classes. ``decided`` is the class that is predicted for every row.

        >>> Calibration(2.0, (0.0,)).probabilities(np.array([[-1], [0]]), np.array([0, 1])).round(2)
        array([[0.88, 0.12],
               [0.5 , 0.5 ]])
        """
        found = special.softmax(_scores(self.scale, np.array(self.offsets), margins), axis=1)
        rows, most = np.arange(len(found)), found.max(axis=1)
        found[rows, decided] = np.where(found.argmax(axis=1) == decided, most, most + EDGE)
        found = np.maximum(found, EDGE)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def calibrate(margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> Calibration:
    """The calibration that is most likely for rows with these margins and class codes.

    One output is about class 1 of two. Rows that are alike are added up first, so a weight is the same as repetitions.

    >>> margins = np.array([[-1], [-1], [-1], [0], [0], [0]])
    >>> calibrate(margins, np.array([0, 0, 1, 0, 1, 1])).scale.__round__(1)
    1.2
    """
    n_outputs = margins.shape[1]
    n_classes = max(n_outputs, 2)
    mass = np.ones(len(codes)) if weights is None else weights
    margins, codes, mass = _added_up(margins, codes, mass)
    frequency = (np.bincount(codes, mass, n_classes) + 1) / (mass.sum() + n_classes)
    wanted = mass[:, np.newaxis] * (np.eye(n_classes)[codes] + frequency * PRIOR_ROWS / mass.sum())

    def loss(parameters: NDArray[np.float64]) -> float:
        scores = _scores(np.exp(parameters[0]), parameters[1:], margins)
        return float(-(wanted * special.log_softmax(scores, axis=1)).sum() + 0.01 * (parameters[1:] ** 2).sum())

    def slope(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        scale = np.exp(parameters[0])
        found = special.softmax(_scores(scale, parameters[1:], margins), axis=1)
        excess = (found * wanted.sum(axis=1, keepdims=True) - wanted)[:, -n_outputs:]
        return np.append(scale * (excess * margins).sum(), excess.sum(axis=0) + 0.02 * parameters[1:])

    bounds = [(np.log(LEAST_SCALE), np.log(MOST_SCALE)), *[(-20.0, 20.0)] * n_outputs]
    # Of one output differences serve; of many they would take a loss for every class, at every step.
    jac = slope if n_outputs > 1 else None
    found = optimize.minimize(loss, np.zeros(n_outputs + 1), jac=jac, bounds=bounds, method="L-BFGS-B").x
    return Calibration(float(np.exp(found[0])), tuple(float(x) for x in found[1:]))


def _added_up(
    margins: Margins, codes: NDArray[np.int64], mass: NDArray[np.float64]
) -> tuple[Margins, NDArray[np.int64], NDArray[np.float64]]:
    """The different rows, in order, each with the mass of all that are like it."""
    places = np.unique(codes, return_inverse=True)[1]
    for column in margins.T:
        places = np.unique(places * (np.ptp(column) + 1) + column - column.min(), return_inverse=True)[1]
    first = np.unique(places, return_index=True)[1]
    return margins[first], codes[first], np.bincount(places, mass).astype(np.float64)


def from_odds(negative: float, positive: float) -> Calibration:
    """The calibration of one output with these odds of its class at the margins -1 and 0.

    Odds tell apart what shares do not: a share next to 1 is rounded to 1.

    >>> from_odds(1 / 9, 8 / 2).probabilities(np.array([[-1], [0]]), np.array([0, 1])).round(2)[:, 1].tolist()
    [0.1, 0.8]
    """
    low, high = float(np.log(negative)), float(np.log(positive))
    return Calibration(float(np.clip(high - low, LEAST_SCALE, MOST_SCALE)), (high,))


def _scores(scale: float, offsets: Sequence[float] | NDArray[np.float64], margins: Margins) -> NDArray[np.float64]:
    scores = scale * margins + np.asarray(offsets)
    return scores if margins.shape[1] > 1 else np.column_stack([np.zeros(len(margins)), scores[:, 0]])
