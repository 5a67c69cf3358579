"""Simulated annealing of rule networks: the default search.

Many short walks (`path`) run in threads: some on all rows, some on the rows outside a fold. The folds decide the
price of an edge; among the networks of that price the one closest to their weighted vote is kept (`vote`). Where no
walk found a short description, one more network is fitted to the vote on generated rows as well (`distil`). Where rows
are many, the best networks walk on over a large sample (`enlarge`) and over all rows (`refine`).
"""

from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator

from rulenet import bits
from rulenet.exceptions import ParameterError
from rulenet.network import Network
from rulenet.training.crew import Crew, Job, list_jobs, list_longer_jobs
from rulenet.training.distil import BOOSTED_ROWS, distil
from rulenet.training.enlarge import enlarge
from rulenet.training.path import Budget, Rung, judge
from rulenet.training.plan import MAX_ROWS, USUAL_PRICE, Plan, usable_seconds
from rulenet.training.problem import Problem
from rulenet.training.refine import refine
from rulenet.training.search import Choice, Defaults, Found, Progress, Report, Start, be_silent
from rulenet.training.select import Candidates, choose_price, count_shown_edges, description_length
from rulenet.training.starts import MixedStart
from rulenet.training.structure import trim
from rulenet.training.vote import find_central
from rulenet.training.walk import COPIES, REPAIRS

# Repairs and copies are at most so large a share of the proposals, each.
MOST_SPECIAL = 0.45
# Longer walks follow, and the vote is distilled, where no network found costs less than this for a row, errors and
# edges together; the second figure is for rows enough to boost, which makes the vote better.
SOLVED, SOLVED_BOOSTED = 0.04, 0.005
# Units that a distilled network may fill, in every layer.
N_SPARE = 16
# The share of all paths that a second round takes.
SHARE_OF_SECOND = 0.4


