"""One network for the vote of many.

It is fitted to the probabilities that the vote gives, sharpened, on training rows and on rows made of two of them:
C. Bucila, R. Caruana and A. Niculescu-Mizil, "Model Compression", KDD 2006.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.sample import Voters
from rulenet.count.schedule import Schedule
from rulenet.count.scoring import Scoring
from rulenet.count.walk import Walker, rows_of
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, sample_rows
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem


@dataclass(frozen=True)
class Lesson:
    """Rows, and how much each of them speaks for each class.

    Prices and temperatures are multiples of ``row_weight``.
    """

    literals: bits.Words
    weights: NDArray[np.int64]
    row_weight: float


def make_lesson(problem: Problem, voters: Voters, schedule: Schedule, seed: int) -> Lesson:
    """Training rows, and made-up ones, with what the vote says of them."""
    own = sample_rows(np.arange(problem.n_rows), schedule.max_rows, seed, problem.codes)
    n_made = schedule.n_generated if len(own) + schedule.n_generated <= schedule.max_rows else 0
    seen, n_rows = problem.take(own), len(own) + n_made
    made = generate_rows(problem, n_made, RandomState(seed % 2**32), schedule.exchanged) if n_made else None
    literals = seen.literals if made is None else _side_by_side(seen.literals, len(own), made, n_made)
    vote = voters.probabilities(literals, n_rows)
    sharpness, n_steps = schedule.sharpness, schedule.vote_steps
    if _hardly_says_rare(vote[: len(own)], seen, schedule):
        sharpness, n_steps = schedule.seldom_sharpness, schedule.seldom_vote_steps
    step, row_weight = _steps(problem, n_steps)
    mass = np.concatenate([schedule.own * step * seen.weights, np.full(n_made, n_steps)])
    sharp = vote**sharpness
    shares = sharp / sharp.sum(axis=1, keepdims=True)
    return Lesson(literals, np.rint(shares * mass[:, np.newaxis]).astype(np.int64), row_weight)


def plain_lesson(problem: Problem, schedule: Schedule, seed: int) -> Lesson:
    """Training rows with their own classes."""
    seen = problem.take(sample_rows(np.arange(problem.n_rows), schedule.max_rows, seed, problem.codes))
    step, row_weight = _steps(problem, schedule.vote_steps)
    of_class = seen.codes[:, np.newaxis] == np.arange(problem.n_classes)
    return Lesson(seen.literals, np.rint(step * of_class * seen.weights[:, np.newaxis]).astype(np.int64), row_weight)


def _steps(problem: Problem, n_steps: int) -> tuple[float, float]:
    """The steps of a unit of weight, ``n_steps`` for an average row; and those that prices are multiples of."""
    step = n_steps * problem.n_rows / problem.total_weight
    return step, step * problem.row_weight


def _hardly_says_rare(vote: NDArray[np.float64], seen: Problem, schedule: Schedule) -> bool:
    """Whether one of two classes is rare, and the vote seldom decides for it."""
    shares = seen.shares
    rarer = int(shares.argmin())
    if seen.n_classes > 2 or shares[rarer] > schedule.rare:
        return False
    said = float(seen.weights @ (vote.argmax(axis=1) == rarer)) / seen.total_weight
    return said < schedule.seldom * float(shares[rarer])


@dataclass(frozen=True)
class Student:
    """A network for a lesson, and what it costs there."""

    scoring: Scoring
    cost: float


def study(
    lesson: Lesson,
    problem: Problem,
    opposite: NDArray[np.int64],
    schedule: Schedule,
    seed: int,
    budget: Budget,
    begin: Scoring | None = None,
) -> list[Student]:
    """The networks that a walk finds by one law after the other, each grown out of the last."""
    rows = rows_of(lesson.literals, lesson.weights, problem.relations, opposite)
    first, rest = _shares(schedule.dearer_share, len(schedule.laws))
    found = list[Student]()
    for number, law in enumerate(schedule.laws):
        if found and begin is not None and begin.scale != law.scale:  # a start is taken as it is
            begin = begin.rescaled(law.scale, law.max_points)
        walker = Walker.of(rows, law, lesson.row_weight, draw_seed(seed, number), schedule.max_units, begin)
        if number == 0:
            hot = law.hot if begin is None else schedule.start_hot
            budget.part(first).cool(walker, hot, law.cold, law.price)
        else:
            budget.part(rest, schedule.dearer_share).cool(walker, schedule.dearer_hot, law.cold, law.price)
        begin = walker.best()
        found.append(Student(begin, walker.cost))
    return found


def _shares(dearer: float, n_laws: int) -> tuple[float, float]:
    """The shares of a limited time that the first law and each of the others get."""
    total = 1 + dearer * (n_laws - 1)
    return 1 / total, dearer / total


def _side_by_side(first: bits.Words, n_first: int, second: bits.Words, n_second: int) -> bits.Words:
    rows = [
        np.concatenate([bits.unpack(a, n_first), bits.unpack(b, n_second)]) for a, b in zip(first, second, strict=True)
    ]
    return bits.pack(np.array(rows))
