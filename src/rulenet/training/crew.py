"""The walks of `Anneal` as jobs, and the threads that work on them."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rulenet.network import Network
from rulenet.training.path import Budget, Rung, follow_path
from rulenet.training.plan import MAX_ROWS, WALKS_PER_FOLD, Plan
from rulenet.training.problem import Problem
from rulenet.training.search import Progress, Report, Start
from rulenet.training.select import make_folds, sample_rows
from rulenet.training.starts import DataStart, MixedStart

USUAL_DEPTH = 6
# Starts of all shapes and gates take turns in cooling at low and high prices first.
N_VARIANTS = 6


@dataclass(frozen=True)
class Job:
    """A path to follow, and the rows that it left out for judging it, if any."""

    held_out: Problem | None
    follow: Callable[[], list[Rung]]


def list_jobs(problem: Problem, plan: Plan, start: Start, seed: int, crew: "Crew") -> list[Job]:
    """All paths of the first round, those on all rows first."""
    make = partial(_make_job, problem, plan, start, seed, crew)
    everything = np.arange(problem.n_rows)
    jobs = [make(everything, None, r, plan.skipped(r // N_VARIANTS)) for r in range(plan.n_restarts)]
    for kept, left_out in make_folds(problem, plan.n_folds, seed):
        outside = problem.take(sample_rows(left_out, MAX_ROWS, seed))
        jobs += [make(kept, outside, len(jobs) + i, plan.skipped(i)) for i in range(WALKS_PER_FOLD)]
    return jobs


def list_longer_jobs(problem: Problem, plan: Plan, start: Start, seed: int, crew: "Crew", n_before: int) -> list[Job]:
    """The paths of a second round, for concepts that the ``n_before`` of the first one did not find."""
    everything, skipped = np.arange(problem.n_rows), plan.skipped(int(problem.n_rows >= MAX_ROWS // 2))
    make = partial(_make_job, problem, plan, start, seed, crew)
    return [make(everything, None, r, skipped, n_before) for r in range(plan.n_restarts)]


def _make_job(
    problem: Problem,
    plan: Plan,
    start: Start,
    seed: int,
    crew: "Crew",
    rows: NDArray[np.int64],
    held_out: Problem | None,
    place: int,
    skipped: int,
    n_before: int = 0,
) -> Job:
    """The path of a place in the plan on some of the rows, which leaves the lowest prices out."""
    number = n_before + place

    def follow() -> list[Rung]:
        begin = perf_counter()
        if crew.late and number > 0:
            return []
        seen = problem.take(sample_rows(rows, MAX_ROWS, seed + number))
        here = start.on(seen) if isinstance(start, DataStart) else start
        deadline = None if plan.path_seconds is None else begin + plan.path_seconds[place]

        def walk(first: Network) -> list[Rung]:
            n_proposals = max(1, int(plan.n_proposals * _share_of_proposals(len(first.weights))))
            budget = Budget.until(n_proposals, deadline, crew.stop)
            draws = draw_seed(seed, number)
            return follow_path(seen, first, plan.prices, plan.unit, draws, budget, plan.moves, skipped)

        rungs = walk(here(seed + number))
        if isinstance(here, MixedStart) and seen.predicts_one_class(rungs[0].network):
            rungs = walk(here.from_tree(seed + number))
        return rungs

    return Job(held_out, follow)


def draw_seed(seed: int, number: int) -> int:
    """The seed of the path of a number."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])


def _share_of_proposals(depth: int) -> float:
    """The share that a network of ``depth`` layers gets, so that its walk takes no longer than that of others.

    A change in a deep network is followed through more layers, and fewer proposals end at once. Measured on networks
    of trees with 8 to 22 layers: the time of a proposal grows with the square of the depth.
    """
    return min(1.0, (USUAL_DEPTH / depth) ** 2)


class Crew:
    """Threads that work on jobs, can be stopped, and tell how far they are."""

    def __init__(self, problem: Problem, n_jobs: int | None, report: Report, deadline: float | None) -> None:
        self.problem = problem
        self.n_threads = _count_threads(n_jobs)
        self.report = report
        self.deadline = deadline
        self.stop = np.zeros(1, np.bool_)
        self.history: list[float] = []

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the time is over, None if it is not limited."""
        return None if self.deadline is None else self.deadline - perf_counter()

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.seconds_left is not None and self.seconds_left < 0

    def run(self, jobs: Sequence[Job], done: float, share: float) -> list[list[Rung] | None]:
        """What each job found, None for those that an interrupt kept from starting.

        A share ``done`` of all work was done before, and this is another ``share``.
        """
        results: list[list[Rung] | None] = [None] * len(jobs)
        with ThreadPoolExecutor(self.n_threads) as pool:
            futures: list[Future[list[Rung]]] = [pool.submit(job.follow) for job in jobs]
            try:
                for i, future in enumerate(futures):
                    results[i] = future.result()
                    self._note(jobs[i], results[i], round(done + share * (i + 1) / len(jobs), 9))
            except KeyboardInterrupt:
                self.halt()
                for future in futures:
                    future.cancel()
                results = [None if future.cancelled() else future.result() for future in futures]
        if not self.history:
            results[0] = jobs[0].follow()
        return results

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Work that an interrupt ends without an error; what was found before stands."""
        try:
            yield
        except KeyboardInterrupt:
            self.halt()

    def halt(self) -> None:
        """Let all walks end where they are."""
        self.stop[0] = True
        warnings.warn("interrupted: this is the best network so far", RuntimeWarning, stacklevel=4)

    def _note(self, job: Job, rungs: list[Rung] | None, done: float) -> None:
        if job.held_out is None and rungs:
            best = min(rungs, key=lambda rung: rung.errors)
            self.history.append(max([self.problem.accuracy(best.network), *self.history[-1:]]))
            self.report(Progress("walks", done, self.history[-1], rungs[-1].network.n_edges))
        elif self.history:
            self.report(Progress("folds", done, self.history[-1]))


def _count_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