class Anneal(BaseEstimator):  # type: ignore[misc]
    """Random changes of the network at a falling temperature; nothing needs to be set.

    Parameters
    ----------
    price : float or "auto", default="auto"
        What an edge costs, in rows of average weight: the search minimises errors + price * edges. "auto" chooses
        among 0.05 to 4 by cross-validation on the training rows.
    n_restarts : int, default=24
        Walks on all rows, from different starts.
    n_folds : int, default=4
        Folds for the choice of the price, with two walks each. Without folds (0) the price is 0.5, or 1
        for less than 256 rows. Above 4096 rows, one part of them is held out instead.
    n_proposals : int or "auto", default="auto"
        Proposals of one walk. "auto" takes up to 800,000, fewer where rows are many or very few.
    repairs : float, default=0.4
        The share of proposals that start from a row which the network gets wrong, and change what this row needs.
    copies : float, default=0.03
        The share of proposals that add a changed copy of a unit.
    distil : bool or "auto", default="auto"
        Whether to fit the final network to the weighted vote of all walks as well, where they disagree; from 1,000 rows
        on, boosted networks vote with them. "auto" does so where there are 256 to 4096 rows and no network with few
        errors and few edges; under ``max_time`` only if that is enough for all walks.
    max_time : float or None, default=None
        Seconds that the search may take; compiling, which the first fit after installing does, or loading what is
        compiled, the first one of a process, does not count. With a limit, results depend on the speed of the machine.
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
        n_restarts: int = 24,
        n_folds: int = 4,
        n_proposals: int | Literal["auto"] = "auto",
        repairs: float = REPAIRS,
        copies: float = COPIES,
        distil: bool | Literal["auto"] = "auto",
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
        if self.max_time is not None:
            compile_ahead()
        deadline = None if self.max_time is None else perf_counter() + usable_seconds(self.max_time)
        crew = Crew(problem, n_jobs, report, deadline)
        plan = Plan.of(self, problem, crew.n_threads)
        jobs = list_jobs(problem, plan, start, seed, crew)
        share = plan.share_of_paths * SHARE_OF_SECOND
        done = plan.share_of_paths - share
        paths = crew.run(jobs, 0.0, done)
        enlarged, unsolved = None, False
        if problem.n_rows > MAX_ROWS and not crew.stop[0]:
            with crew.interruptible():
                price = None if self.price == "auto" else self.price
                enlarged = enlarge(problem, plan, _best_of(plan, paths), price, seed, crew, done, share)
        elif unsolved := not crew.stop[0] and _is_unsolved(plan, problem.n_rows, _on_all_rows(jobs, paths)):
            second = plan.lengthened(crew.seconds_left, crew.n_threads)
            longer = list_longer_jobs(problem, second, start, seed, crew, len(jobs)) if second else []
            paths += crew.run(longer, done, share)
            jobs += longer
        candidates = enlarged or _gather(problem, plan, jobs, paths)
        n_spare = _count_spare(start) if plan.distils(unsolved) else None
        return _conclude(problem, plan, candidates, n_spare, crew, seed)

    def _check(self) -> None:
        if self.price != "auto" and not (isinstance(self.price, int | float) and self.price >= 0):
            raise ParameterError(f"price is {self.price!r}, but must be 'auto' or a number of at least 0")
        if self.max_time is not None and not self.max_time > 0:
            raise ParameterError(f"max_time is {self.max_time!r}, but must be None or a number of seconds above 0")
        if not (self.distil == "auto" or isinstance(self.distil, bool | np.bool_)):
            raise ParameterError(f"distil is {self.distil!r}, but must be True, False or 'auto'")
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


@cache
def compile_ahead() -> None:
    """Compile, or load, what a search needs, by a search on two rows."""
    problem = Problem.of(bits.pack(np.eye(2, dtype=np.bool_)), np.array([True, False]), np.zeros(2, np.int64))
    start = Network([np.array([[True, False]]), np.array([[True]])])
    Anneal(n_restarts=1, n_folds=0, n_proposals=1, distil=False).search(problem, lambda seed: start, 0)


def _on_all_rows(jobs: Sequence[Job], paths: Sequence[list[Rung] | None]) -> list[list[Rung] | None]:
    return [path for job, path in zip(jobs, paths, strict=True) if job.held_out is None]


def _count_spare(start: Start) -> int:
    """The units that a distilled network may have more in every layer: none where the user set their number."""
    return N_SPARE if isinstance(start, MixedStart) and len(start.shapes) > 1 else 0


def _is_unsolved(plan: Plan, n_rows: int, paths: Sequence[list[Rung] | None]) -> bool:
    """Whether every network found errs often or is large."""
    rungs = [rung for path in paths if path for rung in path]
    least = min(rung.errors / plan.unit + USUAL_PRICE * count_shown_edges(rung.network) for rung in rungs)
    return least > (SOLVED if n_rows < BOOSTED_ROWS else SOLVED_BOOSTED) * n_rows


def _best_of(plan: Plan, paths: Sequence[list[Rung] | None]) -> list[Network]:
    """The networks of all paths at the usual price."""
    level = min(range(len(plan.prices)), key=lambda i: abs(plan.prices[i] - USUAL_PRICE))
    return [path[level].network for path in paths if path]


def _gather(problem: Problem, plan: Plan, jobs: Sequence[Job], paths: Sequence[list[Rung] | None]) -> Candidates:
    pairs = [(path, job.held_out) for job, path in zip(jobs, paths, strict=True) if path]
    full = [judge(path, problem) for path, held_out in pairs if held_out is None]
    folds = [(path, held_out) for path, held_out in pairs if held_out is not None]
    return Candidates(plan.prices, plan.usual, full, folds)


def _conclude(
    problem: Problem, plan: Plan, candidates: Candidates, n_spare: int | None, crew: Crew, seed: int
) -> Found:
    level, validation = choose_price(candidates.prices, candidates.folds, candidates.usual)
    levels = list(zip(*candidates.full, strict=True))
    # Many rows tell which network is best; where they are few, the vote of all tells more.
    many = problem.n_rows > MAX_ROWS
    bests = [min(rungs, key=description_length) for rungs in levels] if many else find_central(problem, levels, seed)
    best = bests[level]
    if many:
        with crew.interruptible():
            best = refine(problem, best, plan.refine_seconds, crew.deadline is not None, seed, crew.stop)
    if n_spare is not None and not crew.stop[0]:
        # Where rows are many, the paths with rows held out are among those judged on all.
        seen_less = [] if many else judge([path[level] for path, _ in candidates.folds], problem)
        budget = Budget(plan.n_proposals, plan.distil_seconds, crew.stop)
        with crew.interruptible():
            crew.report(Progress("distil", plan.share_of_paths, crew.history[-1], best.network.n_edges))
            best = distil(problem, levels[level], seen_less, n_spare, seed, budget, crew.n_threads) or best
    network = trim(best.network)
    crew.history.append(problem.accuracy(network))
    crew.report(Progress("done", 1.0, crew.history[-1], network.n_edges))
    choices = [
        Choice(price, trim(rung.network), problem.accuracy(rung.network), value)
        for price, rung, value in zip(candidates.prices, bests, validation, strict=True)
    ]
    if all(choice.network != network for choice in choices):
        choices.append(Choice(candidates.prices[level], network, crew.history[-1], validation[level]))
    return Found(network, tuple(crew.history), tuple(choices))
