"""The search for networks that count, for two classes or more.

Walks at a constant temperature leave networks behind that vote (`sample`); sums of single conditions (`additive`) and
trees (`forest`, `boosted`) may join them. One network for every price of size is fitted to what they decide (`distil`).
The same on folds chooses who votes and which price pays (`choose`), and says what margins are worth on rows left out.
With many rows of many classes there is no vote: the network is fitted to the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from rulenet.count.choose import choose_concept, choose_laws, choose_network, total_loss
from rulenet.count.distil import Student
from rulenet.count.forest import N_TOGETHER
from rulenet.count.jobs import Jobs, Part
from rulenet.count.sample import Voters, join
from rulenet.count.schedule import Guest, Loss, Ridge, Schedule
from rulenet.count.zero import place_zero
from rulenet.exceptions import ParameterError
from rulenet.network import Network
from rulenet.parameters import Constraint, integer, number, options
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Defaults, Found, HeldOut, Progress, Report, Start, be_silent
from rulenet.search.strategy import Strategy
from rulenet.search.threads import Threads


class Count(Strategy):
    """Networks of one hidden layer whose outputs count: at least so many of these hold.

    Parameters
    ----------
    price : float or None, default=None
        What a unit of size costs, in nats of an average row; None for the usual one, or another where rows left out
        are clearly told better.
    n_walks : int, default=8
        Walks that sample networks.
    n_folds : int, default=3
        Folds that judge, and that probabilities are calibrated on; 0 does without.
    n_proposals : int, default=200000
        Proposals of a walk that finds the network, three times as many above 1,000 rows; those of other walks are in
        proportion.
    max_inputs : int, default=5
        The most conditions that a unit joins.
    loss : {"logistic", "hinge", "errors"}, default="logistic"
        What a margin costs. With more than two classes it is that of softmax, which is logistic.
    max_time : float or None, default=None
        Seconds that the search may take, more or less.
    """

    defaults: ClassVar[Defaults] = Defaults(not_equal=True, both_classes=False, missing="auto", several_classes=True)
    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "price": (options(None), number(0)),
        "n_walks": (integer(1),),
        "n_folds": (options(0), integer(2)),
        "n_proposals": (integer(1),),
        "max_inputs": (integer(1, 7),),
        "loss": (options("logistic", "hinge", "errors"),),
        "max_time": (options(None), number(0, above=True)),
    }

    def __init__(
        self,
        price: float | None = None,
        n_walks: int = 8,
        n_folds: int = 3,
        n_proposals: int = 200_000,
        max_inputs: int = 5,
        loss: Loss = "logistic",
        max_time: float | None = None,
    ) -> None:
        self.price = price
        self.n_walks = n_walks
        self.n_folds = n_folds
        self.n_proposals = n_proposals
        self.max_inputs = max_inputs
        self.loss = loss
        self.max_time = max_time

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The network for the vote, its accuracy, the networks of other prices, and rows left out.

        The walks begin at the empty network, or where the ``start`` has one for networks that count, there.
        """
        self.check()
        if problem.n_classes > 2 and self.loss != "logistic":
            raise ParameterError(f"loss={self.loss!r} is for two classes, but y has {problem.n_classes}")
        deadline = None if self.max_time is None else perf_counter() + self.max_time
        shape = problem.n_rows, problem.n_classes, len(problem.literals)
        schedule = self.schedule().fitted_to(*shape, float(problem.shares.min()))
        jobs = Jobs(Threads(n_jobs, deadline), schedule, self.max_time, report)
        with jobs.threads.interruptible():
            report(Progress("vote", 0.0, 0.0))
        whole = Part.of(problem, start, seed, problem)
        folds = whole.folds(start, schedule)
        first, *judges = _vote(jobs, whole, folds) if schedule.votes else _no_vote(whole, folds)
        if jobs.threads.stop[0]:
            own, judging = [jobs.hurry(whole)], list[list[Student]]()
        else:
            shares = [1.0] * schedule.n_students + [schedule.fold_share] * len(judges)
            paths = jobs.study([first] * schedule.n_students + judges, shares)
            own, judging = paths[: schedule.n_students], paths[schedule.n_students :]
        networks = [place_zero(_cheapest(same, whole), problem) for same in zip(*own, strict=True)]
        stopped = bool(jobs.threads.stop[0])
        found = self._choose(problem, schedule, networks, [] if stopped else _judge(judging, folds))
        report(Progress("done", 1.0, found.history[-1], found.network.size))
        return found

    def _choose(
        self, problem: Problem, schedule: Schedule, networks: Sequence[Network], held_out: Sequence[HeldOut]
    ) -> Found:
        """The network of the price that was asked for, or that pays on rows left out."""
        usual = int(np.abs(np.array(schedule.prices) - schedule.usual_price).argmin())
        sizes = [network.size for network in networks]
        chosen = 0 if self.price is not None else usual
        if held_out and self.price is None:
            chosen = choose_concept(problem, networks, held_out, choose_network(held_out, sizes, usual))
        judged: Sequence[HeldOut | None] = held_out or [None] * len(networks)
        choices = tuple(
            Choice(law.price, network, problem.accuracy(network), None if rows is None else rows.accuracy, rows)
            for law, network, rows in zip(schedule.laws, networks, judged, strict=True)
        )
        return Found(networks[chosen], (0.0, choices[chosen].accuracy), choices, judged[chosen])

    def schedule(self) -> Schedule:
        """The schedule that the parameters ask for."""
        usual = Schedule()
        share = self.n_proposals / usual.n_student
        shape: dict[str, Any] = {"max_inputs": self.max_inputs, "loss": self.loss}
        return replace(
            usual,
            samplers=tuple(replace(law, **shape) for law in usual.samplers),
            student=replace(usual.student, **shape),
            prices=usual.prices if self.price is None else tuple(self.price * m for m in usual.multiples),
            many_classes_price=usual.many_classes_price if self.price is None else self.price,
            n_walks=self.n_walks,
            n_fold_walks=min(self.n_walks, usual.n_fold_walks),
            n_folds=self.n_folds,
            n_burn=max(1, int(usual.n_burn * share)),
            n_between=max(1, int(usual.n_between * share)),
            guests=tuple(tuple(_shortened(guest, share) for guest in rivals) for rivals in usual.guests),
            n_student=self.n_proposals,
        )


