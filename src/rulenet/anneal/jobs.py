"""The walks of `Anneal` as jobs, and the run that follows them in threads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rulenet.anneal.path import follow_path
from rulenet.anneal.plan import Plan
from rulenet.anneal.price import Path
from rulenet.network import Network
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, make_folds, sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Progress, Report, Start
from rulenet.search.threads import Threads


@dataclass(frozen=True)
class Job:
    """A path to follow, and the rows that it left out for judging it, if any."""

    held_out: Problem | None
    follow: Callable[[], Path]


class Run(Threads):
    """A search that runs: its threads and its time, and the accuracy over all rows, which it reports."""

    def __init__(self, problem: Problem, n_jobs: int | None, report: Report, deadline: float | None) -> None:
        super().__init__(n_jobs, deadline)
        self.problem = problem
        self.report = report
        self.history: list[float] = []

    def follow(self, jobs: Sequence[Job], done: float, share: float) -> list[Path | None]:
        """The path of every job, None for those that an interrupt kept from starting.

        A share ``done`` of all work was done before, and this is another ``share``.
        """

        def note(i: int, path: Path) -> None:
            self._note(jobs[i], path, round(done + share * (i + 1) / len(jobs), 9))

        paths = self.run([job.follow for job in jobs], note)
        if not self.history:
            paths[0] = jobs[0].follow()
        return paths

    def _note(self, job: Job, path: Path, done: float) -> None:
        if job.held_out is None and path:
            best = min(path, key=lambda found: found.errors)
            self.history.append(max([self.problem.accuracy(best.network), *self.history[-1:]]))
            self.report(Progress("walks", done, self.history[-1], path[-1].network.size))
        elif self.history:
            self.report(Progress("folds", done, self.history[-1]))


def list_jobs(problem: Problem, plan: Plan, start: Start, seed: int, run: Run) -> list[Job]:
    """All paths of the first round, those on all rows first."""
    schedule = plan.schedule
    make = partial(_make_job, problem, plan, start, seed, run)
    everything = np.arange(problem.n_rows)
    jobs = [make(everything, None, r, plan.skipped(r // schedule.n_variants)) for r in range(plan.n_restarts)]
    for kept, left_out in make_folds(problem, plan.n_folds, seed):
        outside = problem.take(sample_rows(left_out, schedule.max_rows, seed))
        jobs += [make(kept, outside, len(jobs) + i, plan.skipped(i)) for i in range(schedule.walks_per_fold)]
    return jobs


def list_longer_jobs(problem: Problem, plan: Plan, start: Start, seed: int, run: Run, n_before: int) -> list[Job]:
    """The paths of a second round, for concepts that the ``n_before`` of the first one did not find."""
    everything, skipped = np.arange(problem.n_rows), plan.skipped(int(problem.n_rows >= plan.schedule.max_rows // 2))
    make = partial(_make_job, problem, plan, start, seed, run)
    return [make(everything, None, r, skipped, n_before) for r in range(plan.n_restarts)]


def _make_job(
    problem: Problem,
    plan: Plan,
    start: Start,
    seed: int,
    run: Run,
    rows: NDArray[np.int64],
    held_out: Problem | None,
    place: int,
    skipped: int,
    n_before: int = 0,
) -> Job:
    """The path of a place in the plan on some of the rows, which leaves the lowest prices out."""
    number = n_before + place

    def follow() -> Path:
        begin = perf_counter()
        if run.late and number > 0:
            return []
        seen = problem.take(sample_rows(rows, plan.schedule.max_rows, seed + number))
        here = start.on(seen)
        deadline = None if plan.path_seconds is None else begin + plan.path_seconds[place]

        def walk(first: Network) -> Path:
            share = _share_of_proposals(len(first.weights), plan.schedule.usual_depth)
            budget = Budget.until(max(1, int(plan.n_proposals * share)), deadline, run.stop)
            draws = draw_seed(seed, number)
            return follow_path(
                seen, first, plan.prices, plan.row_weight, draws, budget, plan.moves, skipped, schedule=plan.schedule
            )

        path = walk(here(seed + number))
        if seen.predicts_one_class(path[0].network) and (other := here.another(seed + number)):
            path = walk(other)
        return path

    return Job(held_out, follow)


def _share_of_proposals(depth: int, usual: int) -> float:
    """The share that a network of ``depth`` layers gets, so that its walk takes no longer than that of others.

    A change in a deep network is followed through more layers, and fewer proposals end at once. Measured on networks
    of trees with 8 to 22 layers: the time of a proposal grows with the square of the depth.
    """
    return min(1.0, (usual / depth) ** 2)
