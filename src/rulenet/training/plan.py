"""What `Anneal` does in the time there is: prices, numbers of walks, and how long each takes."""

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.training.problem import Problem
from rulenet.training.walk import seconds_of_proposal, weigh_moves, work_of_proposal

if TYPE_CHECKING:
    from rulenet.training.anneal import Anneal

PRICES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
# The price taken unless folds speak for another one; a higher one where there are few rows, or no folds.
USUAL_PRICE, USUAL_PRICE_OF_FEW, USUAL_PRICE_WITHOUT_FOLDS = 0.2, 1.0, 0.5
FEW_ROWS = 256
FIRST_PRICE_OF_NOISY = 0.2
WALKS_PER_FOLD = 2
# Fewer rows than this do not make folds, and there every row counts.
LEAST_ROWS = 20
# The rows that a path sees at most; where there are more, `enlarge` takes the place of folds.
MAX_ROWS = 1 << 12
# A path gets at most so many proposals, and no more than this work.
MAX_PROPOSALS = 800_000
PROPOSALS_PER_ROW = 2000
MAX_WORK = 0.4
# A second round, where the first one finds little: how many times longer its walks are, how many there are at most, and
# if one of the first round is so much work.
LONGER, MANY_LONGER, FEW_LONGER = 2, 6, 2
DEAR = 0.3
# About how long a network may walk on over more rows than a path sees.
REFINE_SECONDS = 1.0
# In a limited time, this share of it is for walks as long as without a limit; a shorter one takes at least so many
# seconds, and this share of the usual ones.
LONG_SHARE = 0.5
SHORTEST_PATH, LEAST_SHARE = 0.015, 0.4
# Shares of a limited time: for distilling, and for the last walk on all rows where they are many. Of what is left,
# walks on a large sample get a share.
DISTIL_SHARE, REFINE_SHARE, ENLARGE_SHARE = 0.15, 0.2, 0.5
# In reserve, for encoding before the walks and for choosing after them: a share, and seconds up to another share.
RESERVE, RESERVED_SECONDS, MOST_RESERVED = 0.05, 0.01, 0.2


@dataclass(frozen=True)
class Plan:
    """Prices and temperatures are multiples of ``unit``; a walk takes about ``walk_seconds``.

    Without a time limit, paths and distilling have no seconds set.
    """

    prices: tuple[float, ...]
    unit: float
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
    def of(cls, anneal: "Anneal", problem: Problem, n_threads: int) -> "Plan":
        """The plan for a problem."""
        n_words = min(problem.n_rows, MAX_ROWS) // bits.WORD_BITS
        n_proposals = anneal.n_proposals
        if n_proposals == "auto":
            most = MAX_WORK / work_of_proposal(n_words)
            n_proposals = int(min(MAX_PROPOSALS, PROPOSALS_PER_ROW * problem.n_rows, most))
        n_folds = anneal.n_folds if anneal.price == "auto" and LEAST_ROWS <= problem.n_rows <= MAX_ROWS else 0
        n_restarts, path_seconds, refine_seconds, distil_seconds = anneal.n_restarts, None, REFINE_SECONDS, None
        distil = anneal.distil if anneal.distil != "auto" or FEW_ROWS <= problem.n_rows <= MAX_ROWS else False
        walk_seconds = n_proposals * seconds_of_proposal(n_words)
        if anneal.max_time is not None:
            refine_seconds = REFINE_SHARE * anneal.max_time if problem.n_rows > MAX_ROWS else 0.0
            distil_seconds = DISTIL_SHARE * anneal.max_time
            left = usable_seconds(anneal.max_time) - refine_seconds
            each = seconds_of_each(left - distil_seconds, n_threads, n_restarts, n_folds)
            if not distil or (distil == "auto" and each < walk_seconds):
                distil, distil_seconds = False, 0.0
            left -= distil_seconds
            left *= 1 - ENLARGE_SHARE if problem.n_rows > MAX_ROWS else 1
            n_restarts, n_folds, path_seconds = divide_time(left, n_threads, n_restarts, n_folds, walk_seconds)
        usual = _usual_price(problem.n_rows, n_folds) if anneal.price == "auto" else anneal.price
        prices = PRICES if n_folds else end_at(PRICES, usual)
        return cls(
            prices=prices,
            unit=problem.total_weight / problem.n_rows,
            n_restarts=n_restarts,
            n_folds=n_folds,
            n_proposals=n_proposals,
            walk_seconds=walk_seconds,
            walk_is_dear=n_proposals * work_of_proposal(n_words) >= DEAR,
            path_seconds=path_seconds,
            refine_seconds=refine_seconds,
            usual=usual,
            moves=weigh_moves(anneal.repairs, anneal.copies),
            distil=distil,
            distil_seconds=distil_seconds,
        )

    def skipped(self, turn: int) -> int:
        """How many prices a path leaves out: every other one starts at a price for noisy labels."""
        return sum(price < FIRST_PRICE_OF_NOISY for price in self.prices) if turn % 2 else 0

    def lengthened(self, left: float | None, n_threads: int) -> "Plan | None":
        """The plan of a second round of fewer and longer walks, in the seconds ``left`` if those are limited.

        None if they are too few.
        """
        n_walks = min(self.n_restarts, FEW_LONGER if self.walk_is_dear else MANY_LONGER)
        plan = replace(self, n_restarts=n_walks, n_folds=0, n_proposals=LONGER * self.n_proposals)
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
        return 1 - DISTIL_SHARE if self.distil else 1.0


