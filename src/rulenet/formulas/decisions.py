"""What one network says of several columns at once: a decision for each, over concepts that they share.

A column of two classes has one output, which says when the class that is described is met. Others have an output for
every class. An output may count what another column's output says, under the name of that one.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.expressions import Concept, Constant, Expression, Formula, rebuild
from rulenet.formulas.truth import Codes


class Output(NamedTuple):
    """The class ``label`` of a ``column``: what a score of several columns is for."""

    column: str
    label: Hashable


@dataclass(frozen=True, slots=True)
class Goal:
    """A column to predict.

    Parameters
    ----------
    column : str
        The name of the column.
    labels : tuple
        Its classes, in the order that settles ties; of two, the one that is described comes first.
    name : str
        What the output of two classes describes, such as "spam" or "kind = urgent"; of more classes, the column.
    """

    column: str
    labels: tuple[Hashable, ...]
    name: str

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What there are scores for."""
        described = self.labels[:1] if len(self.labels) == 2 else self.labels
        return tuple(Output(self.column, label) for label in described)


@dataclass(frozen=True, slots=True)
class Decisions(Decision):
    """Several decisions over shared concepts; the scores are those of all ``goals``, in their order.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import Concept, Or
    >>> from rulenet.formulas.truth import encode
    >>> hot, wet = (Attribute(n, ("no", "yes")).equal("yes") for n in ("hot", "wet"))
    >>> goals = (Goal("muggy", (True, False), "muggy"), Goal("go", ("out", "in"), "go = in"))
    >>> muggy = Score(Output("muggy", True), 2, ((1, hot), (1, wet)))
    >>> out = Score(Output("go", "out"), 1, ((1, ~wet),))
    >>> said = Decisions((muggy, out), {}, (hot.attribute, wet.attribute), "weather", goals)
    >>> rows = encode(said.attributes, [{"hot": "yes", "wet": "yes"}, {"hot": "yes", "wet": "no"}])
    >>> said.decide(rows).tolist()
    [[True, 'in'], [False, 'out']]
    """

    goals: tuple[Goal, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "goals", tuple(self.goals))
        expected = tuple(output for goal in self.goals for output in goal.outputs)
        if tuple(score.label for score in self.outputs) != expected:
            raise FormulaError(f"the scores are for {list(self.labels)}, but the goals have {list(expected)}")
        super(Decisions, self).__post_init__()

    def __hash__(self) -> int:
        return hash((super(Decisions, self).__hash__(), self.goals))

    @classmethod
    def of(cls, joint: Decision, goals: Sequence[Goal]) -> "Decisions":
        """The decisions whose scores and concepts are those of one decision among all outputs."""
        return cls(joint.outputs, joint.concepts, joint.attributes, joint.target, tuple(goals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to predict."""
        return tuple(goal.column for goal in self.goals)

    def goal(self, column: str) -> Goal:
        """The goal of a column."""
        if column not in self.columns:
            raise FormulaError(f"no target is called {column!r}; the targets are {list(self.columns)}")
        return self.goals[self.columns.index(column)]

    def name(self, label: Hashable) -> str:
        """What an output is called, such as "spam" or "kind = urgent"."""
        assert isinstance(label, Output)
        goal = self.goal(label.column)
        return goal.name if len(goal.labels) == 2 else f"{goal.name} = {label.label}"

    @property
    def reserved(self) -> tuple[str, ...]:
        """None: what an output says may be a concept of others, and then has the name of the output."""
        return ()

    def part(self, column: str) -> Formula | Decision:
        """What is said of one column alone: a formula for two classes, a decision for more."""
        goal = self.goal(column)
        if len(goal.labels) == 2:
            return self.formula(goal.outputs[0])
        alone = self._without(goal.name)
        return Decision(alone._scores(goal), alone.concepts_of(*goal.outputs), self.attributes, goal.name)

    def formula(self, label: Hashable) -> Formula:
        """When an output reaches its need, as a formula of its own; what has its name as a concept is written out."""
        return super(Decisions, self._without(self.name(label))).formula(label)

    def decide(self, rows: Codes, abstain: bool = False) -> NDArray[np.object_]:
        """The label of every row for every column, (n_rows, n_columns); None as `Decision.decide` says."""
        margins, found = self.margins(rows), np.empty((len(rows), len(self.goals)), dtype=object)
        first = 0
        for k, goal in enumerate(self.goals):
            mine = margins[:, first : first + len(goal.outputs)]
            first += len(goal.outputs)
            chosen = np.where(mine[:, 0] >= 0, 0, 1) if len(goal.outputs) == 1 else mine.argmax(axis=1)
            found[:, k] = [goal.labels[i] for i in chosen]
            if abstain and len(goal.outputs) > 1:
                found[(mine >= 0).sum(axis=1) != 1, k] = None
        return found

    def rename(self, names: Mapping[str, str]) -> "Decisions":
        """The same decisions with other names of concepts."""
        return Decisions.of(super(Decisions, self).rename(names), self.goals)

    def _without(self, concept: str) -> "Decisions":
        """The same decisions, with what a concept means in its place."""
        if concept not in self.concepts:
            return self

        def leaf(x: Condition | Constant | Concept) -> Expression:
            return self.concepts[concept] if x == Concept(concept) else x

        concepts = {name: rebuild(meaning, leaf) for name, meaning in self.concepts.items() if name != concept}
        scores = (replace(s, parts=tuple((n, rebuild(part, leaf)) for n, part in s.parts)) for s in self.outputs)
        return replace(self, outputs=tuple(scores), concepts=concepts)

    def _scores(self, goal: Goal) -> tuple[Score, ...]:
        return tuple(replace(self.score(output), label=output.label) for output in goal.outputs)

    def __str__(self) -> str:
        from rulenet.formulas.export.targets.text import to_text  # print(decisions) reads well

        return to_text(self)
