"""What `Anneal` does in the time there is: prices, numbers of walks, and how long each takes."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.anneal.price import end_at
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.walk import seconds_of_proposal, weigh_moves, work_of_proposal
from rulenet.search.problem import Problem


class Options(Protocol):
    """The parameters of `Anneal`."""

    price: float | Literal["auto"]
    n_restarts: int
    n_folds: int
    n_proposals: int | Literal["auto"]
    repairs: float
    copies: float
    distil: bool | Literal["auto"]
    max_time: float | None


@dataclass(frozen=True)
class Plan:
    """Prices and temperatures are multiples of ``row_weight``; a walk takes about ``walk_seconds``.

    Without a time limit, paths and distilling have no seconds set.
    """

    schedule: Schedule
    prices: tuple[float, ...]
    row_weight: float
    n_restarts: int
    n_folds: int
    n_proposals: int
    walk_seconds: float
    walk_is_dear: bool
    path_seconds: tuple[float, ...] | None
    refine_seconds: float
    usual: float
    moves: NDArray[np.float64]
    distil: bool | Literal["auto"]
    distil_seconds: float | None

    @classmethod
    def of(cls, options: Options, problem: Problem, n_threads: int, schedule: Schedule = SCHEDULE) -> "Plan":
        """The plan for a problem."""
        n_rows, many = problem.n_rows, problem.n_rows > schedule.max_rows
        n_words = min(n_rows, schedule.max_rows) // bits.WORD_BITS
        n_proposals = options.n_proposals
        if n_proposals == "auto":
            most = schedule.max_work / work_of_proposal(n_words)
            n_proposals = int(min(schedule.max_proposals, schedule.proposals_per_row * n_rows, most))
        time = _Time.unlimited(options, n_rows, n_proposals * seconds_of_proposal(n_words), schedule)
        if options.max_time is not None:
            time = time.within(options.max_time, n_threads, many)
        usual = _usual_price(n_rows, time.n_folds, schedule) if options.price == "auto" else options.price
        return cls(
            schedule=schedule,
            prices=schedule.prices if time.n_folds else end_at(schedule.prices, usual),
            row_weight=problem.row_weight,
            n_restarts=time.n_restarts,
            n_folds=time.n_folds,
            n_proposals=n_proposals,
            walk_seconds=time.walk_seconds,
            walk_is_dear=n_proposals * work_of_proposal(n_words) >= schedule.dear,
            path_seconds=time.path_seconds,
            refine_seconds=time.refine_seconds,
            usual=usual,
            moves=weigh_moves(options.repairs, options.copies, schedule),
            distil=time.distil,
            distil_seconds=time.distil_seconds,
        )

    def skipped(self, turn: int) -> int:
        """How many prices a path leaves out: every other one starts at a price for noisy labels."""
        return sum(price < self.schedule.first_price_of_noisy for price in self.prices) if turn % 2 else 0

    def lengthened(self, left: float | None, n_threads: int) -> "Plan | None":
        """The plan of a second round of fewer and longer walks, in the seconds ``left`` if those are limited.

        None if they are too few.
        """
        schedule = self.schedule
        n_walks = min(self.n_restarts, schedule.few_longer if self.walk_is_dear else schedule.many_longer)
        plan = replace(self, n_restarts=n_walks, n_folds=0, n_proposals=schedule.longer * self.n_proposals)
        if left is None:
            return plan
        seconds = (left - self.refine_seconds - (self.distil_seconds or 0.0)) / ceil(n_walks / n_threads)
        return replace(plan, path_seconds=(seconds,) * n_walks) if seconds >= self.walk_seconds else None

    def distils(self, unsolved: bool) -> bool:
        """Whether the vote of all walks is to be distilled; "auto" does so where they left the problem ``unsolved``."""
        return unsolved if self.distil == "auto" else self.distil

    @property
    def share_of_paths(self) -> float:
        """The share of the whole time that the paths take."""
        return 1 - self.schedule.distil_share if self.distil else 1.0


@dataclass(frozen=True)
class _Time:
    """How many walks there are, and what takes how long."""

    schedule: Schedule
    n_restarts: int
    n_folds: int
    walk_seconds: float
    distil: bool | Literal["auto"]
    refine_seconds: float
    path_seconds: tuple[float, ...] | None = None
    distil_seconds: float | None = None

    @classmethod
    def unlimited(cls, options: Options, n_rows: int, walk_seconds: float, schedule: Schedule) -> Self:
        has_folds = options.price == "auto" and schedule.least_rows <= n_rows <= schedule.max_rows
        worth_distilling = options.distil != "auto" or schedule.few_rows <= n_rows <= schedule.max_rows
        return cls(
            schedule,
            options.n_restarts,
            options.n_folds if has_folds else 0,
            walk_seconds,
            options.distil if worth_distilling else False,
            schedule.refine_seconds,
        )

    def within(self, max_time: float, n_threads: int, many: bool) -> Self:
        """The same in a limited time, where rows may be ``many``."""
        schedule, distil = self.schedule, self.distil
        refine_seconds = schedule.refine_share * max_time if many else 0.0
        distil_seconds = schedule.distil_share * max_time
        left = usable_seconds(max_time, schedule) - refine_seconds
        each = seconds_of_each(left - distil_seconds, n_threads, self.n_restarts, self.n_folds, schedule)
        if not distil or (distil == "auto" and each < self.walk_seconds):
            distil, distil_seconds = False, 0.0
        left = (left - distil_seconds) * (1 - schedule.enlarge_share if many else 1)
        n_restarts, n_folds, path_seconds = divide_time(
            left, n_threads, self.n_restarts, self.n_folds, self.walk_seconds, schedule
        )
        return replace(
            self,
            n_restarts=n_restarts,
            n_folds=n_folds,
            distil=distil,
            refine_seconds=refine_seconds,
            path_seconds=path_seconds,
            distil_seconds=distil_seconds,
        )


def usable_seconds(max_time: float, schedule: Schedule = SCHEDULE) -> float:
    """The part of a limited time that is not in reserve.

    >>> usable_seconds(10.0), usable_seconds(0.01)
    (9.49, 0.0075)
    """
    reserved = min(schedule.reserved_seconds, schedule.most_reserved * max_time)
    return (1 - schedule.reserve) * max_time - reserved


def divide_time(
    seconds: float, n_threads: int, n_restarts: int, n_folds: int, usual: float, schedule: Schedule = SCHEDULE
) -> tuple[int, int, tuple[float, ...]]:
    """How many walks and folds there is time for, and the seconds of every path, the long ones first.

    Some concepts are found by long walks only, and noise asks for many: half of the time is for walks of the ``usual``
    seconds, or one a thread, the other half for shorter ones. With enough time for all, they share it evenly.

    >>> divide_time(0.5, 2, 24, 4, 0.2)
    (8, 0, (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1))
    """
    in_folds, share = schedule.walks_per_fold, schedule.long_share
    even = seconds_of_each(seconds, n_threads, n_restarts, n_folds, schedule)
    if even >= usual:
        return n_restarts, n_folds, (even,) * (n_restarts + in_folds * n_folds)
    long = min(usual, share * seconds)
    n_long = n_threads * int(share * seconds / long)
    n_short = int((1 - share) * seconds * n_threads / max(schedule.shortest_path, schedule.least_share * usual))
    if n_long + n_short < n_restarts + in_folds * n_folds:
        n_folds = n_folds if n_short >= 3 * n_folds else 0
        n_restarts = min(n_restarts, n_long + max(n_threads, n_short - in_folds * n_folds))
    n_long = min(n_long, n_restarts)
    n_short = n_restarts + in_folds * n_folds - n_long
    short = (seconds - ceil(n_long / n_threads) * long) / max(1, ceil(n_short / n_threads))
    return n_restarts, n_folds, (long,) * n_long + (round(short, 9),) * n_short


def seconds_of_each(
    seconds: float, n_threads: int, n_restarts: int, n_folds: int, schedule: Schedule = SCHEDULE
) -> float:
    """The seconds of every walk if all take place and share the time evenly."""
    return seconds / ceil((n_restarts + schedule.walks_per_fold * n_folds) / n_threads)


def _usual_price(n_rows: int, n_folds: int, schedule: Schedule) -> float:
    if n_rows < schedule.least_rows:
        return schedule.prices[0]
    if n_rows < schedule.few_rows:
        return schedule.usual_price_of_few
    return schedule.usual_price if n_folds else schedule.usual_price_without_folds
