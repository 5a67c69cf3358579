"""The search for networks that count, for two classes or more.

Walks at a constant temperature leave networks behind that vote (`sample`); one network is fitted to what they decide
(`distil`). The same on folds says how good that is on rows left out, and what its margins are worth there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulenet.count.distil import make_lesson, study
from rulenet.count.sample import Voters, sample_voters
from rulenet.count.schedule import Schedule
from rulenet.count.scoring import Scoring, opposites
from rulenet.count.start import scoring_of
from rulenet.count.zero import place_zero
from rulenet.exceptions import ParameterError
from rulenet.network import Network
from rulenet.parameters import Constraint, integer, number, options
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, make_folds
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Defaults, Found, HeldOut, Progress, Report, Start, be_silent
from rulenet.search.strategy import Strategy
from rulenet.search.threads import Threads


class Count(Strategy):
    """Networks of one hidden layer whose outputs count: at least so many of these hold.

    Parameters
    ----------
    price : float, default=0.75
        What a unit of size costs, in nats of an average row; two thirds of it where there are more than two classes.
    n_walks : int, default=8
        Walks that sample networks.
    n_folds : int, default=3
        Folds that judge, and that probabilities are calibrated on; 0 does without.
    n_proposals : int, default=300000
        Proposals of a walk that finds the network; those of other walks are in proportion.
    max_inputs : int, default=5
        The most conditions that a unit joins.
    max_time : float or None, default=None
        Seconds that the search may take, more or less.
    """

    defaults: ClassVar[Defaults] = Defaults(not_equal=True, both_classes=False, missing="auto", several_classes=True)
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "price": (number(0),),
        "n_walks": (integer(1),),
        "n_folds": (options(0), integer(2)),
        "n_proposals": (integer(1),),
        "max_inputs": (integer(1, 7),),
        "max_time": (options(None), number(0, above=True)),
    }

    def __init__(
        self,
        price: float = 0.75,
        n_walks: int = 8,
        n_folds: int = 3,
        n_proposals: int = 300_000,
        max_inputs: int = 5,
        max_time: float | None = None,
    ) -> None:
        self.price = price
        self.n_walks = n_walks
        self.n_folds = n_folds
        self.n_proposals = n_proposals
        self.max_inputs = max_inputs
        self.max_time = max_time

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The network for the vote, its accuracy at every stage, larger prices' networks, and rows left out.

        The walks begin at the empty network, or where the ``start`` has one for networks that count, there.
        """
        self.check()
        deadline = None if self.max_time is None else perf_counter() + self.max_time
        threads = Threads(n_jobs, deadline)
        schedule = self.schedule().fitted_to(problem.n_rows, problem.n_classes)
        tasks = _folds(problem, start, schedule, seed)
        total = 1 + len(tasks) * schedule.fold_share
        seconds = None if self.max_time is None else 0.9 * self.max_time / total
        with threads.interruptible():
            report(Progress("vote", 0.0, 0.0))
        networks = _learn(problem, start, schedule, seed, threads, seconds, schedule.other_prices, report, 1 / total)
        accuracy = [problem.accuracy(network) for network in networks]
        held_out = _held_out(tasks, schedule, threads, seconds, report, 1 / total, accuracy[0])
        validation = None if held_out is None else held_out.accuracy
        prices = (1.0, *schedule.other_prices)
        choices = [
            Choice(schedule.student.price * p, n, a, validation if p == 1.0 else None)
            for p, n, a in zip(prices, networks, accuracy, strict=True)
        ]
        report(Progress("done", 1.0, accuracy[0], networks[0].size))
        return Found(networks[0], (0.0, accuracy[0]), tuple(choices), held_out)

    def schedule(self) -> Schedule:
        """The schedule that the parameters ask for."""
        usual = Schedule()
        share = self.n_proposals / usual.n_student
        return replace(
            usual,
            samplers=tuple(replace(law, max_inputs=self.max_inputs) for law in usual.samplers),
            student=replace(usual.student, price=self.price, max_inputs=self.max_inputs),
            n_walks=self.n_walks,
            n_folds=self.n_folds,
            n_burn=max(1, int(usual.n_burn * share)),
            n_between=max(1, int(usual.n_between * share)),
            n_student=self.n_proposals,
        )


@dataclass(frozen=True)
class _Fold:
    """Rows to learn from, rows left out, and the seed of the walks."""

    kept: Problem
    left_out: Problem
    seed: int
    start: Start


