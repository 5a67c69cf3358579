"""A walk that goes on with concepts: it finds a network, then concepts that would help it, then a network with them.

Walks take a concept for a literal. So every network is judged anew, by its loss and the price of its whole size, the
concepts that it reads included; what does not pay is left, and the path goes on from the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulenet.count.concepts import Concepts, concepts_in
from rulenet.count.deep_schedule import DeepSchedule
from rulenet.count.sample import class_weights
from rulenet.count.schedule import Law
from rulenet.count.scoring import Scoring, Unit, opposites
from rulenet.count.start import scoring_of
from rulenet.count.walk import Walker, rows_of
from rulenet.count.widen import losses, propose_concepts
from rulenet.network import Network
from rulenet.search.budget import Budget
from rulenet.search.folds import draw_seed, sample_rows
from rulenet.search.problem import Problem


@dataclass(frozen=True)
class Stacked:
    """What a walk found on top of some concepts, and the network over the literals that says the same."""

    concepts: Concepts
    scoring: Scoring
    network: Network

    @classmethod
    def of(cls, concepts: Concepts, scoring: Scoring, extended: Problem) -> "Stacked":
        """The scoring of a problem that has the concepts."""
        opposite = opposites(extended.literals, extended.n_rows, extended.relations.owner)
        return cls(concepts, scoring, concepts.stack(scoring.network(len(extended.literals), opposite)))

    @property
    def used(self) -> Sequence[Unit]:
        """The concepts that are read."""
        read = {j - self.concepts.n_literals for inputs in self.scoring.inputs for j in inputs}
        return [unit for j, unit in enumerate(self.concepts.units) if j in read]

    def on(self, concepts: Concepts) -> Scoring:
        """The scoring for other concepts, which have all that are read."""
        n = concepts.n_literals
        places = {n + j: n + concepts.units.index(u) for j, u in enumerate(self.concepts.units) if u in concepts.units}
        inputs = tuple(tuple(sorted(places.get(j, j) for j in unit)) for unit in self.scoring.inputs)
        return replace(self.scoring, inputs=inputs)

    def cost(self, problem: Problem, price: float) -> float:
        """Loss and price on the rows of a problem, in nats of an average row."""
        extended = self.concepts.extend(problem)
        scores = self.scoring.scores(extended.literals, extended.n_rows)
        loss = losses(scores, problem.codes, self.scoring.scale) @ problem.weights
        return float(loss) / problem.row_weight + price * self.network.size


def begin_at(network: Network, opposite: NDArray[np.int64], problem: Problem, scale: float, n_layers: int) -> Stacked:
    """A network of one or two hidden layers as what a path begins at; refused if it is none that walks can say."""
    units, above = (concepts_in(network) if n_layers > 1 else None) or ((), network)
    concepts = Concepts.of(units, opposite)
    if concepts.units[: len(units)] != tuple(units):  # opposites stand between them
        above = _moved(above, units, concepts)
    extended = concepts.extend(problem)
    known = opposites(extended.literals, extended.n_rows, extended.relations.owner)
    return Stacked.of(concepts, replace(scoring_of(above, known), scale=scale), extended)


def _moved(network: Network, units: Sequence[Unit], concepts: Concepts) -> Network:
    n, first = concepts.n_literals, network.weights[0]
    wider = np.zeros((len(first), n + len(concepts.units)), dtype=np.bool_)
    wider[:, :n] = first[:, :n]
    for j, unit in enumerate(units):
        wider[:, n + concepts.units.index(unit)] |= first[:, n + j]
    return Network([wider, *network.weights[1:]], network.first_gate, network.needs)


def follow(
    problem: Problem,
    law: Law,
    schedule: DeepSchedule,
    n_layers: int,
    seed: int,
    budget: Budget,
    begin: Network | None = None,
) -> tuple[Stacked, Stacked]:
    """The networks that a path finds: without concepts, and the best of all.

    A path sees a sample of many rows. The ``budget`` is that of all its walks.
    """
    chosen = sample_rows(np.arange(problem.n_rows), schedule.max_rows, seed, problem.codes)
    seen = problem if len(chosen) == problem.n_rows else problem.take(chosen)
    opposite = opposites(seen.literals, seen.n_rows, seen.relations.owner)
    n_walks = 1 + (schedule.n_rounds if n_layers > 1 else 0)
    walk = _Walks(seen, law, schedule, budget.part(1 / n_walks, 1.0))
    first = None if begin is None else begin_at(begin, opposite, seen, law.scale, n_layers)
    flat = best = walk(Concepts.of((), opposite) if first is None else first.concepts, first, seed)
    cost = best.cost(seen, law.price)
    for number in range(1, n_walks):
        if budget.spent:
            break
        proposed = _propose(best, seen, law, schedule, seed)
        if not proposed:
            break
        concepts = Concepts.of([*best.used, *proposed], opposite)
        found = walk(concepts, best, draw_seed(seed, number), schedule.hot)
        found_cost = found.cost(seen, law.price)
        if found_cost < cost:
            best, cost = found, found_cost
    return flat, best


@dataclass(frozen=True)
class _Walks:
    problem: Problem
    law: Law
    schedule: DeepSchedule
    budget: Budget

    def __call__(self, concepts: Concepts, begin: Stacked | None, seed: int, hot: float | None = None) -> Stacked:
        """What a walk finds for the problem with some concepts; it begins at the empty network, or at a given one."""
        problem, law = concepts.extend(self.problem), self.law
        opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
        rows = rows_of(problem.literals, class_weights(problem), problem.relations, opposite)
        known = None if begin is None else begin.on(concepts)
        walker = Walker.of(rows, law, problem.row_weight, seed, self.schedule.max_units, known)
        if hot is None:
            hot = law.hot if begin is None else self.schedule.start_hot
        self.budget.cool(walker, hot, law.cold, law.price)
        return Stacked.of(concepts, walker.best(), problem)


def _propose(best: Stacked, problem: Problem, law: Law, schedule: DeepSchedule, seed: int) -> list[Unit]:
    rows = sample_rows(np.arange(problem.n_rows), schedule.max_proposing, seed, problem.codes)
    some = problem if len(rows) == problem.n_rows else problem.take(rows)
    price = law.price * some.n_rows / problem.n_rows
    extended = best.concepts.extend(some)
    found = propose_concepts(best.scoring, extended, best.concepts, price, schedule.max_joined)
    return [unit for _, unit in found if unit not in best.used][: schedule.n_concepts]
