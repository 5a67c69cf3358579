"""What rows left out tell: by which laws networks are to be sampled, and which network is worth its size."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulenet.calibration import calibrate
from rulenet.count.schedule import SCHEDULE
from rulenet.network import Network
from rulenet.search.problem import Problem, decide
from rulenet.search.protocol import HeldOut

Probabilities = NDArray[np.float64]


def choose_laws(votes: Sequence[Sequence[Probabilities]], left_out: Sequence[Problem]) -> tuple[int, ...]:
    """The laws, by number, whose vote is most likely on rows left out; all of them, if they vote together.

    ``votes`` has, for every fold, what each law says of the rows of ``left_out``, (n_rows, n_classes).
    """
    n_laws = len(votes[0])
    parties = [*((law,) for law in range(n_laws)), tuple(range(n_laws))]
    losses = [
        total_loss([np.mean([fold[law] for law in party], axis=0) for fold in votes], left_out) for party in parties
    ]
    return parties[int(np.argmin(losses))]


def total_loss(votes: Sequence[Probabilities], left_out: Sequence[Problem]) -> float:
    """The loss of all folds' rows left out, in nats, by what a vote says of those of each."""
    return sum(_loss(vote, rows) for vote, rows in zip(votes, left_out, strict=True))


def _loss(probabilities: Probabilities, rows: Problem) -> float:
    """The total loss of rows with these probabilities of their classes, in nats."""
    own = probabilities[np.arange(rows.n_rows), rows.codes]
    return float((-np.log(np.maximum(own, SCHEDULE.surest)) * rows.weights).sum())


def choose_network(held_out: Sequence[HeldOut], sizes: Sequence[int], usual: int) -> int:
    """The network, by number, that is kept of those found at rising prices; what each says of rows left out is known.

    That is the ``usual`` one unless another tells these rows better than by chance, judged by calibrated losses; but
    of those at most half as large the smallest that errs less and is likelier, or that never errs.
    """
    weights = held_out[0].weights / held_out[0].weights.mean()
    losses = np.array([losses_of(rows) for rows in held_out]) * weights
    wrong = np.array([decide(rows.margins) != rows.codes for rows in held_out]) * weights
    best = int(losses.sum(axis=1).argmin())
    kept = best if _is_less(losses[best], losses[usual], SCHEDULE.clearly) else usual

    def is_better(number: int) -> bool:
        if not wrong[number].any():
            return True
        return all(_is_less(each[number], each[kept], SCHEDULE.likely) for each in (losses, wrong))

    smaller = (i for i in np.argsort(sizes, kind="stable").tolist() if SCHEDULE.smaller * sizes[i] <= sizes[kept])
    return next(filter(is_better, smaller), kept)


def choose_concept(problem: Problem, networks: Sequence[Network], held_out: Sequence[HeldOut], kept: int) -> int:
    """The smallest network, by number, that is clearly a concept, else the one that is ``kept``.

    It says the classes of the training rows, all but a few, in far fewer bits than they take, which chance does not
    find; and it does not clearly err more on rows left out than what is kept.
    """
    wrong = np.array([decide(rows.margins) != rows.codes for rows in held_out]) * held_out[0].weights
    for i in sorted(range(len(networks)), key=lambda i: networks[i].size):
        if networks[i].size >= networks[kept].size:
            break
        errs = 1 - problem.accuracy(networks[i])
        is_concept = errs <= SCHEDULE.few_wrong and share_of_bits(problem, networks[i], errs) <= SCHEDULE.few_bits
        if is_concept and not _is_less(wrong[kept], wrong[i], SCHEDULE.surely):
            return i
    return kept


def share_of_bits(problem: Problem, network: Network, wrong: float) -> float:
    """The bits of a network and of the share of rows that it gets ``wrong``, of those that the classes take."""
    shares = problem.shares
    classes = problem.n_rows * -(shares[shares > 0] * np.log2(shares[shares > 0])).sum()
    said = network.size * np.log2(len(problem.literals)) + wrong * problem.n_rows * np.log2(problem.n_rows)
    return float(said / classes) if classes else float("inf")


def _is_less(first: NDArray[np.float64], second: NDArray[np.float64], n_errors: float) -> bool:
    """Whether the first is less on average, by more than so many standard errors of the difference."""
    won = second - first
    return bool(won.mean() > n_errors * won.std() / len(won) ** 0.5)


def losses_of(rows: HeldOut) -> NDArray[np.float64]:
    """The loss of every row by its calibrated probability."""
    calibration = calibrate(rows.margins, rows.codes, rows.weights.astype(np.float64))
    probabilities = calibration.probabilities(rows.margins, decide(rows.margins))
    return np.asarray(-np.log(probabilities[np.arange(len(rows.codes)), rows.codes]))