def _folds(problem: Problem, start: Start, schedule: Schedule, seed: int) -> list[_Fold]:
    if schedule.n_folds == 0 or problem.n_rows < schedule.least_rows:
        return []
    return [
        _Fold(rows := problem.take(kept), problem.take(left_out), draw_seed(seed, 1000 + number), start.on(rows))
        for number, (kept, left_out) in enumerate(
            islice(make_folds(problem, schedule.n_folds, seed), schedule.n_judged)
        )
    ]


def _begin(problem: Problem, start: Start, opposite: NDArray[np.int64], seed: int) -> Scoring | None:
    """What walks begin at, None for the empty network."""
    network = start.counting(seed)
    if network is None:
        return None
    n_outputs = 1 if problem.n_classes == 2 else problem.n_classes
    if network.n_outputs != n_outputs:
        raise ParameterError(f"init has {network.n_outputs} outputs, but the classes of y take {n_outputs}")
    return scoring_of(network, opposite)


def _learn(
    problem: Problem,
    start: Start,
    schedule: Schedule,
    seed: int,
    threads: Threads,
    seconds: float | None,
    other_prices: Sequence[float] = (),
    report: Report = be_silent,
    share: float = 1.0,
) -> list[Network]:
    """The network for the vote of walks on a problem; then those for higher prices."""
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    begin = _begin(problem, start, opposite, seed)
    rounds = -(-schedule.n_walks // threads.n_threads)
    n_sampled = schedule.n_burn + schedule.n_snapshots * schedule.n_between
    budget = Budget(n_sampled, None if seconds is None else 0.5 * seconds / rounds, threads.stop)

    def sampling(number: int) -> Callable[[], Sequence[Scoring]]:
        return lambda: sample_voters(problem, opposite, number, schedule, draw_seed(seed, number), budget, begin)

    def note(number: int, found: Sequence[Scoring]) -> None:
        report(Progress("vote", 0.5 * share * (number + 1) / schedule.n_walks, 0.0))

    sampled = threads.run([sampling(number) for number in range(schedule.n_walks)], note)
    voters = Voters(tuple(scoring for found in sampled if found for scoring in found))
    if not voters.scorings:
        voters = Voters(tuple(sampling(0)()))
    lesson = make_lesson(problem, voters, schedule, seed)
    prices = [1.0] * schedule.n_students + [*other_prices]
    rounds = -(-len(prices) // threads.n_threads)
    half = None if seconds is None else 0.5 * seconds / rounds
    budget = Budget(schedule.n_student, half, threads.stop)

    def studying(number: int) -> Callable[[], tuple[float, Scoring]]:
        law = replace(schedule.student, price=schedule.student.price * prices[number])

        mine = budget if number < schedule.n_students else budget.part(schedule.other_share, schedule.other_share)

        def task() -> tuple[float, Scoring]:
            walker = study(lesson, problem, opposite, law, schedule, draw_seed(seed, 500 + number), mine, begin)
            return walker.cost, walker.best()

        return task

    found = threads.run([studying(number) for number in range(len(prices))], lambda number, result: None)
    done = [result if result is not None else studying(number)() for number, result in enumerate(found)]
    best = min(done[: schedule.n_students], key=lambda pair: pair[0])
    n_literals = len(problem.literals)
    found_networks = [scoring.network(n_literals, opposite) for _, scoring in (best, *done[schedule.n_students :])]
    return [place_zero(network, problem) for network in found_networks]


def _held_out(
    folds: list[_Fold],
    schedule: Schedule,
    threads: Threads,
    seconds: float | None,
    report: Report,
    done: float,
    accuracy: float,
) -> HeldOut | None:
    """Margins of rows by networks that did not see them; None without folds."""
    if not folds or threads.stop[0]:
        return None
    share = schedule.fold_share
    shorter = replace(
        schedule,
        n_walks=max(2, int(schedule.n_walks * share)),
        n_students=1,
        n_student=max(1, int(schedule.n_student * schedule.fold_student)),
    )
    pairs = list[tuple[Network, Problem]]()
    for n_done, fold in enumerate(folds, 1):
        limit = None if seconds is None else seconds * share
        network = _learn(fold.kept, fold.start, shorter, fold.seed, threads, limit)[0]
        if threads.stop[0]:
            break
        pairs.append((network, fold.left_out))
        report(Progress("folds", done + (1 - done) * n_done / len(folds), accuracy))
    return HeldOut.of(pairs) if pairs else None
