"""One deep network for several classes: one for each against the rest, joined where they say the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulenet.anneal.anneal import Anneal
from rulenet.auto.judge import validation_of
from rulenet.auto.schedule import SCHEDULE
from rulenet.search import interrupts
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found, HeldOut, Report, Start, between
from rulenet.search.structure import aligned, merge, side_by_side


def search_each(
    problem: Problem, start: Start, seed: int, n_jobs: int | None, max_time: float | None, report: Report
) -> Found | None:
    """A deep network for all classes, None where some class has no concept."""
    parts = problem.against_the_rest()
    found = list[tuple[int, Found]]()
    search = Anneal(distil=False, max_time=None if max_time is None else max_time / len(parts))
    for number, k in enumerate(frequent_first(parts)):
        mine = between(report, number / len(parts), (number + 1) / len(parts))
        one = search.search(parts[k], start.on(parts[k]), seed, n_jobs, mine)
        if interrupts.current().came or is_hopeless(parts[k], one):
            return None
        found.append((k, one))
    return join(problem, [one for _, one in sorted(found, key=lambda pair: pair[0])])


def frequent_first(parts: Sequence[Problem]) -> list[int]:
    """The numbers of the classes, the most frequent one first."""
    return sorted(range(len(parts)), key=lambda k: -parts[k].positive_weight)


def is_hopeless(part: Problem, found: Found) -> bool:
    """Whether what was found for a class says too little for a network of all classes to be worth it."""
    wrong, left_out = 1 - found.history[-1], 1 - (validation_of(found) or found.history[-1])
    share = part.positive_weight / part.total_weight
    rarer = min(share, 1 - share)
    most, most_left_out = SCHEDULE.hopeless * rarer, SCHEDULE.hopeless_left_out * rarer
    return wrong > max(most, SCHEDULE.hardly_any) or left_out > max(most_left_out, SCHEDULE.hardly_any)


def join(problem: Problem, found: Sequence[Found]) -> Found:
    """The networks of all classes as one, with what they say of rows that all of them left out."""
    network = merge(side_by_side(aligned([one.network for one in found])))
    accuracy = problem.accuracy(network)
    held_out = _left_out_by_all(problem, [one.held_out for one in found if one.held_out is not None])
    price = min(choice.price for one in found for choice in one.choices if choice.network == one.network)
    choice = Choice(price, network, accuracy, None if held_out is None else held_out.accuracy, held_out)
    return Found(network, (0.0, accuracy), (choice,), held_out)


def _left_out_by_all(problem: Problem, judged: Sequence[HeldOut]) -> HeldOut | None:
    if len(judged) < problem.n_classes:
        return None
    own = np.arange(problem.n_rows) if problem.numbers is None else problem.numbers
    numbers, first = np.unique(own, return_index=True)
    known = [dict(zip(rows.numbers.tolist(), _margins(rows).tolist(), strict=True)) for rows in judged]
    kept = np.array([i for i, number in enumerate(numbers.tolist()) if all(number in one for one in known)], np.int64)
    if len(kept) == 0:
        return None
    margins = np.array([[one[number] for one in known] for number in numbers[kept].tolist()], dtype=np.int64)
    weights = np.bincount(own, problem.weights)[numbers[kept]].astype(np.int64)
    return HeldOut(margins, problem.codes[first[kept]], weights, numbers[kept])


def _margins(rows: HeldOut) -> NDArray[np.int64]:
    """The margins that an OR above the network has: of an AND, it only knows whether that holds."""
    return np.maximum(rows.margins[:, 0], -1)
