"""Greedy flips on mini-batches, after F. Beck and J. Fürnkranz, "An Empirical Investigation into Deep and Shallow Rule
Learning", Frontiers in Artificial Intelligence 4, 2021, algorithms 1 and 2; random draws and batches as in the runs
behind the paper's tables.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulenet import bits, kernels
from rulenet.greedy.ascent import flip_limit, n_threads
from rulenet.greedy.kernels import Scratch, fits_words, new_scratch
from rulenet.greedy.kernels import climb_on_each as climb_on_words
from rulenet.greedy.together import Tactic, ascend
from rulenet.network import Gate, Network
from rulenet.parameters import Constraint, boolean, integer, options
from rulenet.search import interrupts
from rulenet.search.problem import Problem
from rulenet.search.protocol import Defaults, Found, Progress, Report, Start, be_silent
from rulenet.search.seeded import seeded
from rulenet.search.strategy import Strategy

MAX_SEED = 2**32
BATCHES_AT_ONCE = 16  # between two reports of progress


# A class whose rows together weigh less than this share of the heaviest row is not worth an error: the other one is
# always predicted.
NEGLIGIBLE = 0.01


class Greedy(Strategy):
    """The search of the paper: on every mini-batch take the best flip until none wins.

    Parameters
    ----------
    n_epochs : int or None, default=5
        Passes over the mini-batches. None goes on until an epoch brings no better accuracy on all rows.
    batch_size : int or None, default=50
        Rows of a mini-batch; the rows left over by the last full batch sit out until the next shuffle. None, or more
        than there are, means all rows.
    max_flips : int or None, default=None
        The most flips on one mini-batch.
    restore_best : bool, default=True
        Whether the last run, on all rows, starts from the weights that were best on all rows, as the paper prints it,
        or from the latest ones, as its published figures were made.
    optimize_last_layer : bool, default=False
        Whether, before the last run, the output's weights are cleared and set again greedily, where that is no worse.
    max_restarts : int, default=10
        How often to start again, with the next seed, when the network found predicts one class only.
    guided : bool, default=False
        Whether to take the best of the flips that generalise where false negatives outweigh false positives, and of
        those that specialise where it is the other way round. All flips count where both weigh the same, or where none
        of these wins. To remove an input of an AND and to add one to an OR generalises; a literal that takes the place
        of another one of its attribute may do both, so it always counts.
    flips_at_once : int, default=1
        The most flips to take at once: where no flip wins alone, the best two that win together are taken, where there
        are none the best three, and so on.
    n_candidates : int, default=8
        Of flips to take at once, each but the last is one of this many: those that win most, or lose least, and change
        the output of any row.
    """

    defaults: ClassVar[Defaults] = Defaults()
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_epochs": (options(None), integer(0)),
        "batch_size": (options(None), integer(1)),
        "max_flips": (options(None), integer(0)),
        "restore_best": (boolean(),),
        "optimize_last_layer": (boolean(),),
        "max_restarts": (integer(0),),
        "guided": (boolean(),),
        "flips_at_once": (integer(1),),
        "n_candidates": (integer(1),),
    }

    def __init__(
        self,
        n_epochs: int | None = 5,
        batch_size: int | None = 50,
        max_flips: int | None = None,
        restore_best: bool = True,
        optimize_last_layer: bool = False,
        max_restarts: int = 10,
        guided: bool = False,
        flips_at_once: int = 1,
        n_candidates: int = 8,
    ) -> None:
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.max_flips = max_flips
        self.restore_best = restore_best
        self.optimize_last_layer = optimize_last_layer
        self.max_restarts = max_restarts
        self.guided = guided
        self.flips_at_once = flips_at_once
        self.n_candidates = n_candidates

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The network at the end of training, and the accuracy before, after every mini-batch and at the end."""
        self.check()
        positive, total = problem.positive_weight, problem.total_weight
        if min(positive, total - positive) < NEGLIGIBLE * problem.heaviest:
            gate: Gate = "and" if 2 * positive > total else "or"
            always = Network([np.zeros((1, len(problem.literals)), np.bool_)], gate)
            return Found(always, (problem.accuracy(always),) * 2)
        of_one_class = 1 - positive / total, 1 - (total - positive) / total  # the accuracies, as `_State` has them
        tries, interrupted = list[Found](), interrupts.current().begin()
        for attempt in range(self.max_restarts + 1):
            attempt_seed = (seed + attempt) % MAX_SEED
            tries.append(self._train(problem, start(attempt_seed), attempt_seed, n_jobs, report))
            if interrupted.came:
                break
            last = tries[-1]
            if last.history[-1] not in of_one_class or not problem.predicts_one_class(last.network):
                return last
        return max(tries, key=lambda found: found.history[-1])

    def _train(self, problem: Problem, network: Network, seed: int, n_jobs: int | None, report: Report) -> Found:
        tactic = Tactic(self.max_flips, bool(self.guided), self.flips_at_once, self.n_candidates)
        batches = _Batches.of(problem.n_rows, self.batch_size, seed)
        state = _State.of(network.flat(), problem, batches.batch_size)
        interrupted = interrupts.current()
        for epoch in count() if self.n_epochs is None else range(self.n_epochs):
            best_before = state.best_errors[0]
            for done, some in batches.epoch():
                if interrupted.came:
                    break
                state.learn_from(some, tactic, n_jobs)
                share = (epoch + done) / (self.n_epochs or inf)
                report(Progress(f"epoch {epoch + 1}", share, state.accuracy(state.errors[-1])))
            stuck = self.n_epochs is None and state.best_errors[0] == best_before
            if stuck or state.best_errors[0] == 0 or interrupted.came:
                break
        if self.restore_best:
            state.flat.weights[:] = state.best_weights
        if self.optimize_last_layer:
            _rebuild_output(state.flat, problem)
        if not interrupted.came:
            ascend(state.flat, problem, tactic, n_jobs)
        state.errors.append(problem.errors(state.flat))
        return Found(Network.from_flat(state.flat), tuple(map(state.accuracy, state.errors)))


