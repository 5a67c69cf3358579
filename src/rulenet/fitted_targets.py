"""What a fit found for several columns at once: one network with the outputs of all, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulenet.calibration import Calibration, Margins
from rulenet.encoding import Encoding
from rulenet.exceptions import ParameterError
from rulenet.fitted import Alternative, Edit, Fitted
from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.expressions import TRUE, Concept, Expression, Formula, walk
from rulenet.formulas.from_network import decision_from_network
from rulenet.formulas.truth import Codes
from rulenet.later import Later
from rulenet.network import Network

if TYPE_CHECKING:
    from sklearn.utils import validation
else:
    validation = Later("sklearn.utils.validation")


@dataclass(frozen=True, eq=False)
class Target:
    """A column to predict: its name, what its outputs describe, its labels and the classes of its outputs."""

    column: str
    name: str
    classes: NDArray[Any]
    outputs: tuple[int, ...]
    calibration: Calibration

    @property
    def goal(self) -> Goal:
        """The column as formulas name it."""
        values = self.classes.tolist()
        order = self.outputs if len(self.outputs) > 1 else (self.outputs[0], 1 - self.outputs[0])
        return Goal(self.column, tuple(values[k] for k in order), self.name)


@dataclass(frozen=True, eq=False)
class FittedTargets:
    """A network whose outputs tell of several columns, with all it takes to use it.

    Attributes
    ----------
    encoding : Encoding
        How a table becomes the literals that the network reads.
    network : Network
        What predicts; its outputs are those of the first target, of the second, and so on.
    targets : tuple of Target
        What is predicted, in the order of the columns of ``y``.
    history : array of float
        The mean accuracy of the targets on the training rows before and after the search.
    named : Formula or None
        A formula whose concepts lend their names; a target that others use is one of them.
    """

    encoding: Encoding
    network: Network
    targets: tuple[Target, ...]
    history: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    named: Formula | None = None
    alternatives: tuple[Alternative, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns to predict."""
        return [target.column for target in self.targets]

    @property
    def classes(self) -> list[NDArray[Any]]:
        """The labels of every target."""
        return [target.classes for target in self.targets]

    @property
    def classes_of(self) -> dict[str, NDArray[Any]]:
        """The labels of every target by name."""
        return dict(zip(self.columns, self.classes, strict=True))

    @property
    def target(self) -> str:
        """The names of all targets."""
        return ", ".join(self.columns)

    @cached_property
    def decisions(self) -> Decisions:
        """What the network says of all targets, over shared concepts with names."""
        goals = [target.goal for target in self.targets]
        joint = decision_from_network(
            self.network,
            self.encoding.conditions,
            [output for goal in goals for output in goal.outputs],
            target=self.target,
            attributes=self.encoding.attributes,
            named=self.named,
        )
        return Decisions.of(joint, goals)

    def place(self, column: str | int) -> int:
        """The number of a target, by its name or its number."""
        if column in self.columns:
            return self.columns.index(str(column))
        if isinstance(column, int | np.integer) and 0 <= column < len(self.targets):
            return int(column)
        raise ParameterError(f"target is {column!r}, but the targets are {self.columns}")

    def one(self, column: str | int) -> Fitted:
        """One target alone, with the part of the network that tells of it."""
        k = self.place(column)
        target, last = self.targets[k], self._outputs_of(k)
        weights = [*self.network.weights[:-1], self.network.weights[-1][last]]
        needs = [*self.network.needs[:-1], self.network.needs[-1][last]]
        network = Network(weights, self.network.first_gate, needs)
        named = None if self.named is None else _without(self.named, target.name)
        return Fitted(
            self.encoding, network, target.classes, target.outputs, target.calibration, target.name, named=named
        )

    @cached_property
    def parts(self) -> tuple[Fitted, ...]:
        """Every target alone."""
        return tuple(self.one(k) for k in range(len(self.targets)))

    def margins(self, table: Any, n_jobs: int | None = None) -> list[Margins]:
        """By how much the outputs of every target hold in every row."""
        literals = self.encoding.encode(table, only=self.network.reads, n_jobs=n_jobs)
        margins = self.network.margins(literals, validation._num_samples(table))
        return [margins[:, self._outputs_of(k)] for k in range(len(self.targets))]

    def predict(self, table: Any, n_jobs: int | None = None, abstain: bool = False) -> NDArray[Any]:
        """The class of every row for every target, (n_rows, n_targets)."""
        found = [
            one.label(margins, abstain) for one, margins in zip(self.parts, self.margins(table, n_jobs), strict=True)
        ]
        kinds = {labels.dtype.kind for labels in found}
        if len(kinds) > 1:
            found = [labels.astype(object) for labels in found]
        return np.column_stack(found)

    def probabilities(self, table: Any, n_jobs: int | None = None) -> list[NDArray[np.float64]]:
        """The probability of every class in every row, for every target."""
        margins = self.margins(table, n_jobs)
        return [one.probabilities_of(found) for one, found in zip(self.parts, margins, strict=True)]

    def codes(self, table: Any) -> Codes:
        """The cell of every attribute in every row, as formulas read them."""
        return Codes(self.encoding.attributes, self.encoding.codes(table))

    def holds(self, table: Any, formula: Formula) -> NDArray[np.bool_]:
        """The rows in which a formula about the same columns holds; it may have cuts of its own."""
        return self.parts[0].holds(table, formula)

    def choose(self, row: int) -> FittedTargets:
        """Nothing: there are no other networks."""
        raise ParameterError(f"row is {row}, but with several targets pareto_ is empty")

    def renamed(self, names: Mapping[str, str]) -> FittedTargets:
        """The same with other names for concepts."""
        lent = {target.name for target in self.targets} & set(names)
        if lent:
            raise ParameterError(f"{lent.pop()!r} is the name of a target; rename the column of y instead")
        said = self.decisions.rename(names)
        return replace(self, named=Formula(TRUE, said.concepts, self.encoding.attributes))

    def _outputs_of(self, k: int) -> slice:
        sizes = [len(target.outputs) for target in self.targets]
        return slice(sum(sizes[:k]), sum(sizes[: k + 1]))


def _without(named: Formula, target: str) -> Formula:
    """The names that are lent but for one, and for those of concepts that use it."""
    gone, kept = {target}, dict[str, Expression]()
    for name, meaning in named.concepts.items():
        if name in gone or any(isinstance(x, Concept) and x.name in gone for x in walk(meaning)):
            gone.add(name)
        else:
            kept[name] = meaning
    return Formula(TRUE, kept, named.attributes)
