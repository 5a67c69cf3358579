"""The walks of a search for networks that count, spread over threads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulenet.count.additive import fit_additive
from rulenet.count.boosted import boost_trees
from rulenet.count.distil import Student, make_lesson, plain_lesson, study
from rulenet.count.forest import grow_forest
from rulenet.count.sample import Opinion, Voters, sample_voters
from rulenet.count.schedule import Boosting, Guest, Law, Ridge, Schedule
from rulenet.count.scoring import Scoring, opposites
from rulenet.count.start import scoring_of
from rulenet.exceptions import ParameterError
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, make_folds, sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Progress, Report, Start
from rulenet.search.threads import Threads

Result = TypeVar("Result")

# The number of a guest where walks have theirs, for its seed.
GUEST_NUMBER = 900
# Seconds for the network of a search that an interrupt ends while there is none.
HURRY = 0.5


@dataclass(frozen=True)
class Part:
    """Rows to learn from, what walks over them need and begin at, and rows left out."""

    problem: Problem
    opposite: NDArray[np.int64]
    begin: Scoring | None
    seed: int
    left_out: Problem

    @classmethod
    def of(cls, problem: Problem, start: Start, seed: int, left_out: Problem) -> Self:
        """All that walks over the rows of a problem need."""
        opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
        return cls(problem, opposite, _begin(problem, start, opposite, seed), seed, left_out)

    def folds(self, start: Start, schedule: Schedule) -> list["Part"]:
        """Parts of these rows that leave out the others; none where rows are few, of a sample where they are many.

        Rows that weigh nothing are in no part.
        """
        weighing = np.flatnonzero(self.problem.weights)
        if schedule.n_folds == 0 or len(weighing) < schedule.least_rows:
            return []
        problem = self.problem if len(weighing) == self.problem.n_rows else self.problem.take(weighing)
        if problem.n_rows > schedule.most_fold_rows:
            rows = sample_rows(np.arange(problem.n_rows), schedule.most_fold_rows, self.seed, problem.codes)
            problem = problem.take(rows)
        return [
            Part.of(
                seen := problem.take(kept),
                start.on(seen),
                draw_seed(self.seed, 1000 + number),
                problem.take(left_out),
            )
            for number, (kept, left_out) in enumerate(
                islice(make_folds(problem, schedule.n_folds, self.seed), schedule.n_judged)
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


@dataclass
class Jobs:
    """Walks by a schedule, on some threads, within some seconds if time is limited."""

    threads: Threads
    schedule: Schedule
    seconds: float | None
    report: Report
    done: float = field(default=0.0, init=False)

    def sample_folds(self, folds: Sequence[Part]) -> list[list[Voters]]:
        """For every fold, what is sampled by each law; no fold where an interrupt came."""
        schedule = _shorter(self.schedule, self.schedule.fold_share)
        laws, n_walks = schedule.samplers, schedule.n_fold_walks
        walks = [(fold, law, k * n_walks + i) for fold in folds for k, law in enumerate(laws) for i in range(n_walks)]
        sampled = self._sample(walks, schedule, self.schedule.folds_share)
        if any(walk is None for walk in sampled):
            return []
        found = iter(
            Voters(tuple(s for walk in sampled[i : i + n_walks] if walk for s in walk))
            for i in range(0, len(walks), n_walks)
        )
        return [list(islice(found, len(laws))) for _ in folds]

    def sample(self, part: Part, laws: Sequence[int]) -> Voters:
        """What is sampled on a part of the rows by some laws in turn."""
        chosen = [self.schedule.samplers[law] for law in laws]
        walks = [(part, chosen[i % len(chosen)], i) for i in range(self.schedule.n_walks)]
        sampled = self._sample(walks, self.schedule, self.schedule.walks_share)
        voters = tuple(scoring for walk in sampled if walk for scoring in walk)
        return Voters(voters or tuple(self._walk(*walks[0], self.schedule, self._budget(1, 0.0, 1))()))

    def invite(self, guest: Guest, parts: Sequence[Part]) -> list[Opinion] | None:
        """What a guest of the vote thinks of each part of the rows; None where an interrupt came."""
        budget = self._budget(1, self.schedule.guest_share, len(parts))
        n_threads = max(1, self.threads.n_threads // len(parts))

        def task(part: Part) -> Callable[[], Opinion]:
            seed = draw_seed(part.seed, GUEST_NUMBER)
            if isinstance(guest, Ridge):
                return lambda: fit_additive(part.problem, guest, self.schedule, seed, budget)
            if isinstance(guest, Boosting):
                return lambda: boost_trees(part.problem, guest, self.schedule, seed, budget)
            return lambda: grow_forest(part.problem, guest, self.schedule, seed, budget, n_threads)

        came = self._run([task(part) for part in parts], "vote", self.schedule.guest_share)
        opinions = [opinion for opinion in came if opinion is not None]
        return opinions if len(opinions) == len(parts) else None

    def study(self, lessons: Sequence[tuple[Part, Voters | None]], shares: Sequence[float]) -> list[list[Student]]:
        """For every part of the rows and vote there the networks of all prices; ``shares`` of the usual proposals.

        Without a vote they learn from the classes of the rows.
        """
        share = self.schedule.study_share
        if not self.schedule.votes:
            share += self.schedule.folds_share + self.schedule.walks_share
        budget = self._budget(self.schedule.n_student, share, len(lessons))

        def task(number: int) -> Callable[[], list[Student]]:
            (part, voters), share = lessons[number], shares[number]
            seed, mine = draw_seed(part.seed, 500 + number), budget.part(1.0, share)

            def run() -> list[Student]:
                if voters is None:
                    lesson = plain_lesson(part.problem, self.schedule, part.seed)
                else:
                    lesson = make_lesson(part.problem, voters, self.schedule, part.seed)
                return study(lesson, part.problem, part.opposite, self.schedule, seed, mine, part.begin)

            return run

        tasks = [task(number) for number in range(len(lessons))]
        found = self._run(tasks, "network", share)
        return [path if path is not None else task() for path, task in zip(found, tasks, strict=True)]

    def hurry(self, part: Part) -> list[Student]:
        """The networks of all prices that a moment's walk finds, where an interrupt came before there were any."""
        lesson = plain_lesson(part.problem, self.schedule, part.seed)
        budget = Budget(self.schedule.n_student, HURRY, np.zeros(1, np.bool_))
        return study(lesson, part.problem, part.opposite, self.schedule, part.seed, budget, part.begin)

    def _sample(
        self, walks: Sequence[tuple[Part, Law, int]], schedule: Schedule, share: float
    ) -> list[Sequence[Scoring] | None]:
        n_proposals = schedule.n_burn + schedule.n_snapshots * schedule.n_between
        budget = self._budget(n_proposals, share, len(walks))
        return self._run([self._walk(*walk, schedule, budget) for walk in walks], "vote", share)

    def _walk(
        self, part: Part, law: Law, number: int, schedule: Schedule, budget: Budget
    ) -> Callable[[], Sequence[Scoring]]:
        seed = draw_seed(part.seed, number)
        return lambda: sample_voters(part.problem, part.opposite, law, schedule, seed, budget, part.begin)

    def _budget(self, n_proposals: int, share: float, n_tasks: int) -> Budget:
        """What each of some tasks may take that share the time with all others of their kind."""
        rounds = -(-n_tasks // self.threads.n_threads) or 1
        return Budget(n_proposals, None if self.seconds is None else share * self.seconds / rounds, self.threads.stop)

    def _run(self, tasks: Sequence[Callable[[], Result]], stage: str, share: float) -> list[Result | None]:
        """What the tasks give, with reports as they end."""
        before = self.done

        def note(number: int, result: Result) -> None:
            self.done = before + share * (number + 1) / len(tasks)
            self.report(Progress(stage, self.done, 0.0))

        found = self.threads.run(tasks, note)
        self.done = before + share
        return found


def _shorter(schedule: Schedule, share: float) -> Schedule:
    """The schedule with shorter walks."""
    return replace(
        schedule, n_burn=max(1, int(schedule.n_burn * share)), n_between=max(1, int(schedule.n_between * share))
    )
