"""Several columns learned one after the other, and what was found for each joined into one network.

What an earlier column of two classes is predicted to be is one more column for the later ones, so that a label can be a
concept of another one: J. Read, B. Pfahringer, G. Holmes and E. Frank, "Classifier Chains for Multi-label
Classification", Machine Learning 85(3), 2011. In the joined network that column is the part that predicts it, so
nothing is predicted from true labels, and there are no cycles.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rulenet.calibration import Calibration
from rulenet.conditions import Attribute, Condition, merge
from rulenet.encoding import Encoding
from rulenet.encoding.tables import Table
from rulenet.fitted import Fitted
from rulenet.fitted_targets import FittedTargets, Target
from rulenet.formulas.decision import Decision, Score, add_parts
from rulenet.formulas.decisions import Goal
from rulenet.formulas.expressions import FALSE, TRUE, Concept, Expression, Formula, Not, Or, rebuild, walk
from rulenet.formulas.from_network import decision_from_network
from rulenet.formulas.graph import Graph
from rulenet.formulas.to_network import to_network
from rulenet.formulas.truth import Codes, truths
from rulenet.labels import constant_indicator, describe


@dataclass(frozen=True, eq=False)
class LearnedTarget:
    """A column to predict with what was found for it: a score for each of its outputs, over some conditions."""

    target: Target
    said: Decision
    conditions: tuple[Condition, ...] = ()
    history: tuple[float, float] = (1.0, 1.0)
    share_wrong: float = 0.0

    @classmethod
    def of(cls, column: str, fitted: Fitted, usual: float = 0.0) -> Self:
        """What a fit found; ``usual`` is the share of the most frequent class."""
        target = Target(column, fitted.target, fitted.classes, fitted.outputs, fitted.calibration)
        said = decision_from_network(
            fitted.network,
            fitted.encoding.conditions,
            _all_labels(target.goal),
            attributes=fitted.encoding.attributes,
        )
        kept = Decision(said.outputs[: len(fitted.outputs)], said.concepts, said.attributes, said.target)
        first, last = float(fitted.history[0]), float(fitted.history[-1])
        return cls(target, kept, fitted.encoding.conditions, (first, last), (1 - last) / (1 - usual))

    @classmethod
    def constant(cls, column: str, classes: NDArray[Any], always: bool, n_rows: int) -> Self:
        """A column of two classes of which all rows have one: the second one always, or never."""
        offset = np.log(n_rows + 1.0)
        target = Target(column, column, classes, (1,), Calibration(1.0, (offset if always else 1 - offset,)))
        return cls(target, Decision((Score(target.goal.outputs[0], int(not always)),), {}, ()))

    @property
    def lends(self) -> bool:
        """Whether others may use it as a concept: it has two classes, and both occur."""
        return len(self.target.outputs) == 1 and bool(self.conditions)

    @property
    def direction(self) -> int:
        """1 if it says when the second of two classes is met, of which directions speak, -1 if the first."""
        return 1 if self.target.outputs[0] == 1 else -1

    @property
    def meaning(self) -> Formula:
        """When the class that is described is met, of two."""
        return Formula(self.said.outputs[0].fires, self.said.concepts, self.said.attributes, self.target.name)

    def tells(self, table: Table) -> NDArray[np.object_]:
        """True where the class is certainly met, False where it certainly is not, else missing, as in the network."""
        encoding = Encoding(self.said.attributes, self.conditions, True)
        known = truths(self.meaning, Codes(encoding.attributes, encoding.codes(table)))[self.target.name]
        told = np.full(len(known.true), None, dtype=object)
        told[known.true], told[known.false] = True, False
        return told


def easy_first(found: Sequence[LearnedTarget]) -> list[int]:
    """The order in which to learn columns, by a first look: those first that leave the smallest share of errors.

    Columns of more than two classes, which lend nothing, come last.
    """

    def key(k: int) -> tuple[bool, float, int]:
        return not found[k].lends, found[k].share_wrong, k

    return sorted(range(len(found)), key=key)


def without_missing(lent: Collection[str], encoding: Encoding) -> Encoding:
    """The encoding in which nothing asks whether one of the columns ``lent`` is missing: formulas cannot say that."""
    return encoding.replace(x for x in encoding.conditions if not (x.attribute.name in lent and x.asks_missing))


def learn_targets(
    table: Table,
    columns: Mapping[str, NDArray[Any]],
    fit: Callable[[str, Table, bool], tuple[Fitted, float]],
    lend: bool,
) -> FittedTargets:
    """One network for several columns of labels, learned one after the other, those easily told first.

    ``fit`` is told a column, a table and whether a quick look will do; it gives what it found, and the share of the
    most frequent class. Whether columns may ``lend`` themselves to others decides whether their order matters.
    """

    def learner(column: str, quick: bool) -> Callable[[Table], LearnedTarget]:
        def learn(wide: Table) -> LearnedTarget:
            constant = constant_indicator(columns[column])
            if constant is not None:
                return LearnedTarget.constant(column, *constant, len(columns[column]))
            fitted, usual = fit(column, wide, quick)
            name = describe(column, fitted.classes, fitted.outputs, taken=table.names)
            return LearnedTarget.of(column, replace(fitted, target=name), usual)

        return learn

    looked = [learner(column, True)(table) for column in columns] if lend else []
    order = easy_first(looked) if looked else range(len(columns))
    found = learn_chain([learner(column, False) for column in columns], order, table, lend)
    return join(found, table.named, table.names)


def learn_chain(
    learners: Sequence[Callable[[Table], LearnedTarget]], order: Iterable[int], table: Table, lend: bool = True
) -> dict[int, LearnedTarget]:
    """What is learned for every column in the given order, earlier ones being columns of the table for later ones."""
    found = dict[int, LearnedTarget]()
    for k in order:
        found[k] = learners[k](table)
        if lend and found[k].lends:
            table = table.wider(found[k].target.name, found[k].tells(table), found[k].direction)
    return found


def join(found: Mapping[int, LearnedTarget], named: bool, columns: Sequence[str]) -> FittedTargets:
    """One network for all columns to predict, from what was learned in the order of ``found``.

    ``columns`` are those of the table, and ``named`` says whether it had names for them.
    """
    attributes = _united(columns, found.values())
    concepts, lent = dict[str, Expression](), dict[str, Expression]()
    scores = dict[int, list[Score]]()
    for k, learned in found.items():
        mover = _Mover(f"{k} ", attributes, learned.said)
        concepts |= {mover.name(name): mover.moved(e) for name, e in learned.said.concepts.items()}
        scores[k] = [
            Score(score.label, score.need, tuple((points, mover.moved(part)) for points, part in score.parts))
            for score in learned.said.outputs
        ]
        if learned.lends:
            concepts[learned.target.name] = mover.moved(learned.meaning.output)
            lent[learned.target.name] = mover.written_out(learned.meaning.output)
            lent[f"not {learned.target.name}"] = Not(Concept(learned.target.name))
    order, every = sorted(found), tuple(attributes.values())
    joint = Decision(tuple(s for k in order for s in scores[k]), _used(concepts, scores.values()), every, "targets")
    known = (x for learned in found.values() for x in learned.conditions if x.attribute.name in attributes)
    conditions = dict.fromkeys([*(x.on(attributes[x.attribute.name]) for x in known), *_conditions(joint)])
    history = np.mean([learned.history for learned in found.values()], axis=0)
    return FittedTargets(
        Encoding(every, tuple(conditions), named),
        to_network(joint, tuple(conditions)),
        tuple(found[k].target for k in order),
        history,
        Formula(TRUE, lent, every) if lent else None,
    )


@dataclass(frozen=True)
class _Mover:
    """Expressions about one column, said with the attributes and concepts of all."""

    prefix: str
    attributes: Mapping[str, Attribute]
    said: Decision

    def name(self, concept: str) -> str:
        return self.prefix + concept

    def moved(self, expression: Expression) -> Expression:
        def leaf(x: Condition | object) -> Any:
            if isinstance(x, Concept):
                return Concept(self.name(x.name))
            return self._condition(x) if isinstance(x, Condition) else x

        return rebuild(expression, leaf)

    def written_out(self, expression: Expression) -> Expression:
        """The expression without concepts but those that other columns lend."""

        def leaf(x: Condition | object) -> Any:
            if isinstance(x, Concept):
                return self.written_out(self.said.concepts[x.name])
            return self._condition(x) if isinstance(x, Condition) else x

        return rebuild(expression, leaf)

    def _condition(self, condition: Condition) -> Expression:
        attribute = condition.attribute
        if attribute.name in self.attributes:
            return condition.on(self.attributes[attribute.name])
        met = [Concept(attribute.name) if value else Not(Concept(attribute.name)) for value in condition.members]
        return met[0] if len(met) == 1 else Or(tuple(met)) if met else FALSE


def _conditions(decision: Decision) -> list[Condition]:
    """The conditions of a decision once every NOT stands at one of them."""
    graph = Graph(decision.attributes, merge=False)
    add_parts(graph, decision)
    return [leaf for leaf in graph.leaves.values() if isinstance(leaf, Condition)]


def _all_labels(goal: Goal) -> list[Any]:
    """The outputs, and for one output what stands for the class that it does not describe."""
    return [*goal.outputs, (goal.column,)] if len(goal.outputs) == 1 else [*goal.outputs]


def _united(columns: Sequence[str], found: Iterable[LearnedTarget]) -> dict[str, Attribute]:
    """The attributes of the table, with the cuts and values that any column to predict needs."""
    united = dict[str, list[Attribute]]((name, []) for name in columns)
    for learned in found:
        for attribute in learned.said.attributes:
            if attribute.name in united:
                united[attribute.name].append(attribute)
    return {name: reduce(merge, mine) for name, mine in united.items()}


def _used(concepts: Mapping[str, Expression], scores: Iterable[Sequence[Score]]) -> dict[str, Expression]:
    """The concepts that some score needs."""
    wanted = {x.name for mine in scores for s in mine for _, p in s.parts for x in walk(p) if isinstance(x, Concept)}
    for name in reversed([*concepts]):
        if name in wanted:
            wanted |= {x.name for x in walk(concepts[name]) if isinstance(x, Concept)}
    return {name: meaning for name, meaning in concepts.items() if name in wanted}
