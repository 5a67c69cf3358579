"""`Anneal`, the search for deep networks of AND and OR.

Many short walks (`path`) run in threads: some on all rows, some on the rows outside a fold. The folds decide the
price of an edge (`price`); among the networks of that price the one closest to their weighted vote is kept (`vote`).
Where no walk found a short description, one more network is fitted to the vote on generated rows as well (`distil`).
Where rows are many, the best networks walk on over a large sample and over all rows (`many_rows`).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np

from rulenet import bits
from rulenet.anneal.distil import distil
from rulenet.anneal.jobs import Job, Run, list_jobs, list_longer_jobs
from rulenet.anneal.many_rows import enlarge, refine
from rulenet.anneal.plan import Plan, usable_seconds
from rulenet.anneal.price import Candidate, Path, Paths, choose_price, judge
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.vote import find_central
from rulenet.exceptions import TableError
from rulenet.network import Network
from rulenet.parameters import Constraint, boolean, integer, number, options
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Defaults, Found, FunctionStart, HeldOut, Progress, Report, Start, be_silent
from rulenet.search.strategy import Strategy
from rulenet.search.structure import trim

# Repairs and copies are at most so large a share of the proposals, each: the others are needed as well.
MOST_SPECIAL = 0.45


class Anneal(Strategy):
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
        missing="auto",
    )
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "price": (options("auto"), number(0)),
        "n_restarts": (integer(1),),
        "n_folds": (Constraint("0", lambda value: not isinstance(value, bool) and value == 0), integer(2)),
        "n_proposals": (options("auto"), integer(1)),
        "repairs": (number(0, MOST_SPECIAL),),
        "copies": (number(0, MOST_SPECIAL),),
        "distil": (options("auto"), boolean()),
        "max_time": (options(None), number(0, above=True)),
    }
    schedule: ClassVar[Schedule] = SCHEDULE

    def __init__(
        self,
        price: float | Literal["auto"] = "auto",
        n_restarts: int = 24,
        n_folds: int = 4,
        n_proposals: int | Literal["auto"] = "auto",
        repairs: float = SCHEDULE.repairs,
        copies: float = SCHEDULE.copies,
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
        self.check()
        if len(problem.literals) > self.schedule.max_literals:
            raise TableError(
                f"the columns give {len(problem.literals)} conditions, but {type(self).__name__} takes at most "
                f"{self.schedule.max_literals}: leave columns out, set not_equal=False, or take search='count'"
            )
        if self.max_time is not None:
            compile_ahead()
        deadline = None if self.max_time is None else perf_counter() + usable_seconds(self.max_time, self.schedule)
        run = Run(problem, n_jobs, report, deadline)
        plan = Plan.of(self, problem, run.n_threads, self.schedule)
        jobs = list_jobs(problem, plan, start, seed, run)
        share = plan.share_of_paths * self.schedule.share_of_second
        done = plan.share_of_paths - share
        paths = run.follow(jobs, 0.0, done)
        enlarged, unsolved = None, False
        if problem.n_rows > self.schedule.max_rows and not run.stop[0]:
            with run.interruptible():
                price = None if self.price == "auto" else self.price
                enlarged = enlarge(problem, plan, _best_of(plan, paths), price, seed, run, done, share)
        elif unsolved := not run.stop[0] and is_unsolved(plan, problem.n_rows, _on_all_rows(jobs, paths)):
            second = plan.lengthened(run.seconds_left, run.n_threads)
            longer = list_longer_jobs(problem, second, start, seed, run, len(jobs)) if second else []
            paths += run.follow(longer, done, share)
            jobs += longer
        found = enlarged or _gather(problem, plan, jobs, paths)
        # None where nothing is to be distilled; no units to spare where the user set their number.
        n_spare = (self.schedule.distil_spare if start.may_widen else 0) if plan.distils(unsolved) else None
        return _conclude(problem, plan, found, n_spare, run, seed)


@cache
def compile_ahead() -> None:
    """Compile, or load, what a search needs, by a search on two rows."""
    two_rows = bits.pack(np.eye(2, dtype=np.bool_))
    problem = Problem.of(two_rows, np.array([True, False]), Relations.of([0, 0], [0, 0]))
    start = Network([np.array([[True, False]]), np.array([[True]])])
    search = Anneal(n_restarts=1, n_folds=0, n_proposals=1, distil=False)
    search.search(problem, FunctionStart(lambda seed: start), 0)


def _on_all_rows(jobs: Sequence[Job], paths: Sequence[Path | None]) -> list[Path | None]:
    return [path for job, path in zip(jobs, paths, strict=True) if job.held_out is None]


def is_unsolved(plan: Plan, n_rows: int, paths: Sequence[Path | None]) -> bool:
    """Whether every network found errs often or is large."""
    schedule = plan.schedule
    candidates = [found for path in paths if path for found in path]
    least = min(found.errors / plan.row_weight + schedule.usual_price * found.network.size for found in candidates)
    return least > (schedule.solved if n_rows < schedule.boosted_rows else schedule.solved_boosted) * n_rows


def _best_of(plan: Plan, paths: Sequence[Path | None]) -> list[Network]:
    """The networks of all paths at the usual price."""
    level = min(range(len(plan.prices)), key=lambda i: abs(plan.prices[i] - plan.schedule.usual_price))
    return [path[level].network for path in paths if path]


def _gather(problem: Problem, plan: Plan, jobs: Sequence[Job], paths: Sequence[Path | None]) -> Paths:
    pairs = [(path, job.held_out) for job, path in zip(jobs, paths, strict=True) if path]
    full = [judge(path, problem) for path, held_out in pairs if held_out is None]
    folds = [(path, held_out) for path, held_out in pairs if held_out is not None]
    return Paths(plan.prices, plan.usual, full, folds)


def _conclude(problem: Problem, plan: Plan, paths: Paths, n_spare: int | None, run: Run, seed: int) -> Found:
    schedule = plan.schedule
    level, validation = choose_price(paths.prices, paths.folds, paths.usual, schedule)
    levels = list(zip(*paths.full, strict=True))
    # Many rows tell which network is best; where they are few, the vote of all tells more.
    many = problem.n_rows > schedule.max_rows
    if many:
        bests = [min(candidates, key=lambda found: found.cost) for candidates in levels]
    else:
        bests = find_central(problem, levels, seed, schedule)
    best = bests[level]
    if many:
        with run.interruptible():
            best = refine(problem, best, plan.refine_seconds, run.deadline is not None, seed, run.stop, schedule)
    if n_spare is not None and not run.stop[0]:
        # Where rows are many, the paths with rows held out are among those judged on all.
        seen_less = [] if many else judge([path[level] for path, _ in paths.folds], problem)
        budget = Budget(plan.n_proposals, plan.distil_seconds, run.stop)
        with run.interruptible():
            run.report(Progress("distil", plan.share_of_paths, run.history[-1], best.network.size))
            distilled = distil(problem, levels[level], seen_less, n_spare, seed, budget, run.n_threads, schedule)
            best = distilled or best
    network = trim(best.network)
    run.history.append(problem.accuracy(network))
    run.report(Progress("done", 1.0, run.history[-1], network.size))
    judged = [_left_out(paths, i) for i in range(len(paths.prices))]
    choices = _choices(problem, paths.prices, bests, validation, judged, level, network)
    return Found(network, tuple(run.history), choices, judged[level])


def _left_out(paths: Paths, level: int) -> HeldOut | None:
    """What the networks of a price say of rows left out."""
    return HeldOut.of([(path[level].network, rows) for path, rows in paths.folds]) if paths.folds else None


def _choices(
    problem: Problem,
    prices: Sequence[float],
    bests: Sequence[Candidate],
    validation: Sequence[float | None],
    judged: Sequence[HeldOut | None],
    level: int,
    network: Network,
) -> tuple[Choice, ...]:
    """The best network of every price, and the one chosen if it is another one."""
    choices = [
        Choice(price, trim(best.network), problem.accuracy(best.network), value, rows)
        for price, best, value, rows in zip(prices, bests, validation, judged, strict=True)
    ]
    if all(choice.network != network for choice in choices):
        choices.append(Choice(prices[level], network, problem.accuracy(network), validation[level], judged[level]))
    return tuple(choices)
