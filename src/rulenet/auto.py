"""The default search: deep AND/OR networks where they say it all, networks that count where they do not.

A deep network with few edges and hardly an error says what there is to say, and nothing reads better. Where labels are
noisy or a concept is a matter of degree, no such network is found; then a counting network is searched as well, and
whichever errs less on rows left out is kept. With more than two classes, or more conditions than `Anneal` takes,
networks count.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rulenet.anneal.anneal import Anneal
from rulenet.anneal.schedule import SCHEDULE
from rulenet.count.count import Count
from rulenet.parameters import Constraint, number, options
from rulenet.search import interrupts
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Defaults, Found, HeldOut, Progress, Report, Start, be_silent
from rulenet.search.strategy import Strategy

# Of a limited time, the share that the search for a deep network gets.
DEEP_SHARE = 0.45
# Of the progress that is shown, the part before counting begins.
DEEP_PART = 0.5
# The standard errors of a share that are more than chance. A deep network must be better than one that counts by so
# much: margins of the latter also rank rows. If it has at most this share of the errors of the most frequent class on
# the training rows, and is at most half as large, it has found a concept, and need only be as good.
CHANCE = 2.0
CLEAN = 0.1
# A few walks tell first whether a concept is near, on so many rows and within this share of a limited time.
PROBED_ROWS, PROBE_SHARE = 2_000, 0.1
# A concept is found where no more than this share of the rows is wrong, and few of those that are rare.
FEW_WRONG = 0.005
# Up to so many rows, a weight of three is the same as three rows, and the order of rows does not matter.
PLAIN_ROWS = 200


@dataclass(frozen=True)
class Probe:
    """A few walks at some price; a concept is far off where more than this share of the rows stays wrong."""

    price: float
    n_walks: int
    far_off: float


# Where rows are few, a low price lets a network learn them by heart. Below so many rows the whole search costs little.
FEW_ROWS, MANY_ROWS = 150, 1_000
PROBE_OF_SOME, PROBE_OF_MANY = Probe(2.0, 2, 0.12), Probe(0.5, 4, 0.04)


class Auto(Strategy):
    """`Anneal`, and `Count` where that leaves errors; nothing needs to be set.

    Parameters
    ----------
    max_time : float or None, default=None
        Seconds that the search may take, more or less; with a limit, results depend on the speed of the machine.
    """

    defaults: ClassVar[Defaults] = replace(Anneal.defaults, several_classes=True)
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "max_time": (options(None), number(0, above=True)),
    }

    def __init__(self, max_time: float | None = None) -> None:
        self.max_time = max_time

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The better of what both searches find; a ``start`` that the user chose, or a shape, asks for `Anneal`."""
        self.check()
        if problem.n_classes == 2 and not start.may_widen:
            return Anneal(max_time=self.max_time).search(problem, start, seed, n_jobs, report)
        problem = problem.repeated(PLAIN_ROWS)
        if problem.n_classes > 2 or len(problem.literals) > SCHEDULE.max_literals:
            return Count(max_time=self.max_time).search(problem, start, seed, n_jobs, report)
        first, second = _times(self.max_time)
        counting: Found | None = None
        if problem.n_rows > FEW_ROWS and is_far_off(problem, start, seed, n_jobs, self.max_time):
            counting = Count(max_time=second).search(problem, start, seed, n_jobs, _between(report, 0.0, 1 - DEEP_PART))
            if interrupts.current().came or tells(counting):
                report(Progress("done", 1.0, counting.history[-1], counting.network.size))
                return counting
        part = (0.0, DEEP_PART) if counting is None else (1 - DEEP_PART, 1.0)
        deep = Anneal(distil=False, max_time=first).search(problem, start, seed, n_jobs, _between(report, *part))
        if is_solved(problem, deep) or interrupts.current().came:
            report(Progress("done", 1.0, deep.history[-1], deep.network.size))
            return deep
        if counting is None:
            counting = Count(max_time=second).search(problem, start, seed, n_jobs, _between(report, DEEP_PART, 1.0))
        if interrupts.current().came and deep.history[-1] >= counting.history[-1]:
            return deep
        return better(deep, counting)


def is_far_off(problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> bool:
    """Whether a few walks on some of the rows leave too many of them wrong for a concept to be near."""
    rows = sample_rows(np.arange(problem.n_rows), PROBED_ROWS, seed)
    some = problem if len(rows) == problem.n_rows else problem.take(rows)
    seconds = None if max_time is None else PROBE_SHARE * max_time
    probe = PROBE_OF_MANY if problem.n_rows > MANY_ROWS else PROBE_OF_SOME
    search = Anneal(price=probe.price, n_restarts=probe.n_walks, n_folds=0, distil=False, max_time=seconds)
    found = search.search(some, start.on(some), seed, n_jobs)
    return 1 - found.history[-1] > probe.far_off


def tells(counting: Found) -> bool:
    """Whether networks that count are clearly better, on rows left out, than always the most frequent class."""
    rows = counting.held_out
    if rows is None:
        return False
    return rows.accuracy > most_frequent(rows) + CHANCE * _error(rows.accuracy, len(rows.codes))


def most_frequent(rows: HeldOut) -> float:
    """The share of the most frequent class."""
    return float(np.bincount(rows.codes, rows.weights).max() / rows.weights.sum())


def is_solved(problem: Problem, found: Found) -> bool:
    """Whether hardly a row is wrong, neither of those learned from nor of those left out."""
    known = _validation(found)
    wrong = 1 - found.history[-1] if known is None else max(1 - found.history[-1], 1 - known)
    positive = problem.positive_weight / problem.total_weight
    return wrong <= min(FEW_WRONG, CLEAN * min(positive, 1 - positive))


def better(deep: Found, counting: Found) -> Found:
    """The one that errs less on rows left out, with the networks of both to choose from.

    The deep one has the best of several prices, so unless it hardly errs it must be better by more than chance.
    """
    choices = (*deep.choices, *counting.choices)
    validation, counts = _validation(deep), counting.held_out
    if validation is not None and counts is not None:
        few = CLEAN * (1 - most_frequent(counts))
        clean = 1 - deep.history[-1] <= few and 2 * deep.network.size <= counting.network.size
        chance = CHANCE * _error(counts.accuracy, len(counts.codes))
        if validation >= counts.accuracy + (0.0 if clean else chance):
            return replace(deep, choices=choices)
    return replace(counting, history=(*deep.history, *counting.history[1:]), choices=choices)


def _error(share: float, n_rows: int) -> float:
    """The standard error of a share of so many rows."""
    return float((share * (1 - share) / n_rows) ** 0.5)


def _validation(found: Found) -> float | None:
    """The accuracy of networks like the one found on rows left out."""
    known = [choice.validation for choice in found.choices if choice.network == found.network]
    return known[0] if known else None


def _times(max_time: float | None) -> tuple[float | None, float | None]:
    if max_time is None:
        return None, None
    return DEEP_SHARE * max_time, (1 - DEEP_SHARE) * max_time


def _between(report: Report, low: float, high: float) -> Report:
    """A report that only moves between two shares of the whole."""
    return lambda progress: report(replace(progress, done=low + (high - low) * progress.done))