def _vote(jobs: Jobs, whole: Part, folds: Sequence[Part]) -> list[tuple[Part, Voters | None]]:
    """All rows, and those of every fold, with the networks and guests whose vote there fits rows left out best."""
    sampled = jobs.sample_folds(folds)
    laws = _choose_laws(folds, sampled) if sampled else tuple(range(len(jobs.schedule.samplers)))
    voters = [join(votes[law] for law in laws) for votes in sampled]
    first = jobs.sample(whole, laws)
    for rivals in jobs.schedule.guests if voters else ():
        guest, joined = _best_guest(jobs, folds, voters, rivals)
        own = jobs.invite(guest, [whole]) if guest is not None else None
        if own is not None:
            first, voters = first.joined_by(own[0]), joined
    return [(whole, first), *zip(folds, voters, strict=False)]


def _best_guest(
    jobs: Jobs, folds: Sequence[Part], voters: list[Voters], rivals: Sequence[Guest]
) -> tuple[Guest | None, list[Voters]]:
    """The guest with whom the votes of folds fit rows left out best, None if without; and these votes.

    After one that does not help, no other of its kind is heard.
    """
    best, least, votes = None, _loss(voters, folds), voters
    for guest in rivals:
        opinions = jobs.invite(guest, folds)
        if opinions is None:
            return None, voters
        joined = [fold.joined_by(opinion) for fold, opinion in zip(voters, opinions, strict=True)]
        loss = _loss(joined, folds)
        if loss >= least:
            break
        best, least, votes = guest, loss, joined
    return best, votes


def _shortened(guest: Guest, share: float) -> Guest:
    """A guest for walks that are shorter."""
    if isinstance(guest, Ridge):
        return guest
    return replace(guest, n_trees=min(guest.n_trees, max(N_TOGETHER, int(guest.n_trees * share))))


def _loss(voters: Sequence[Voters], folds: Sequence[Part]) -> float:
    """The loss of the rows that folds leave out, by the votes of each."""
    left_out = [fold.left_out for fold in folds]
    votes = [votes.probabilities(rows.literals, rows.n_rows) for votes, rows in zip(voters, left_out, strict=True)]
    return total_loss(votes, left_out)


def _no_vote(whole: Part, folds: Sequence[Part]) -> list[tuple[Part, Voters | None]]:
    return [(part, None) for part in (whole, *folds)]


def _choose_laws(folds: Sequence[Part], sampled: Sequence[Sequence[Voters]]) -> tuple[int, ...]:
    left_out = [fold.left_out for fold in folds]
    votes = [
        [voters.probabilities(rows.literals, rows.n_rows) for voters in laws]
        for laws, rows in zip(sampled, left_out, strict=True)
    ]
    return choose_laws(votes, left_out)


def _cheapest(students: Sequence[Student], part: Part) -> Network:
    """The network of the student that is cheapest, all at one price."""
    best = min(students, key=lambda student: student.cost)
    return best.scoring.network(len(part.problem.literals), part.opposite)


def _judge(paths: Sequence[Sequence[Student]], folds: Sequence[Part]) -> list[HeldOut]:
    """For every price, what the networks of all folds say of the rows left out."""
    pairs = [
        [(_cheapest([student], fold), fold.left_out) for student in path]
        for path, fold in zip(paths, folds, strict=True)
    ]
    return [HeldOut.of(same) for same in zip(*pairs, strict=True)]
