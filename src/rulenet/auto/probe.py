"""A few walks that tell in a second or two whether a short concept may be near."""

from collections.abc import Iterator, Sequence

import numpy as np

from rulenet.anneal.anneal import Anneal
from rulenet.auto.classes import frequent_first
from rulenet.auto.schedule import SCHEDULE, Probe
from rulenet.search.folds import make_folds, sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Found, Start


def is_far_off(problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> bool:
    """Whether a few walks leave too many rows wrong for a concept to be near."""
    share = problem.positive_weight / problem.total_weight
    of_rare = SCHEDULE.far_off_of_rare * min(share, 1 - share)
    if problem.n_rows > SCHEDULE.many_rows:
        wrong = next(_wrong_left_out(problem, [problem], start, seed, n_jobs, max_time))
        return wrong > min(SCHEDULE.far_off_of_many, of_rare)
    return 1 - _walk(SCHEDULE.on_few, problem, start, seed, n_jobs, max_time).history[-1] > min(
        SCHEDULE.far_off, of_rare
    )


def are_near(problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> bool:
    """Whether a few walks for each class against the rest get most of the rows right that are left out."""
    if problem.n_rows < SCHEDULE.least_rows:
        return False
    parts = problem.against_the_rest()
    seconds = None if max_time is None else max_time / len(parts)
    most = SCHEDULE.far_off_of_many_and_classes if problem.n_rows > SCHEDULE.many_rows else SCHEDULE.far_off_of_classes
    wrong = 0.0
    for share in _wrong_left_out(problem, [parts[k] for k in frequent_first(parts)], start, seed, n_jobs, seconds):
        wrong += share
        if wrong > most:
            return False
    return True


def _wrong_left_out(
    problem: Problem, parts: Sequence[Problem], start: Start, seed: int, n_jobs: int | None, max_time: float | None
) -> Iterator[float]:
    """For each of some problems of the same rows, the share of rows left out that walks on the others get wrong."""
    rows = sample_rows(np.arange(problem.n_rows), SCHEDULE.probed_rows, seed)
    kept, left_out = (rows[fold] for fold in next(make_folds(problem.take(rows), SCHEDULE.n_folds, seed)))
    for part in parts:
        seen = part.take(kept)
        found = _walk(SCHEDULE.on_many, seen, start.on(seen), seed, n_jobs, max_time)
        yield 1 - part.take(left_out).accuracy(found.network)


def _walk(probe: Probe, problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> Found:
    seconds = None if max_time is None else SCHEDULE.probe_share * max_time
    search = Anneal(price=probe.price, n_restarts=probe.n_walks, n_folds=0, distil=False, max_time=seconds)
    return search.search(problem, start, seed, n_jobs)
