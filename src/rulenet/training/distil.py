"""One network for the vote of many.

Networks of about equal cost differ where no training row decides, and where labels are wrong; their weighted majority
is more accurate than any one of them, and boosted networks make it more so. One network is fitted to the training rows
together with generated rows, labelled by the vote, as in C. Bucila, R. Caruana and A. Niculescu-Mizil, "Model
Compression", KDD 2006. A generated row is a training row in which some attributes have the values of another one.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.training.boost import N_CHAINS, N_ROUNDS, boost
from rulenet.training.path import Budget, Rung, walk_on
from rulenet.training.problem import Problem, slice_weights
from rulenet.training.select import description_length
from rulenet.training.structure import widen
from rulenet.training.vote import Ballot, generate_rows
from rulenet.training.walk import Walker

# Generated rows for every training row, and the most rows of all. A generated row takes this share of its attributes
# from a second row.
N_GENERATED, MAX_ROWS = 8, 1 << 14
EXCHANGED = 0.3
# A vote weighs up to this many times, a training row just so.
VOTE_WEIGHT = 3
# A vote counts less by e for this share of the least cost: where labels are noisy, costs tell less.
SLACK = 0.5
# The vote has less noise than the labels, so an edge costs less than it did for the voters.
PRICE_SHARE = 0.5
# Below this share of generated rows that networks disagree on, there is nothing to gain; nor from the vote of a few.
LEAST_DISAGREEMENT = 0.005
LEAST_VOTERS = 8
N_STUDENTS = 2
HOT, COLD = 0.6, 0.15
# So many rows are enough to boost: its networks get this share of the votes, and of a limited time; a round makes this
# share of a walk's proposals.
BOOSTED_ROWS = 1000
BOOSTED_SHARE, BOOSTED_TIME, ROUND_PROPOSALS = 0.75, 0.25, 0.25


def distil(
    problem: Problem,
    rungs: Sequence[Rung],
    others: Sequence[Rung],
    n_spare: int,
    seed: int,
    budget: Budget,
    n_threads: int,
) -> Rung | None:
    """The best network for training rows and vote that a walk from one of the cheapest ``rungs`` finds.

    The ``others`` vote as well, but no walk starts from them. All are of one price, with their errors on all rows. A
    walk may fill ``n_spare`` more units in every layer. None where the voters agree, or there are too few.
    """
    unit = problem.total_weight / problem.n_rows
    ballot = Ballot.of([*rungs, *others], unit, SLACK)
    n_generated = min(N_GENERATED * problem.n_rows, MAX_ROWS)
    generated = generate_rows(problem, n_generated, RandomState(seed % 2**32), EXCHANGED)
    if len(ballot.networks) < LEAST_VOTERS or _disagreement(ballot.count(generated, n_generated)) < LEAST_DISAGREEMENT:
        return None
    starts = sorted(rungs, key=description_length)
    price = starts[0].price
    if problem.n_rows >= BOOSTED_ROWS:
        round_budget = budget.part(BOOSTED_TIME, ROUND_PROPOSALS, N_ROUNDS * ceil(N_CHAINS / n_threads))
        boosted = boost(problem, [start.network for start in starts], price / unit, seed, round_budget, n_threads)
        ballot = ballot.joined(boosted, BOOSTED_SHARE)
        budget = budget.part(1 - BOOSTED_TIME)
    lesson = make_lesson(problem, generated, ballot.count(generated, n_generated))
    budget = budget.part(n_turns=ceil(N_STUDENTS / n_threads))
    scaled = price * PRICE_SHARE * VOTE_WEIGHT
    hot = max(HOT * unit * VOTE_WEIGHT, scaled)

    def study(number: int) -> Walker:
        start = widen(starts[number].network, n_spare)
        return walk_on(lesson, start, seed + number, budget, hot, hot * COLD / HOT, scaled)

    with ThreadPoolExecutor(n_threads) as pool:
        students = list(pool.map(study, range(min(N_STUDENTS, len(starts)))))
    network = min(students, key=lambda walker: walker.cost(scaled)).network()
    return Rung(price, network, problem.errors(network))


def make_lesson(problem: Problem, generated: bits.Words, share: NDArray[np.float64]) -> Problem:
    """Training rows and ``generated`` rows, whose target is the vote that gave them its ``share``."""
    weights = np.rint(np.abs(2 * share - 1) * VOTE_WEIGHT).astype(np.int64)
    target = bits.pack(share > 0.5)
    return _stack(problem, Problem(generated, target, slice_weights(weights), problem.groups, len(share)))


def _disagreement(share: NDArray[np.float64]) -> float:
    """How often two random voters differ."""
    return float((share * (1 - share)).mean() * 2)


def _stack(problem: Problem, generated: Problem) -> Problem:
    """Both together; a training row of weight one weighs as much as a unanimous vote."""
    weights = np.concatenate([problem.weights * VOTE_WEIGHT, generated.weights])
    pairs = zip(problem.literals, generated.literals, strict=True)
    literals = np.vstack([_together(a, problem, b, generated) for a, b in pairs])
    target = _together(problem.target, problem, generated.target, generated)
    return Problem(literals, target, slice_weights(weights), problem.groups, len(weights))


def _together(a: bits.Words, problem: Problem, b: bits.Words, generated: Problem) -> bits.Words:
    return bits.pack(np.concatenate([bits.unpack(a, problem.n_rows), bits.unpack(b, generated.n_rows)]))
