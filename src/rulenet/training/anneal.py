"""Simulated annealing of rule networks: the default search.

Many short walks (`path`) run in threads: some on all rows, some on the rows outside a fold. The folds decide the
price of an edge; among the networks of that price the one closest to their weighted vote is kept (`vote`). If asked
for, one more network is fitted to the vote on generated rows as well (`distil`).
"""

import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rulenet import bits
from rulenet.exceptions import ParameterError
from rulenet.training.distil import distil
from rulenet.training.path import Budget, Rung, follow_path, judge
from rulenet.training.problem import Problem
from rulenet.training.refine import refine
from rulenet.training.search import Choice, Defaults, Found, Progress, Report, Start, be_silent
from rulenet.training.select import choose_price, description_length, make_folds, sample_rows
from rulenet.training.starts import DataStart
from rulenet.training.structure import trim
from rulenet.training.vote import find_central
from rulenet.training.walk import COPIES, REPAIRS, seconds_of_proposal, weigh_moves

PRICES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
# Taken unless folds speak for another one; fewer rows than this do not make folds, and there every row counts.
USUAL_PRICE, LEAST_ROWS = 0.2, 20
# The rows that a path sees at most.
MAX_ROWS = 1 << 12
# A path gets at most so many proposals, or so many as take about this long.
MAX_PROPOSALS = 1_000_000
PROPOSALS_PER_ROW = 2000
PATH_SECONDS = 1.0
SHORTEST_PATH = 0.02
USUAL_DEPTH = 6
DISTIL_SHARE = 0.3
# Repairs and copies are at most so large a share of the proposals, each.
MOST_SPECIAL = 0.45