@dataclass
class _State:
    """The live weights, the best so far, and the errors on all rows over time; ``scratch`` where batches fit words."""

    problem: Problem
    flat: kernels.Flat
    best_weights: NDArray[np.uint8]
    best_errors: NDArray[np.int64]
    errors: list[int]
    scratch: Scratch | None

    @classmethod
    def of(cls, flat: kernels.Flat, problem: Problem, batch_size: int) -> "_State":
        errors = problem.errors(flat)
        scratch = new_scratch(flat, problem.target.size) if fits_words(flat, problem.rows, batch_size) else None
        return cls(problem, flat, flat.weights.copy(), np.array([errors]), [errors], scratch)

    def learn_from(self, batches: NDArray[np.int64], tactic: Tactic, n_jobs: int | None) -> None:
        """Take the flips that win on one batch after the other, and note the errors after each."""
        if tactic.flips_at_once > 1 or n_threads(n_jobs, batches.shape[1] // bits.WORD_BITS) > 1:
            for rows in batches:
                ascend(self.flat, self.problem.take(rows), tactic, n_jobs)
                self.errors.append(self.problem.errors(self.flat))
                if self.errors[-1] < self.best_errors[0]:
                    self.best_errors[0], self.best_weights = self.errors[-1], self.flat.weights.copy()
            return
        given = self.flat, self.problem.rows, batches, self.problem.relations.exclusive, flip_limit(tactic.max_flips)
        best = self.best_weights, self.best_errors
        if self.scratch is None or tactic.guided:
            errors = kernels.climb_on_each(*given, tactic.guided, *best)
        else:
            errors = np.empty(len(batches), np.int64)
            climb_on_words(*given, self.scratch, *best, errors)
        self.errors += errors.tolist()

    def accuracy(self, errors: int) -> float:
        """The accuracy on all rows with so many errors."""
        return 1 - errors / self.problem.total_weight


@dataclass
class _Batches:
    """The published runs' batches: the rows in their current order are shuffled before each, with seed + b.

    The shuffles accumulate and the same seeds recur in every epoch, so the batches of an epoch may overlap.
    """

    order: NDArray[np.int64]
    shuffles: list[NDArray[np.int64]]
    batch_size: int

    @classmethod
    def of(cls, n_rows: int, batch_size: int | None, seed: int) -> "_Batches":
        size = min(batch_size or n_rows, n_rows)
        shuffles = []
        for b in range(n_rows // size):
            shuffles.append(np.arange(n_rows))
            seeded((seed + b) % MAX_SEED).shuffle(shuffles[-1])
        return cls(np.arange(n_rows), shuffles, size)

    def epoch(self) -> Iterator[tuple[float, NDArray[np.int64]]]:
        """The rows of the batches of the next epoch, a few batches at a time, and which share is done with them."""
        n_batches = len(self.shuffles)
        for first in range(0, n_batches, BATCHES_AT_ONCE):
            some = [self._next(b) for b in range(first, min(first + BATCHES_AT_ONCE, n_batches))]
            yield (first + len(some)) / n_batches, np.array(some)

    def _next(self, b: int) -> NDArray[np.int64]:
        self.order = self.order[self.shuffles[b]]
        return self.order[b * self.batch_size : (b + 1) * self.batch_size]


def _rebuild_output(flat: kernels.Flat, problem: Problem) -> None:
    """Clear the output's weights and set them again one by one, the best first; keep what was there if better."""
    n_inputs = flat.sizes[-2]
    output = flat.weights[-n_inputs:]
    before, errors_before = output.copy(), problem.errors(flat)
    output[:] = 0
    errors = problem.errors(flat)
    while not output.all():
        gains = np.zeros(flat.weights.size, dtype=np.int64)
        kernels.add_gains(flat, problem.rows, problem.relations.exclusive, 0, problem.target.size, gains)
        gains[-n_inputs:][output == 1] = 0
        best = int(gains[-n_inputs:].argmax())
        if gains[-n_inputs:][best] <= 0:
            break
        errors -= int(gains[-n_inputs:][best])
        output[best] = 1
    if errors > errors_before:
        output[:] = before
