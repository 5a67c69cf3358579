"""One network for the vote of many.

Networks of equal cost differ where no training row decides; their majority is more accurate than any one of them.
So a network is fitted to the training rows together with generated rows, labelled by the vote, as in C. Bucila,
R. Caruana and A. Niculescu-Mizil, "Model Compression", KDD 2006. A generated row is a training row in which some
attributes have the values of another training row.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.random import RandomState

from rulenet import bits
from rulenet.network import Network
from rulenet.training.path import Budget, Rung
from rulenet.training.problem import Problem, slice_weights
from rulenet.training.vote import generate_rows
from rulenet.training.walk import Walker

# Generated rows for every training row, and the most rows of all.
N_GENERATED, MAX_ROWS = 6, 1 << 14
# A vote weighs up to this many times, a training row just so.
VOTE_WEIGHT = 3
# Below this share of generated rows that networks disagree on, there is nothing to gain.
LEAST_DISAGREEMENT = 0.005
N_STUDENTS = 4
HOT, COLD = 0.6, 0.15


def distil(
    problem: Problem,
    starts: Sequence[Network],
    voters: Sequence[Network],
    price: float,
    seed: int,
    budget: Budget,
    n_threads: int,
) -> Rung | None:
    """The best network for training rows and vote that a walk from one of the ``starts`` finds.

    None where the voters agree, or there are too few.
    """
    if len(voters) < 3:
        return None
    lesson = make_lesson(problem, voters, seed)
    if lesson is None:
        return None
    scaled, unit = price * VOTE_WEIGHT, problem.total_weight / problem.n_rows * VOTE_WEIGHT

    def study(number: int) -> Walker:
        walker = Walker.of(lesson, starts[number], seed + number)
        hot = max(HOT * unit, scaled)
        budget.cool(walker, hot, hot * COLD / HOT, scaled)
        walker.prune(scaled, budget.stop)
        return walker

    with ThreadPoolExecutor(n_threads) as pool:
        students = list(pool.map(study, range(min(N_STUDENTS, len(starts)))))
    best = min(students, key=lambda walker: walker.cost(scaled))
    network = best.network()
    return Rung(price, network, problem.errors(network))


def make_lesson(problem: Problem, voters: Sequence[Network], seed: int) -> Problem | None:
    """Training rows and generated rows with the vote for a target; None if the voters agree."""
    rng = RandomState(seed % 2**32)
    n_generated = min(N_GENERATED * problem.n_rows, MAX_ROWS)
    generated = generate_rows(problem, n_generated, rng)
    share = np.mean([bits.unpack(voter.evaluate(generated), n_generated) for voter in voters], axis=0)
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