def usable_seconds(max_time: float) -> float:
    """The part of a limited time that is not in reserve.

    >>> usable_seconds(10.0), usable_seconds(0.01)
    (9.49, 0.0075)
    """
    return (1 - RESERVE) * max_time - min(RESERVED_SECONDS, MOST_RESERVED * max_time)


def divide_time(
    seconds: float, n_threads: int, n_restarts: int, n_folds: int, usual: float
) -> tuple[int, int, tuple[float, ...]]:
    """How many walks and folds there is time for, and the seconds of every path, the long ones first.

    Some concepts are found by long walks only, and noise asks for many: half of the time is for walks of the ``usual``
    seconds, or one a thread, the other half for shorter ones. With enough time for all, they share it evenly.

    >>> divide_time(0.5, 2, 24, 4, 0.2)
    (8, 0, (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1))
    """
    even = seconds_of_each(seconds, n_threads, n_restarts, n_folds)
    if even >= usual:
        return n_restarts, n_folds, (even,) * (n_restarts + WALKS_PER_FOLD * n_folds)
    long = min(usual, LONG_SHARE * seconds)
    n_long = n_threads * int(LONG_SHARE * seconds / long)
    n_short = int((1 - LONG_SHARE) * seconds * n_threads / max(SHORTEST_PATH, LEAST_SHARE * usual))
    if n_long + n_short < n_restarts + WALKS_PER_FOLD * n_folds:
        n_folds = n_folds if n_short >= 3 * n_folds else 0
        n_restarts = min(n_restarts, n_long + max(n_threads, n_short - WALKS_PER_FOLD * n_folds))
    n_long = min(n_long, n_restarts)
    n_short = n_restarts + WALKS_PER_FOLD * n_folds - n_long
    short = (seconds - ceil(n_long / n_threads) * long) / max(1, ceil(n_short / n_threads))
    return n_restarts, n_folds, (long,) * n_long + (round(short, 9),) * n_short


def seconds_of_each(seconds: float, n_threads: int, n_restarts: int, n_folds: int) -> float:
    """The seconds of every walk if all take place and share the time evenly."""
    return seconds / ceil((n_restarts + WALKS_PER_FOLD * n_folds) / n_threads)


def end_at(prices: tuple[float, ...], last: float) -> tuple[float, ...]:
    """The prices below the ``last`` one, and that.

    >>> end_at((0.2, 0.5, 1.0), 0.7)
    (0.2, 0.5, 0.7)
    """
    return (*(price for price in prices if price < last), last)


def _usual_price(n_rows: int, n_folds: int) -> float:
    if n_rows < LEAST_ROWS:
        return PRICES[0]
    if n_rows < FEW_ROWS:
        return USUAL_PRICE_OF_FEW
    return USUAL_PRICE if n_folds else USUAL_PRICE_WITHOUT_FOLDS
