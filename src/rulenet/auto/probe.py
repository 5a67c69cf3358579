"""A few walks that tell in a second or two whether a short concept may be near."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rulenet.anneal.anneal import Anneal
from rulenet.auto.classes import frequent_first
from rulenet.search.folds import make_folds, sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Found, Start


@dataclass(frozen=True)
class Probe:
    """A few walks at some price."""

    price: float
    n_walks: int


# Where rows are few, a low price lets a network learn them by heart; where they are many, some can be left out.
MANY_ROWS = 1_000
ON_FEW, ON_MANY = Probe(2.0, 2), Probe(0.5, 4)
# Walks see at most so many rows, and take this share of a limited time; of so many folds, one is left out.
MAX_ROWS, TIME_SHARE, N_FOLDS = 2_000, 0.1, 3
# No concept is near where more rows are wrong: training rows where they are few, rows left out where they are many.
# Of a rare class, no more than this share of what saying "never" gets wrong.
FAR_OFF, FAR_OFF_OF_MANY, FAR_OFF_OF_RARE = 0.12, 0.04, 0.5
# The same of several classes: rows left out, the shares of all classes added up, from so many rows on. Of few rows some
# are wrong by chance; of many, a search takes long.
LEAST_ROWS = 60
FAR_OFF_OF_CLASSES, FAR_OFF_OF_MANY_AND_CLASSES = 0.12, 0.03


def is_far_off(problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> bool:
    """Whether a few walks leave too many rows wrong for a concept to be near."""
    share = problem.positive_weight / problem.total_weight
    of_rare = FAR_OFF_OF_RARE * min(share, 1 - share)
    if problem.n_rows > MANY_ROWS:
        wrong = next(_wrong_left_out(problem, [problem], start, seed, n_jobs, max_time))
        return wrong > min(FAR_OFF_OF_MANY, of_rare)
    return 1 - _walk(ON_FEW, problem, start, seed, n_jobs, max_time).history[-1] > min(FAR_OFF, of_rare)


def are_near(problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> bool:
    """Whether a few walks for each class against the rest get most of the rows right that are left out."""
    if problem.n_rows < LEAST_ROWS:
        return False
    parts = problem.against_the_rest()
    seconds = None if max_time is None else max_time / len(parts)
    most = FAR_OFF_OF_MANY_AND_CLASSES if problem.n_rows > MANY_ROWS else FAR_OFF_OF_CLASSES
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
    rows = sample_rows(np.arange(problem.n_rows), MAX_ROWS, seed)
    kept, left_out = (rows[fold] for fold in next(make_folds(problem.take(rows), N_FOLDS, seed)))
    for part in parts:
        seen = part.take(kept)
        found = _walk(ON_MANY, seen, start.on(seen), seed, n_jobs, max_time)
        yield 1 - part.take(left_out).accuracy(found.network)


def _walk(probe: Probe, problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None) -> Found:
    seconds = None if max_time is None else TIME_SHARE * max_time
    search = Anneal(price=probe.price, n_restarts=probe.n_walks, n_folds=0, distil=False, max_time=seconds)
    return search.search(problem, start, seed, n_jobs)
