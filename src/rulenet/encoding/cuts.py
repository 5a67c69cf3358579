"""Where to cut a column of numbers for the search: at most a few quantiles, none between rows of one class."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulenet.encoding.columns import Measured, Values
from rulenet.encoding.measures import roundest
from rulenet.kinds import Bound

SAMPLE = 50_000  # rows that quantiles are taken from

Target = NDArray[np.int64]


def choose_cuts(column: Measured, target: Target | None, whole: bool, max_cuts: int) -> tuple[Bound, ...]:
    """At most ``max_cuts`` cuts, each the roundest number of its gap between two neighbouring values.

    >>> choose_cuts(Measured("numeric", np.array([1.0, 2, 3, 4])), np.array([0, 0, 1, 1]), whole=True, max_cuts=3)
    (2,)
    """
    values, classes = _in_order(column, target)
    distinct, starts = _distinct(values)
    gaps = _open_gaps(classes, starts)
    if len(gaps) > max_cuts:
        gaps = _spread(gaps, starts, len(values), max_cuts)
    return tuple(sorted({roundest(distinct[g], distinct[g + 1], column.kind, whole) for g in gaps.tolist()}))


def _in_order(column: Measured, target: Target | None) -> tuple[Values, Target | None]:
    """The known values in order, and their classes."""
    known = ~column.is_missing
    values, target = column.values[known], None if target is None else target[known]
    if target is None:
        return np.sort(values), None
    order = np.argsort(values)
    return values[order], target[order]


def _distinct(values: Values) -> tuple[Values, NDArray[np.int64]]:
    """The different values of a sorted array, and where each starts."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    return values[starts], starts


def _open_gaps(classes: Target | None, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The gaps between neighbouring values whose rows are not all of one class; gap g is after value g."""
    gaps = np.arange(max(len(starts) - 1, 0))
    if classes is None or len(gaps) == 0:
        return gaps
    least, most = np.minimum.reduceat(classes, starts), np.maximum.reduceat(classes, starts)
    return np.flatnonzero(np.minimum(least[:-1], least[1:]) != np.maximum(most[:-1], most[1:]))


def _spread(gaps: NDArray[np.int64], starts: NDArray[np.int64], n_rows: int, n_cuts: int) -> NDArray[np.int64]:
    """The gaps nearest to the quantiles; where these fall together, the fullest parts are halved too."""
    ranks = starts[gaps + 1]
    chosen = set(_nearest(ranks, np.arange(1, n_cuts + 1) * n_rows / (n_cuts + 1)).tolist())
    while len(chosen) < n_cuts:
        places = sorted(chosen)
        bounds = [-1, *places, len(gaps)]
        edges = [0, *ranks[places].tolist(), n_rows]
        parts = [p for p in range(len(places) + 1) if bounds[p + 1] - bounds[p] > 1]
        part = max(parts, key=lambda p: edges[p + 1] - edges[p])
        inside = np.arange(bounds[part] + 1, bounds[part + 1])
        middle = (edges[part] + edges[part + 1]) / 2
        chosen.add(int(inside[_nearest(ranks[inside], np.array([middle]))[0]]))
    return gaps[sorted(chosen)]


def _nearest(ranks: NDArray[np.int64], wanted: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of the rank nearest to each wanted one."""
    after = np.searchsorted(ranks, wanted).clip(1, max(len(ranks) - 1, 1))
    before = after - 1
    nearer = np.abs(ranks[before] - wanted) <= np.abs(ranks[np.minimum(after, len(ranks) - 1)] - wanted)
    return np.where(nearer, before, np.minimum(after, len(ranks) - 1))


def cuts_around(values: Sequence[Bound]) -> set[Bound]:
    """The cuts that put every one of some whole numbers into a cell of its own."""
    return {int(value) - below for value in values for below in (0, 1)}
