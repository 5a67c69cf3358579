"""One network for the vote of many.

Networks of about equal cost differ where no training row decides, and where labels are wrong; their weighted majority
is more accurate than any one of them. So a network is fitted to the training rows together with generated rows,
labelled by the vote, as in C. Bucila, R. Caruana and A. Niculescu-Mizil, "Model Compression", KDD 2006. A generated row
is a training row in which some attributes have the values of another training row.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.random import RandomState

from rulenet import bits
from rulenet.training.path import Budget, Rung
from rulenet.training.problem import Problem, slice_weights
from rulenet.training.select import description_length
from rulenet.training.structure import widen
from rulenet.training.vote import generate_rows, weigh
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
    voters = [*rungs, *others]
    lesson = make_lesson(problem, voters, seed) if len(voters) >= LEAST_VOTERS else None
    if lesson is None:
        return None
    starts = sorted(rungs, key=description_length)[:N_STUDENTS]
    price = starts[0].price
    scaled = price * PRICE_SHARE * VOTE_WEIGHT
    hot = max(HOT * problem.total_weight / problem.n_rows * VOTE_WEIGHT, scaled)

    def study(number: int) -> Walker:
        walker = Walker.of(lesson, widen(starts[number].network, n_spare), seed + number)
        budget.cool(walker, hot, hot * COLD / HOT, scaled)
        walker.prune(scaled, budget.stop)
        return walker

    with ThreadPoolExecutor(n_threads) as pool:
        students = list(pool.map(study, range(len(starts))))
    network = min(students, key=lambda walker: walker.cost(scaled)).network()
    return Rung(price, network, problem.errors(network))


def make_lesson(problem: Problem, voters: Sequence[Rung], seed: int) -> Problem | None:
    """Training rows and generated rows with the weighted vote for a target; None if the voters agree."""
    n_generated = min(N_GENERATED * problem.n_rows, MAX_ROWS)
    generated = generate_rows(problem, n_generated, RandomState(seed % 2**32), EXCHANGED)
    costs = np.array([description_length(voter) for voter in voters])
    says = np.array([bits.unpack(voter.network.evaluate(generated), n_generated) for voter in voters])
    share = weigh(costs, problem.total_weight / problem.n_rows, SLACK) @ says
    if (share * (1 - share)).mean() * 2 < LEAST_DISAGREEMENT:
        return None
    weights = np.rint(np.abs(2 * share - 1) * VOTE_WEIGHT).astype(np.int64)
    target = bits.pack(share > 0.5)
    return _stack(problem, Problem(generated, target, slice_weights(weights), problem.groups, n_generated))


def _stack(problem: Problem, generated: Problem) -> Problem:
    """Both together; a training row of weight one weighs as much as a unanimous vote."""
    weights = np.concatenate([problem.weights * VOTE_WEIGHT, generated.weights])
    pairs = zip(problem.literals, generated.literals, strict=True)
    literals = np.vstack([_together(a, problem, b, generated) for a, b in pairs])
    target = _together(problem.target, problem, generated.target, generated)
    return Problem(literals, target, slice_weights(weights), problem.groups, len(weights))


def _together(a: bits.Words, problem: Problem, b: bits.Words, generated: Problem) -> bits.Words:
    return bits.pack(np.concatenate([bits.unpack(a, problem.n_rows), bits.unpack(b, generated.n_rows)]))
