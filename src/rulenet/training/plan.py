"""What `Anneal` does in the time there is: prices, numbers of walks, and how long each takes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.training.problem import Problem
from rulenet.training.walk import seconds_of_proposal, weigh_moves

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
# The rows that a path sees at most.
MAX_ROWS = 1 << 12
# A path gets at most so many proposals, or so many as take about this long.
MAX_PROPOSALS = 800_000
PROPOSALS_PER_ROW = 2000
PATH_SECONDS = 0.4
# About how long a network may walk on over more rows than a path sees.
REFINE_SECONDS = 1.0
# In a limited time, a path gets at least so many seconds, and this share of its proposals.
SHORTEST_PATH, LEAST_SHARE = 0.04, 0.2
# Shares of a limited time: for distilling, for walks on more rows than a path sees, and in reserve.
DISTIL_SHARE, REFINE_SHARE, RESERVE = 0.3, 0.2, 0.05


@dataclass(frozen=True)
class Plan:
    """Prices and temperatures are multiples of ``unit``; without a time limit, only the seconds to refine are set."""

    prices: tuple[float, ...]
    unit: float
    n_restarts: int
    n_folds: int
    n_proposals: int
    path_seconds: float | None
    refine_seconds: float
    usual: float
    moves: NDArray[np.float64]
    distil: bool
    distil_seconds: float | None

    @classmethod
    def of(cls, anneal: "Anneal", problem: Problem, n_threads: int) -> "Plan":
        """The plan for a problem."""
        seconds_each = seconds_of_proposal(min(problem.n_rows, MAX_ROWS) // bits.WORD_BITS)
        n_proposals = anneal.n_proposals
        if n_proposals == "auto":
            n_proposals = int(min(MAX_PROPOSALS, PROPOSALS_PER_ROW * problem.n_rows, PATH_SECONDS / seconds_each))
        n_folds = anneal.n_folds if anneal.price == "auto" and problem.n_rows >= LEAST_ROWS else 0
        n_restarts, path_seconds, refine_seconds, distil_seconds = anneal.n_restarts, None, REFINE_SECONDS, None
        if anneal.max_time is not None:
            refine_seconds = REFINE_SHARE * anneal.max_time if problem.n_rows > MAX_ROWS else 0.0
            distil_seconds = DISTIL_SHARE * anneal.max_time if anneal.distil else 0.0
            left = (1 - RESERVE) * anneal.max_time - refine_seconds - distil_seconds
            n_affordable = int(left * n_threads / max(SHORTEST_PATH, LEAST_SHARE * n_proposals * seconds_each))
            if n_affordable < n_restarts + WALKS_PER_FOLD * n_folds:
                n_folds = n_folds if n_affordable >= 3 * n_folds else 0
                n_restarts = min(n_restarts, max(n_threads, n_affordable - WALKS_PER_FOLD * n_folds))
            path_seconds = left / -(-(n_restarts + WALKS_PER_FOLD * n_folds) // n_threads)
        usual = _usual_price(problem.n_rows, n_folds) if anneal.price == "auto" else anneal.price
        prices = PRICES if n_folds else (*(p for p in PRICES if p < usual), usual)
        return cls(
            prices=prices,
            unit=problem.total_weight / problem.n_rows,
            n_restarts=n_restarts,
            n_folds=n_folds,
            n_proposals=n_proposals,
            path_seconds=path_seconds,
            refine_seconds=refine_seconds,
            usual=usual,
            moves=weigh_moves(anneal.repairs, anneal.copies),
            distil=anneal.distil,
            distil_seconds=distil_seconds,
        )

    def skipped(self, turn: int) -> int:
        """How many prices a path leaves out: every other one starts at a price for noisy labels."""
        return sum(price < FIRST_PRICE_OF_NOISY for price in self.prices) if turn % 2 else 0

    @property
    def share_of_paths(self) -> float:
        """The share of the whole time that the paths take."""
        return 1 - DISTIL_SHARE if self.distil else 1.0


def _usual_price(n_rows: int, n_folds: int) -> float:
    if n_rows < LEAST_ROWS:
        return PRICES[0]
    if n_rows < FEW_ROWS:
        return USUAL_PRICE_OF_FEW
    return USUAL_PRICE if n_folds else USUAL_PRICE_WITHOUT_FOLDS
