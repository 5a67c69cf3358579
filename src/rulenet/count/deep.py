"""The search for deep networks that count: outputs count units, units join concepts, and concepts join conditions.

Paths of walks on the labels find networks and concepts for them (`deep_path`), at several laws: what a unit of size
costs, and how sure units are. Folds say which law errs least on rows left out, and whether concepts do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np

from rulenet.count.deep_path import Stacked, follow
from rulenet.count.deep_schedule import DeepSchedule
from rulenet.count.zero import place_zero
from rulenet.exceptions import ParameterError
from rulenet.network import Network
from rulenet.parameters import Constraint, integer, number, options
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, make_folds
from rulenet.search.problem import Problem, decide
from rulenet.search.protocol import Choice, Defaults, Found, HeldOut, Progress, Report, Start, be_silent
from rulenet.search.strategy import Strategy
from rulenet.search.threads import Threads

# What a path finds: the network without concepts, and the best of all.
Pair = tuple[Stacked, Stacked]


class DeepCount(Strategy):
    """Networks of two hidden layers that may count: outputs count units that join concepts and conditions.

    A concept is there only where it pays: it is part of the size that is priced, and where networks without concepts
    err as little on rows left out, the result has one hidden layer, as those of `Count` have.

    Parameters
    ----------
    price : float or "auto", default="auto"
        What a unit of size costs, in nats of an average row; two thirds of it where there are more than two classes.
        "auto" chooses by cross-validation on the training rows.
    n_layers : {1, 2}, default=2
        The most hidden layers.
    n_restarts : int, default=6
        Paths on all rows, at the price that is chosen.
    n_folds : int, default=3
        Folds that choose, and that probabilities are calibrated on; 0 does without, and takes a middle price.
    n_proposals : int, default=60000
        Proposals of a walk; a path has up to five.
    max_inputs : int, default=5
        The most conditions and concepts that a unit joins; a concept joins at most four conditions.
    max_time : float or None, default=None
        Seconds that the search may take, more or less.
    """

    defaults: ClassVar[Defaults] = Defaults(not_equal=True, both_classes=False, missing="auto", several_classes=True)
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "price": (options("auto"), number(0)),
        "n_layers": (integer(1, 2),),
        "n_restarts": (integer(1),),
        "n_folds": (options(0), integer(2)),
        "n_proposals": (integer(1),),
        "max_inputs": (integer(1, 7),),
        "max_time": (options(None), number(0, above=True)),
    }

    def __init__(
        self,
        price: float | Literal["auto"] = "auto",
        n_layers: int = 2,
        n_restarts: int = 6,
        n_folds: int = 3,
        n_proposals: int = 60_000,
        max_inputs: int = 5,
        max_time: float | None = None,
    ) -> None:
        self.price = price
        self.n_layers = n_layers
        self.n_restarts = n_restarts
        self.n_folds = n_folds
        self.n_proposals = n_proposals
        self.max_inputs = max_inputs
        self.max_time = max_time

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The network chosen, its accuracy, the networks of other prices and depths, and rows left out."""
        self.check()
        schedule = self.schedule().fitted_to(problem.n_classes)
        deadline = None if self.max_time is None else perf_counter() + self.max_time
        threads = Threads(n_jobs, deadline)
        run = _Run(schedule, self.n_layers, seed, threads, report, self.max_time)
        whole, every = _Rows.of(problem, start, problem, seed), range(len(schedule.laws))
        first = run.follow_all([whole], every, stage=0)[0]
        folds = _folds(problem, start, schedule, seed) if not threads.stop[0] else []
        judged = run.follow_all(folds, every, stage=1, n_done=len(every))
        done = [(fold.left_out, p) for fold, p in zip(folds, judged, strict=True) if len(p) == len(every)]
        validation = _validation(done)
        law, depth = _chosen(validation, schedule)
        again = [law] * (schedule.n_restarts - 1)
        more = run.follow_all([whole], again, stage=2, n_done=len(every) * (1 + schedule.n_folds))[0]
        price = schedule.laws[law].price
        best = min((pair[depth] for pair in [first[law], *more]), key=lambda found: found.cost(problem, price))
        network = place_zero(best.network, problem)
        held_out = [(pairs[law][depth].network, left_out) for left_out, pairs in done]
        accuracy = problem.accuracy(network)
        report(Progress("done", 1.0, accuracy, network.size))
        return Found(
            network,
            (0.0, accuracy),
            _choices(problem, schedule, first, validation, (law, depth), network),
            HeldOut.of(held_out) if held_out else None,
        )

    def schedule(self) -> DeepSchedule:
        """The schedule that the parameters ask for."""
        usual = DeepSchedule()
        laws = usual.laws if self.price == "auto" else (replace(usual.laws[1], price=self.price),)
        return replace(
            usual,
            laws=tuple(replace(law, max_inputs=self.max_inputs) for law in laws),
            n_restarts=self.n_restarts,
            n_folds=self.n_folds,
            n_proposals=self.n_proposals,
        )