class Anneal(BaseEstimator):  # type: ignore[misc]
    """Random changes of the network at a falling temperature; nothing needs to be set.

    Parameters
    ----------
    price : float or "auto", default="auto"
        What an edge costs, in rows of average weight: the search minimises errors + price * edges. "auto" chooses
        among 0.05 to 4 by cross-validation on the training rows.
    n_restarts : int, default=12
        Walks on all rows, from different starts.
    n_folds : int, default=4
        Folds for the choice of the price, with two walks each. Without folds (0) the price is 0.5.
    n_proposals : int or "auto", default="auto"
        Proposals of one walk. "auto" takes up to a million, fewer where rows are many.
    repairs : float, default=0.4
        The share of proposals that start from a row which the network gets wrong, and change what this row needs.
    copies : float, default=0.03
        The share of proposals that add a changed copy of a unit.
    distil : bool, default=False
        Whether to fit the final network to the majority vote of all walks as well, where they disagree.
    max_time : float or None, default=None
        Seconds that the search may take. With a limit, results depend on the speed of the machine.
    """

    defaults: ClassVar[Defaults] = Defaults(
        shapes=((32, 8, 2), (64, 16, 4), (32, 16, 8, 4, 2)),
        first_gates=("and", "or"),
        not_equal=True,
        both_classes=False,
        mixed=True,
    )

    def __init__(
        self,
        price: float | Literal["auto"] = "auto",
        n_restarts: int = 12,
        n_folds: int = 4,
        n_proposals: int | Literal["auto"] = "auto",
        repairs: float = REPAIRS,
        copies: float = COPIES,
        distil: bool = False,
        max_time: float | None = None,
    ) -> None:
        self.price = price
        self.n_restarts = n_restarts
        self.n_folds = n_folds
        self.n_proposals = n_proposals
        self.repairs = repairs
        self.copies = copies
        self.distil = distil
        self.max_time = max_time

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The network chosen, the accuracy of the best so far after every walk, and the best network of every price."""
        self._check()
        deadline = None if self.max_time is None else perf_counter() + 0.95 * self.max_time
        crew = _Crew(problem, _count_threads(n_jobs), report, deadline)
        plan = _Plan.of(self, problem, crew.n_threads)
        jobs = _list_jobs(problem, plan, start, seed, crew)
        paths = crew.run(jobs, plan.share_of_paths)
        return _conclude(problem, plan, jobs, paths, crew, seed)

    def _check(self) -> None:
        if self.price != "auto" and not (isinstance(self.price, int | float) and self.price >= 0):
            raise ParameterError(f"price is {self.price!r}, but must be 'auto' or a number of at least 0")
        if self.max_time is not None and not self.max_time > 0:
            raise ParameterError(f"max_time is {self.max_time!r}, but must be None or a number of seconds above 0")
        for name in ("repairs", "copies"):
            share = getattr(self, name)
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= MOST_SPECIAL:
                raise ParameterError(f"{name} is {share!r}, but must be a number from 0 to {MOST_SPECIAL}")
        for name, least in (("n_restarts", 1), ("n_folds", 0), ("n_proposals", 1)):
            value = getattr(self, name)
            if value == "auto" and name == "n_proposals":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ParameterError(f"{name} is {value!r}, but must be an integer of at least {least}")
        if self.n_folds == 1:
            raise ParameterError("n_folds is 1, but must be 0 or at least 2")


@dataclass(frozen=True)
class _Plan:
    """What is done in the time there is."""

    prices: tuple[float, ...]
    unit: float
    n_restarts: int
    n_folds: int
    n_proposals: int
    path_seconds: float | None
    usual: float
    moves: NDArray[np.float64]
    distil: bool
    distil_seconds: float | None

    @classmethod
    def of(cls, anneal: Anneal, problem: Problem, n_threads: int) -> "_Plan":
        seconds_each = seconds_of_proposal(min(problem.n_rows, MAX_ROWS) // bits.WORD_BITS)
        n_proposals = anneal.n_proposals
        if n_proposals == "auto":
            n_proposals = int(min(MAX_PROPOSALS, PROPOSALS_PER_ROW * problem.n_rows, PATH_SECONDS / seconds_each))
        prices = PRICES if anneal.price == "auto" else (*(p for p in PRICES if p < anneal.price), anneal.price)
        n_folds = anneal.n_folds if anneal.price == "auto" and problem.n_rows >= LEAST_ROWS else 0
        n_restarts, path_seconds, distil_seconds = anneal.n_restarts, None, None
        if anneal.max_time is not None:
            total = anneal.max_time * n_threads
            path_needs = max(SHORTEST_PATH, 0.2 * n_proposals * seconds_each)
            n_affordable = int(0.7 * total / path_needs)
            if n_affordable < n_restarts + 2 * n_folds:
                n_folds = n_folds if n_affordable >= 3 * n_folds else 0
                n_restarts = min(n_restarts, max(1, n_affordable - 2 * n_folds))
            share = (1 - DISTIL_SHARE) if anneal.distil else 0.95
            n_waves = -(-(n_restarts + 2 * n_folds) // n_threads)
            path_seconds = anneal.max_time * share / n_waves
            distil_seconds = anneal.max_time * (0.95 - share)
        if n_folds == 0 and anneal.price == "auto":
            prices = tuple(p for p in PRICES if p <= USUAL_PRICE) if problem.n_rows >= LEAST_ROWS else PRICES[:1]
        return cls(
            prices=prices,
            unit=problem.total_weight / problem.n_rows,
            n_restarts=n_restarts,
            n_folds=n_folds,
            n_proposals=n_proposals,
            path_seconds=path_seconds,
            usual=USUAL_PRICE if anneal.price == "auto" else anneal.price,
            moves=weigh_moves(anneal.repairs, anneal.copies),
            distil=anneal.distil,
            distil_seconds=distil_seconds,
        )

    @property
    def seconds_to_refine(self) -> float:
        """About how long a network may be refined on more rows than a path saw."""
        return 1.0 if self.path_seconds is None else self.path_seconds

    @property
    def share_of_paths(self) -> float:
        """The share of the whole time that the paths take."""
        return 1 - DISTIL_SHARE if self.distil else 1.0


@dataclass(frozen=True)
class _Job:
    """A path to follow, and the rows that it left out for judging it, if any."""

    held_out: Problem | None
    follow: Callable[[], list[Rung]]


def _list_jobs(problem: Problem, plan: _Plan, start: Start, seed: int, crew: "_Crew") -> list[_Job]:
    """All paths, those on all rows first."""

    def job(rows: NDArray[np.int64], held_out: Problem | None, number: int) -> _Job:
        def follow() -> list[Rung]:
            path_seed = int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])
            seen = problem.take(sample_rows(rows, MAX_ROWS, seed + number))
            first = (start.on(seen) if isinstance(start, DataStart) else start)(seed + number)
            n_proposals = max(1, int(plan.n_proposals * _share_of_proposals(len(first.weights))))
            budget = Budget(n_proposals, plan.path_seconds, crew.stop, crew.deadline)
            return follow_path(seen, first, plan.prices, plan.unit, path_seed, budget, plan.moves)

        return _Job(held_out, follow)

    everything = np.arange(problem.n_rows)
    jobs = [job(everything, None, r) for r in range(plan.n_restarts)]
    for kept, left_out in make_folds(problem, plan.n_folds, seed):
        outside = problem.take(sample_rows(left_out, MAX_ROWS, seed))
        jobs += [job(kept, outside, len(jobs)), job(kept, outside, len(jobs) + 1)]
    return jobs


def _share_of_proposals(depth: int) -> float:
    """The share that a network of ``depth`` layers gets, so that its walk takes no longer than that of others.

    A change in a deep network is followed through more layers, and fewer proposals end at once. Measured on networks
    of trees with 8 to 22 layers: the time of a proposal grows with the square of the depth.
    """
    return min(1.0, (USUAL_DEPTH / depth) ** 2)


class _Crew:
    """Threads that work on jobs, can be stopped, and tell how far they are."""

    def __init__(self, problem: Problem, n_threads: int, report: Report, deadline: float | None) -> None:
        self.deadline = deadline
        self.problem = problem
        self.n_threads = n_threads
        self.report = report
        self.stop = np.zeros(1, np.bool_)
        self.history: list[float] = []

    def run(self, jobs: Sequence[_Job], share: float) -> list[list[Rung] | None]:
        """What each job found, None for those that an interrupt kept from starting."""
        results: list[list[Rung] | None] = [None] * len(jobs)
        with ThreadPoolExecutor(self.n_threads) as pool:
            futures: list[Future[list[Rung]]] = [pool.submit(job.follow) for job in jobs]
            try:
                for i, future in enumerate(futures):
                    results[i] = future.result()
                    self._note(jobs[i], results[i], share * (i + 1) / len(jobs))
            except KeyboardInterrupt:
                self.halt()
                for future in futures:
                    future.cancel()
                results = [None if future.cancelled() else future.result() for future in futures]
        if not any(rungs for job, rungs in zip(jobs, results, strict=True) if job.held_out is None):
            results[0] = jobs[0].follow()
        return results

    def halt(self) -> None:
        """Let all walks end where they are."""
        self.stop[0] = True
        warnings.warn("interrupted: this is the best network so far", RuntimeWarning, stacklevel=4)

    def _note(self, job: _Job, rungs: list[Rung] | None, done: float) -> None:
        if job.held_out is None and rungs:
            errors = min(rung.errors for rung in rungs)
            accuracy = 1 - errors / self.problem.total_weight
            self.history.append(max([accuracy, *self.history[-1:]]))
            self.report(Progress("walks", done, self.history[-1], rungs[-1].network.n_edges))
        elif self.history:
            self.report(Progress("folds", done, self.history[-1]))


def _conclude(
    problem: Problem, plan: _Plan, jobs: Sequence[_Job], paths: Sequence[list[Rung] | None], crew: _Crew, seed: int
) -> Found:
    pairs = [(path, job.held_out) for job, path in zip(jobs, paths, strict=True) if path]
    full = [judge(path, problem) for path, held_out in pairs if held_out is None]
    folds = [(path, held_out) for path, held_out in pairs if held_out is not None]
    level, validation = choose_price(plan.prices, folds, plan.usual)
    bests = find_central(problem, list(zip(*full, strict=True)), seed)
    choices = tuple(
        Choice(price, trim(best.network), problem.accuracy(best.network), value)
        for price, best, value in zip(plan.prices, bests, validation, strict=True)
    )
    best = bests[level]
    if problem.n_rows > MAX_ROWS:
        best = refine(problem, best, plan.seconds_to_refine, seed, crew.stop)
    if plan.distil and not crew.stop[0]:
        voters = [p[level].network for p in paths if p]
        starts = sorted((p[level] for p in full), key=description_length)
        budget = Budget(plan.n_proposals, plan.distil_seconds, crew.stop, crew.deadline)
        try:
            crew.report(Progress("distil", plan.share_of_paths, crew.history[-1], best.network.n_edges))
            distilled = distil(problem, [s.network for s in starts], voters, best.price, seed, budget, crew.n_threads)
            best = distilled or best
        except KeyboardInterrupt:
            crew.halt()
    crew.history.append(problem.accuracy(best.network))
    crew.report(Progress("done", 1.0, crew.history[-1], best.network.n_edges))
    return Found(trim(best.network), tuple(crew.history), choices)


def _count_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
