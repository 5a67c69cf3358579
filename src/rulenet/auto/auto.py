"""Which kinds of networks are searched, and which one is kept.

A deep network with few edges and hardly an error says what there is to say, and nothing reads better. Where labels are
noisy or a concept is a matter of degree, no such network is found; then a counting network is searched as well, and
whichever errs less on rows left out is kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from rulenet.anneal.anneal import Anneal
from rulenet.auto.classes import search_each
from rulenet.auto.judge import better, is_concept, is_said, is_shorter, is_solved, ranks, tells
from rulenet.auto.probe import are_near, is_far_off
from rulenet.auto.schedule import SCHEDULE
from rulenet.count.count import Count
from rulenet.parameters import Constraint, number, options
from rulenet.search import interrupts
from rulenet.search.problem import Problem
from rulenet.search.protocol import Defaults, Found, Progress, Report, Start, be_silent, between
from rulenet.search.strategy import Strategy


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
        problem = problem.repeated(SCHEDULE.plain_rows)
        if not start.may_widen or len(problem.literals) > SCHEDULE.most_literals:
            return Count(max_time=self.max_time).search(problem, start, seed, n_jobs, report)
        if problem.n_classes > 2:
            return self._search_classes(problem, start, seed, n_jobs, report)
        first, second = _times(self.max_time)
        counting: Found | None = None
        if problem.n_rows > SCHEDULE.few_rows and is_far_off(problem, start, seed, n_jobs, self.max_time):
            counting = Count(max_time=second).search(
                problem, start, seed, n_jobs, between(report, 0.0, 1 - SCHEDULE.deep_part)
            )
            if interrupts.current().came or _tells(counting):
                report(Progress("done", 1.0, counting.history[-1], counting.network.size))
                return counting
        part = (0.0, SCHEDULE.deep_part) if counting is None else (1 - SCHEDULE.deep_part, 1.0)
        deep = Anneal(distil=False, max_time=first).search(problem, start, seed, n_jobs, between(report, *part))
        if is_solved(problem, deep) or interrupts.current().came:
            report(Progress("done", 1.0, deep.history[-1], deep.network.size))
            return deep
        if counting is None:
            counting = Count(max_time=second).search(
                problem, start, seed, n_jobs, between(report, SCHEDULE.deep_part, 1.0)
            )
        if interrupts.current().came and deep.history[-1] >= counting.history[-1]:
            return deep
        if is_concept(problem, deep, counting) or (not _tells(counting) and is_shorter(problem, deep)):
            return replace(deep, choices=(*deep.choices, *counting.choices))
        return better(deep, counting)

    def _search_classes(self, problem: Problem, start: Start, seed: int, n_jobs: int | None, report: Report) -> Found:
        """A deep network where each class has a concept, else one that counts."""
        first, second = _times(self.max_time)
        deep: Found | None = None
        if problem.n_classes <= SCHEDULE.most_classes and are_near(problem, start, seed, n_jobs, self.max_time):
            deep = search_each(problem, start, seed, n_jobs, first, between(report, 0.0, SCHEDULE.deep_part))
        if deep is not None and (is_said(problem, deep) or interrupts.current().came):
            report(Progress("done", 1.0, deep.history[-1], deep.network.size))
            return deep
        low, left = (0.0, self.max_time) if deep is None else (SCHEDULE.deep_part, second)
        counting = Count(max_time=left).search(problem, start, seed, n_jobs, between(report, low, 1.0))
        return counting if deep is None else better(deep, counting)


def _tells(counting: Found) -> bool:
    rows = counting.held_out
    return rows is not None and (tells(rows) or ranks(rows))


def _times(max_time: float | None) -> tuple[float | None, float | None]:
    if max_time is None:
        return None, None
    return SCHEDULE.deep_share * max_time, (1 - SCHEDULE.deep_share) * max_time
