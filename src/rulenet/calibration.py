"""Probabilities for margins.

The probability of a class is the logistic function, or for several outputs the softmax, of a multiple of the margin and
an offset: J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999. It grows with the margin, is never 0 or
1, and never contradicts the decision, unless class weights had a say in that. What a margin is worth, the multiple, is
told by rows that the network, or one of its kind, was not fitted to, where a search has such. Where margins begin
differs between networks of a kind: offsets are fitted to its own rows, so that classes are as probable, on average, as
they are frequent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Margins = NDArray[np.int64]

# The bounds of the multiple: a margin always tells something, and never everything.
LEAST_SCALE, MOST_SCALE = 0.02, 20.0
# A class that the decision prefers is at least this much more probable, and none has less.
EDGE = 1e-6
#: A weight of this many rows speaks for classes as frequent as they are, whatever the margin.
PRIOR_ROWS = 1.0
# What the square of an offset costs, so that offsets are finite; and a curvature that is next to none.
RIDGE, FLAT = 0.01, 1e-9
# The nats by which signs must be likelier than margins.
CLEARLY = 1.0
# So many different rows are kept until somebody asks for probabilities; more of them take too much room.
MOST_KEPT = 1 << 10
# Newton's steps, at most; halved while they lead upwards; and the share of the loss that is not worth another one.
MOST_STEPS, LEAST_STEP, ENOUGH = 100, 1e-6, 1e-10


@dataclass(frozen=True)
class Calibration:
    """The ``scale`` of margins, and an offset for every output.

    Where ``by_sign``, it only matters whether an output holds, not by how much: all margins from 0 on are taken as 0,
    those below as -1. ``follows`` says whether the predicted class is always the most probable one: it need not
    be where class weights had a say in the decision.
    """

    scale: float
    offsets: tuple[float, ...]
    by_sign: bool = False
    follows: bool = True

    def probabilities(self, margins: Margins, decided: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability of every class, (n_rows, n_classes), from margins (n_rows, n_outputs).

        One output is about the last of two classes. ``decided`` is the class that is predicted for every row.

        >>> Calibration(2.0, (0.0,)).probabilities(np.array([[-1], [0]]), np.array([0, 1])).round(2)
        array([[0.88, 0.12],
               [0.5 , 0.5 ]])
        """
        seen = _signs(margins) if self.by_sign else margins
        found = np.exp(_log_softmax(_scores(self.scale, np.array(self.offsets), seen)))
        if self.follows:
            rows, most = np.arange(len(found)), found.max(axis=1)
            found[rows, decided] = np.where(found.argmax(axis=1) == decided, most, most + EDGE)
        found = np.maximum(found, EDGE)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def calibrate(margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> Calibration:
    """The calibration that is most likely for rows with these margins and class codes.

    One output is about class 1 of two. Rows that are alike are added up first, so a weight is the same as repetitions.
    It goes by signs where that is clearly more likely: how many parts of an AND fail, say, may tell nothing.

    >>> margins = np.array([[-1], [-1], [-1], [0], [0], [0]])
    >>> calibrate(margins, np.array([0, 0, 1, 0, 1, 1])).scale.__round__(1)
    1.2
    """
    return Evidence.of(margins, codes, weights).calibration


def lazily(evidence: Evidence) -> Evidence | Calibration:
    """The evidence, or, where that is much, what it tells."""
    few = evidence.n_kept <= MOST_KEPT or evidence.n_rows <= MOST_KEPT
    return evidence if few else evidence.calibration


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows to calibrate by, with their margins, and with the signs of these where they say less.

    Where these are margins of other networks of the kind, ``own`` has those of the network itself, for the offsets. The
    calibration is found when it is first asked for, since many a classifier only ever tells classes; so are rows added
    up that are alike, where there are few. What is pickled is the calibration.
    """

    by_margin: Tally
    by_sign: Tally | None
    own: Tally | None = None
    follows: bool = True

    @classmethod
    def of(cls, margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Self:
        """What rows tell with these margins, class codes and weights."""
        alike = margins.min() >= -1 and margins.max() <= 0
        by_sign = None if alike else Tally.brief(_signs(margins), codes, weights)
        return cls(Tally.brief(margins, codes, weights), by_sign)

    def of_others(self, margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Self:
        """The same about a network with these margins of its own rows."""
        return replace(self, own=Tally.brief(margins, codes, weights))

    @property
    def n_rows(self) -> int:
        """How many different rows there are."""
        return sum(len(Tally.of(*rows).codes) for rows in (self.by_margin, self.own) if rows is not None)

    @property
    def n_kept(self) -> int:
        """How many rows are kept, some of which may be alike."""
        return sum(len(rows.codes) for rows in (self.by_margin, self.own) if rows is not None)

    @cached_property
    def calibration(self) -> Calibration:
        """What is most likely."""
        return replace(self._likely(), follows=self.follows)

    def _likely(self) -> Calibration:
        found, loss = _fit(Tally.of(*self.by_margin))
        if self.by_sign is not None:
            by_sign, loss_by_sign = _fit(Tally.of(*self.by_sign))
            found = replace(by_sign, by_sign=True) if loss_by_sign < loss - CLEARLY else found
        if self.own is None:
            return found
        if self.by_sign is None:  # others never told what more than a sign is worth
            found = replace(found, by_sign=True)
        own = Tally.of(*self.own)
        own = own._replace(margins=_signs(own.margins)) if found.by_sign else own
        return replace(found, offsets=_fit(own, (found.scale, found.scale))[0].offsets)

    def __reduce__(self) -> tuple[type[Calibration], tuple[float, tuple[float, ...], bool, bool]]:
        found = self.calibration
        return Calibration, (found.scale, found.offsets, found.by_sign, found.follows)


class Tally(NamedTuple):
    """Rows with their mass; added up, they are different and in order, each with the mass of all that are like it."""

    margins: Margins
    codes: NDArray[np.int64]
    mass: NDArray[np.float64]

    @classmethod
    def brief(cls, margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Tally:
        """Rows as they are where there are few, else added up."""
        if len(codes) > MOST_KEPT:
            return cls.of(margins, codes, weights)
        return cls(margins, codes, np.ones(len(codes)) if weights is None else weights)

    @classmethod
    def of(cls, margins: Margins, codes: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Tally:
        """Add up rows that are alike; what is added up already stays as it is."""
        mass = np.ones(len(codes)) if weights is None else weights
        places, first = codes, codes
        for column in margins.T:
            keys = places * (np.ptp(column) + 1) + column - column.min()
            _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        return cls(margins[first], codes[first], np.bincount(places, mass).astype(np.float64))


def _signs(margins: Margins) -> Margins:
    return np.clip(margins, -1, 0)


def _fit(rows: Tally, bounds: tuple[float, float] = (LEAST_SCALE, MOST_SCALE)) -> tuple[Calibration, float]:
    """The most likely scale within its bounds, and offsets, and the loss with these."""
    margins, codes, mass = rows
    n_classes = max(margins.shape[1], 2)
    frequency = (np.bincount(codes, mass, n_classes) + 1) / (mass.sum() + n_classes)
    wanted = mass[:, np.newaxis] * (np.eye(n_classes)[codes] + frequency * PRIOR_ROWS / mass.sum())

    likely = _Likelihood(margins, wanted, wanted.sum(axis=1), bounds)
    # The likelihood has one maximum, and Newton's steps lead there.
    now = likely.at(_first_guess(margins, wanted))
    for _ in range(MOST_STEPS):
        step, size = likely.step(now), 1.0
        while (ahead := likely.at(now.parameters - size * step)).loss > now.loss and size > LEAST_STEP:
            size /= 2
        won, now = now.loss - ahead.loss, min(ahead, now, key=lambda place: place.loss)
        if won <= ENOUGH * abs(now.loss):
            break
    return Calibration(float(now.parameters[0]), tuple(now.parameters[1:].tolist())), now.loss


def _first_guess(margins: Margins, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Somewhere to begin: next to the end, where one output only holds or fails."""
    if margins.shape[1] > 1 or margins.min() < -1 or margins.max() > 0:
        return np.append(1.0, np.zeros(margins.shape[1]))
    odds = [
        np.log1p(wanted[of, 1].sum()) - np.log1p(wanted[of, 0].sum()) for of in (margins[:, 0] < 0, margins[:, 0] == 0)
    ]
    return np.array([odds[1] - odds[0], odds[1]])


class _At(NamedTuple):
    """A scale and offsets, minus the logarithm of how likely they are, and those of the shares that they give."""

    parameters: NDArray[np.float64]
    loss: float
    logs: NDArray[np.float64]


class _Likelihood(NamedTuple):
    """How likely a scale and offsets are: ``wanted`` is the mass of every class at the ``margins`` of every row."""

    margins: Margins
    wanted: NDArray[np.float64]
    mass: NDArray[np.float64]
    bounds: tuple[float, float]

    def at(self, wished: NDArray[np.float64]) -> _At:
        """How likely these are, with a scale within its bounds; offsets cost a little, so that they are finite."""
        parameters = np.append(np.clip(wished[0], *self.bounds), wished[1:])
        logs = _log_softmax(_scores(parameters[0], parameters[1:], self.margins))
        return _At(parameters, float(RIDGE * (parameters[1:] ** 2).sum() - (self.wanted * logs).sum()), logs)

    def step(self, now: _At) -> NDArray[np.float64]:
        """The step of Newton's method, within the bounds of the scale."""
        margins, mass, parameters, n_outputs = self.margins, self.mass, now.parameters, self.margins.shape[1]
        shares = np.exp(now.logs[:, -n_outputs:])
        weighted = shares * mass[:, np.newaxis]
        excess = weighted - self.wanted[:, -n_outputs:]
        slope = np.append((excess * margins).sum(), excess.sum(axis=0) + 2 * RIDGE * parameters[1:])
        mean = (shares * margins).sum(axis=1)
        curves = np.empty((n_outputs + 1, n_outputs + 1))
        curves[0, 0] = (weighted * margins**2).sum() - (mass * mean**2).sum() + FLAT
        curves[0, 1:] = curves[1:, 0] = (weighted * (margins - mean[:, np.newaxis])).sum(axis=0)
        # A sum in the same order on any number of threads, which a product of matrices is not.
        curves[1:, 1:] = np.diag(weighted.sum(axis=0) + 2 * RIDGE) - np.einsum("ri,rj->ij", weighted, shares)
        step = np.linalg.solve(curves, slope)
        bounded = np.clip(parameters[0] - step[0], *self.bounds)
        if bounded == parameters[0] - step[0]:
            return np.asarray(step)
        # The best step that ends at the bound.
        back = parameters[0] - bounded
        return np.append(back, np.linalg.solve(curves[1:, 1:], slope[1:] - back * curves[1:, 0]))


def _log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


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
    return scores if margins.shape[1] > 1 else np.concatenate([np.zeros_like(scores), scores], axis=1)
