"""What rows left out tell of a deep network and of one that counts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulenet.auto.schedule import SCHEDULE
from rulenet.count.choose import losses_of, share_of_bits
from rulenet.search.problem import Problem, decide
from rulenet.search.protocol import Choice, Found, HeldOut


def tells(rows: HeldOut) -> bool:
    """Whether networks are clearly better, on rows left out, than always the most frequent class."""
    return rows.accuracy > most_frequent(rows) + SCHEDULE.chance * _error(rows.accuracy, len(rows.codes))


def ranks(rows: HeldOut) -> bool:
    """Whether margins tell a rare class from the rest on rows left out, though hardly a decision does."""
    if 1 - most_frequent(rows) > SCHEDULE.rare:
        return False
    shares = np.bincount(rows.codes, rows.weights) / rows.weights.sum()
    won = (-np.log(shares[rows.codes]) - losses_of(rows)) * rows.weights / rows.weights.mean()
    return bool(won.mean() > SCHEDULE.chance * won.std() / len(won) ** 0.5)


def most_frequent(rows: HeldOut) -> float:
    """The share of the most frequent class."""
    return float(np.bincount(rows.codes, rows.weights).max() / rows.weights.sum())


def is_solved(problem: Problem, found: Found) -> bool:
    """Whether hardly a row is wrong, neither of those learned from nor of those left out."""
    known = validation_of(found)
    wrong = 1 - found.history[-1] if known is None else max(1 - found.history[-1], 1 - known)
    return bool(wrong <= min(SCHEDULE.few_wrong, SCHEDULE.clean * problem.shares.min()))


def is_said(problem: Problem, deep: Found) -> bool:
    """Whether a network for several classes says what there is to say: no need to look for one that counts.

    No training row is wrong, or next to none; rows are many for its size; and what is wrong of rows left out is little,
    even if some walks on fewer rows did not find the concept.
    """
    rows = deep.held_out
    if (
        rows is None
        or 1 - deep.history[-1] > SCHEDULE.none_wrong
        or SCHEDULE.rows_for_size * deep.network.size > problem.n_rows
    ):
        return False
    return 1 - rows.accuracy <= SCHEDULE.clean * (1 - most_frequent(rows))


def is_shorter(problem: Problem, deep: Found) -> bool:
    """Whether a network and the rows that it gets wrong, hardly any, take clearly fewer bits than the classes do.

    Chance does not find such a one. That walks on fewer rows did not find it says nothing then: of a parity, half of
    the rows may tell nothing where all of them tell everything.
    """
    return _share_of_bits(problem, deep) < SCHEDULE.shorter


def is_concept(problem: Problem, deep: Found, counting: Found) -> bool:
    """Whether a network takes much fewer bits than the classes, and rows left out do not speak against it too much."""
    validation, counts = validation_of(deep), counting.held_out
    if validation is None or counts is None:
        return False
    share, error = _share_of_bits(problem, deep), _error(counts.accuracy, len(counts.codes))
    forgiven = next((n_errors for most, n_errors in SCHEDULE.concepts if share <= most), None)
    return forgiven is not None and validation >= counts.accuracy - forgiven * error


def _share_of_bits(problem: Problem, found: Found) -> float:
    """That of a network and of the rows that it gets wrong; infinite if many are wrong."""
    wrong = 1 - found.history[-1]
    return share_of_bits(problem, found.network, wrong) if wrong <= SCHEDULE.few_wrong else float("inf")


def better(deep: Found, counting: Found) -> Found:
    """The one that errs less on rows left out, with the networks of both to choose from.

    The deep one has the best of several prices, so unless it hardly errs it must be better by more than chance. But a
    network of any price that is smaller, and tells rows left out as well, reads better.
    """
    choices = (*deep.choices, *counting.choices)
    if _is_preferred(deep, counting):
        return replace(deep, choices=choices)
    history = (*deep.history, *counting.history[1:])
    for choice in sorted(deep.choices, key=lambda choice: choice.size):
        if _is_as_good(choice, counting):
            return Found(choice.network, (*history, choice.accuracy), choices, choice.held_out)
    return replace(counting, history=history, choices=choices)


def _is_preferred(deep: Found, counting: Found) -> bool:
    validation, counts = validation_of(deep), counting.held_out
    if validation is None or counts is None:
        return False
    few = SCHEDULE.clean * (1 - most_frequent(counts))
    clean = 1 - deep.history[-1] <= few and SCHEDULE.smaller * deep.network.size <= counting.network.size
    # Which rows are likelier matters as well, and of several classes which one comes next.
    clean = clean and deep.held_out is not None and _no_worse(deep.held_out, counts)
    chance = SCHEDULE.chance * _error(counts.accuracy, len(counts.codes))
    return validation >= counts.accuracy + (0.0 if clean else chance)


def _is_as_good(choice: Choice, counting: Found) -> bool:
    """Whether a network is smaller, tells something, and tells rows that both left out as well."""
    rows, counts = choice.held_out, counting.held_out
    if rows is None or counts is None or SCHEDULE.smaller * choice.size > counting.network.size:
        return False
    return tells(rows) and _no_worse(rows, counts)


def _no_worse(deep: HeldOut, counting: HeldOut) -> bool:
    """Whether rows that both left out are told as well, by errors and by calibrated losses."""
    numbers = np.intersect1d(deep.numbers, counting.numbers)
    totals = [[_by_number(rows, judged, numbers).sum() for rows in (deep, counting)] for judged in (_wrong, losses_of)]
    return len(numbers) > 0 and all(mine <= other + SCHEDULE.no_worse * len(numbers) for mine, other in totals)


def _wrong(rows: HeldOut) -> NDArray[np.float64]:
    return np.asarray(decide(rows.margins) != rows.codes, dtype=np.float64)


def _by_number(
    rows: HeldOut, judged: Callable[[HeldOut], NDArray[np.float64]], numbers: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What is judged of the rows with these numbers, times their weights; the mean where one was left out twice."""
    times = np.bincount(rows.numbers)
    total = np.bincount(rows.numbers, judged(rows) * rows.weights / rows.weights.mean())
    return np.asarray(total[numbers] / times[numbers])


def validation_of(found: Found) -> float | None:
    """The accuracy of networks like the one found on rows left out."""
    known = [choice.validation for choice in found.choices if choice.network == found.network]
    return known[0] if known else None


def _error(share: float, n_rows: int) -> float:
    """The standard error of a share of so many rows."""
    return float((share * (1 - share) / n_rows) ** 0.5)