@dataclass(frozen=True)
class _Rows:
    """Rows to learn from, where walks begin if not at the empty network, and rows left out."""

    kept: Problem
    begin: Network | None
    left_out: Problem

    @classmethod
    def of(cls, kept: Problem, start: Start, left_out: Problem, seed: int) -> "_Rows":
        begin, n_outputs = start.counting(seed), 1 if kept.n_classes == 2 else kept.n_classes
        if begin is not None and begin.n_outputs != n_outputs:
            raise ParameterError(f"init has {begin.n_outputs} outputs, but the classes of y take {n_outputs}")
        return cls(kept, begin, left_out)


def _folds(problem: Problem, start: Start, schedule: DeepSchedule, seed: int) -> list[_Rows]:
    if schedule.n_folds == 0 or problem.n_rows < schedule.least_rows:
        return []
    return [
        _Rows.of(rows := problem.take(kept), start.on(rows), problem.take(left_out), seed)
        for kept, left_out in make_folds(problem, schedule.n_folds, seed)
    ]


@dataclass(frozen=True)
class _Run:
    """Paths on all rows and on folds, in threads."""

    schedule: DeepSchedule
    n_layers: int
    seed: int
    threads: Threads
    report: Report
    max_time: float | None

    def follow_all(
        self, rows: Sequence[_Rows], laws: Sequence[int], *, stage: int, n_done: int = 0
    ) -> list[list[Pair]]:
        """What a path finds for each of the rows at each of the laws.

        Paths that an interrupt kept from starting are left out, but for the first stage: there must be a network.
        """
        n = len(laws)
        jobs = [self._path(some, law, (stage, i, k)) for i, some in enumerate(rows) for k, law in enumerate(laws)]

        def note(i: int, pair: Pair) -> None:
            self.report(Progress("walks", (n_done + i + 1) / self._n_paths, 0.0))

        found = self.threads.run(jobs, note)
        if stage == 0:
            found = [job() if pair is None else pair for job, pair in zip(jobs, found, strict=True)]
        return [[pair for pair in found[i * n : (i + 1) * n] if pair is not None] for i in range(len(rows))]

    @property
    def _n_paths(self) -> int:
        schedule = self.schedule
        return len(schedule.laws) * (1 + schedule.n_folds) + schedule.n_restarts - 1

    def _path(self, rows: _Rows, law: int, place: tuple[int, int, int]) -> Callable[[], Pair]:
        schedule, turns = self.schedule, -(-self._n_paths // self.threads.n_threads)
        seconds = None if self.max_time is None else 0.9 * self.max_time / turns
        stage, i, k = place
        budget = Budget(schedule.n_proposals, seconds, self.threads.stop)
        seed = draw_seed(self.seed, 1000 * stage + 50 * i + k)
        return lambda: follow(rows.kept, schedule.laws[law], schedule, self.n_layers, seed, budget, rows.begin)


def _validation(done: Sequence[tuple[Problem, Sequence[Pair]]]) -> list[tuple[float, float]] | None:
    """For every law, the share of the rows left out that networks without and with concepts get right."""
    if not done:
        return None
    right = np.array([[[_right(s.network, rows) for s in pair] for pair in pairs] for rows, pairs in done])
    shares = right.sum(axis=0) / sum(rows.total_weight for rows, _ in done)
    return [(float(without), float(concepts)) for without, concepts in shares]


def _right(network: Network, rows: Problem) -> int:
    wrong = decide(network.margins(rows.literals, rows.n_rows)) != rows.codes
    return rows.total_weight - int(rows.weights[wrong].sum())


def _chosen(validation: Sequence[tuple[float, float]] | None, schedule: DeepSchedule) -> tuple[int, int]:
    """The law and the depth that err least on rows left out; of equal ones, the dearest and without concepts."""
    if validation is None:
        return min(1, len(schedule.laws) - 1), 1
    table = np.array(validation)
    law, depth = np.unravel_index(int(table.argmax()), table.shape)
    return int(law), int(depth)


def _choices(
    problem: Problem,
    schedule: DeepSchedule,
    first: Sequence[Pair],
    validation: Sequence[tuple[float, float]] | None,
    chosen: tuple[int, int],
    network: Network,
) -> tuple[Choice, ...]:
    """The network found, then those of every law, without and with concepts."""
    places = [(law, depth) for law in range(len(first)) for depth in (0, 1)]
    known = {(law, depth): None if validation is None else validation[law][depth] for law, depth in places}
    choices = [Choice(schedule.laws[chosen[0]].price, network, problem.accuracy(network), known[chosen])]
    for law, depth in places:
        other = place_zero(first[law][depth].network, problem)
        if all(choice.network != other for choice in choices):
            choices.append(Choice(schedule.laws[law].price, other, problem.accuracy(other), known[law, depth]))
    return tuple(choices)
