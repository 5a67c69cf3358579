"""What a fit found, as one frozen value: what predicting, explaining, saving, drawing and editing share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulenet.calibration import Calibration, Evidence, Margins
from rulenet.conditions import Attribute, Condition, merge
from rulenet.encoding import Encoding
from rulenet.exceptions import FormulaError, ParameterError, TableError
from rulenet.formulas.decision import Decision, Score, simplify_decision
from rulenet.formulas.expressions import TRUE, Expression, Formula, rebuild
from rulenet.formulas.from_network import decision_from_network, from_network
from rulenet.formulas.to_network import to_network
from rulenet.formulas.truth import Codes, holds
from rulenet.later import Later
from rulenet.network import Network

if TYPE_CHECKING:
    from sklearn.utils import validation
else:
    validation = Later("sklearn.utils.validation")

Said = TypeVar("Said", Formula, Decision, Formula | Decision)

# What is known of probabilities where no row was ever counted.
NOTHING_KNOWN = Calibration(1.0, (0.5,))


@dataclass(frozen=True)
class Alternative:
    """A network that a search offers: what an edge cost, its accuracy on the training rows and on rows left out."""

    network: Network
    evidence: Calibration | Evidence
    price: float
    accuracy: float
    validation: float | None = None

    @property
    def calibration(self) -> Calibration:
        """What a margin says about probabilities."""
        return _calibration(self.evidence)


@dataclass(frozen=True)
class Edit:
    """A change that a person made, and why."""

    what: str
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network with all it takes to use it.

    Attributes
    ----------
    encoding : Encoding
        How a table becomes the literals that networks read.
    network : Network
        What predicts.
    classes : array
        The labels, in order.
    outputs : tuple of int
        The position of the class that each output of the network describes.
    evidence : Calibration or Evidence
        What a margin says about probabilities, or the rows that tell.
    target : str
        The name of what the network describes.
    history : array of float
        The accuracy on the training rows before, during and after the search.
    alternatives : tuple of Alternative
        Smaller and larger networks over the same literals, the smallest first.
    named : Formula or None
        A formula whose concepts lend their names.
    edits : tuple of Edit
        What people changed on a page, the first change first.
    """

    encoding: Encoding
    network: Network
    classes: NDArray[Any]
    outputs: tuple[int, ...]
    evidence: Calibration | Evidence
    target: str
    history: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    alternatives: tuple[Alternative, ...] = ()
    named: Formula | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def calibration(self) -> Calibration:
        """What a margin says about probabilities."""
        return _calibration(self.evidence)

    @property
    def positive(self) -> int:
        """The position of the class that a network with one output describes."""
        return self.outputs[0]

    @property
    def labels(self) -> tuple[Any, Any]:
        """The label of the class that one output does not describe, and of the one that it does; plain values."""
        values = self.classes.tolist()
        return values[1 - self.positive], values[self.positive]

    @property
    def several(self) -> bool:
        """Whether there are more than two classes, with an output for each."""
        return len(self.outputs) > 1

    @cached_property
    def decision(self) -> Decision:
        """What the network says of all classes: points for each, over shared concepts with names.

        Of two classes, one has points and the other is where these do not reach their need.
        """
        return decision_from_network(
            self.network,
            self.encoding.conditions,
            [self.classes.tolist()[k] for k in self.outputs] if self.several else self.labels[::-1],
            target=self.target,
            attributes=self.encoding.attributes,
            named=self.named,
        )

    @cached_property
    def formula(self) -> Formula:
        """What the network says of the class that it describes, with named concepts."""
        return from_network(
            self.network,
            self.encoding.conditions,
            target=self.target,
            attributes=self.encoding.attributes,
            named=self.named,
        )

    @property
    def said(self) -> Formula | Decision:
        """What the network says: a formula for two classes, a decision for several."""
        return self.decision if self.several else self.formula

    def margins(self, table: Any, n_jobs: int | None = None) -> Margins:
        """By how much each output holds in every row, (n_rows, n_outputs); one that does not hold has less than 0."""
        literals = self.encoding.encode(table, only=self.network.reads, n_jobs=n_jobs)
        return self.network.margins(literals, validation._num_samples(table))

    def decide(self, margins: Margins) -> NDArray[np.int64]:
        """The position of the class of every row."""
        if not self.several:
            return np.where(margins[:, 0] >= 0, self.positive, 1 - self.positive)
        return np.asarray(np.array(self.outputs)[margins.argmax(axis=1)])

    def undecided(self, margins: Margins) -> NDArray[np.bool_]:
        """The rows in which no class fires, or several do; of two classes always one does."""
        if not self.several:
            return np.zeros(len(margins), dtype=np.bool_)
        return np.asarray((margins >= 0).sum(axis=1) != 1)

    def label(self, margins: Margins, abstain: bool = False) -> NDArray[Any]:
        """The class of rows with these margins; None where several classes fire, or none, if it may ``abstain``."""
        found = np.asarray(self.classes[self.decide(margins)])
        if not (abstain and self.several):
            return found
        found = found.astype(object)
        found[self.undecided(margins)] = None
        return found

    def predict(self, table: Any, n_jobs: int | None = None, abstain: bool = False) -> NDArray[Any]:
        """The class of every row."""
        return self.label(self.margins(table, n_jobs), abstain)

    def probabilities(self, table: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The probability of every class in every row."""
        return self.probabilities_of(self.margins(table, n_jobs))

    def probabilities_of(self, margins: Margins) -> NDArray[np.float64]:
        """The probability of every class in rows with these margins."""
        decided = self.decide(margins)
        if self.several:
            order = np.argsort(self.outputs)
            return self.calibration.probabilities(margins, order[decided])[:, order]
        found = self.calibration.probabilities(margins, np.where(decided == self.positive, 1, 0))
        return found if self.positive == 1 else found[:, ::-1]

    def codes(self, table: Any) -> Codes:
        """The cell of every attribute in every row, as formulas read them."""
        return Codes(self.encoding.attributes, self.encoding.codes(table))

    def holds(self, table: Any, formula: Formula) -> NDArray[np.bool_]:
        """The rows in which a formula about the same columns holds; it may have cuts of its own."""
        encoding = _including(self.encoding, formula)
        return holds(moved(formula, encoding.attributes), Codes(encoding.attributes, encoding.codes(table)))

    def choose(self, row: int) -> Fitted:
        """The same with another of its networks."""
        if not -len(self.alternatives) <= row < len(self.alternatives):
            raise ParameterError(f"row is {row}, but pareto_ has {len(self.alternatives)} rows")
        chosen = self.alternatives[row]
        return replace(self, network=chosen.network, evidence=chosen.evidence)

    def on(self, encoding: Encoding, more: Sequence[Formula] = ()) -> Fitted:
        """The same over an encoding that also has the columns, cuts and conditions of another one, and of formulas."""
        wider = reduce(_including, more, _united(self.encoding, encoding))
        formula = moved(self.said, wider.attributes)
        new = replace(self, encoding=wider, alternatives=(), named=None).with_formula(formula)
        return replace(new, evidence=self.evidence)

    def said_about(self, attributes: tuple[Attribute, ...]) -> Formula | Decision:
        """What the network says, about attributes that are cut at least as finely; rules stay in their order."""
        return moved(self.said, attributes)

    def with_formula(self, formula: Formula | Decision, forbidden: Collection[Condition] = ()) -> Fitted:
        """The same with a network that says what ``formula`` says; of its probabilities nothing is known.

        For several classes it is a decision among them, in any order.

        Conditions that are ``forbidden`` are made from others: values of a column that stand together in a formula may
        read as one of them.
        """
        outputs = self._outputs_of(formula)
        if isinstance(formula, Decision):
            formula = simplify_decision(formula)  # without "not", whose conditions the encoding would not have
        encoding = _including(self.encoding, formula)
        formula = moved(formula, encoding.attributes)
        return replace(
            self,
            encoding=encoding,
            network=_network_without(forbidden, formula, encoding.conditions),
            outputs=outputs,
            evidence=replace(
                NOTHING_KNOWN if len(outputs) == 1 else Calibration(1.0, (0.0,) * len(outputs)),
                follows=self.evidence.follows,
            ),
            target=formula.target,
            alternatives=(),
            named=Formula(TRUE, formula.concepts, encoding.attributes),
        )

    def _outputs_of(self, formula: Formula | Decision) -> tuple[int, ...]:
        """The positions of the classes that the outputs of a network for ``formula`` describe."""
        classes = self.classes.tolist()
        if not isinstance(formula, Decision):
            if self.several:
                raise FormulaError(
                    f"a formula describes one of two classes, but there are {len(classes)}; say a Decision"
                )
            return self.outputs
        if not self.several:
            raise FormulaError("a decision is among several classes, but there are two; say a Formula")
        if len(formula.labels) != len(classes) or set(formula.labels) != set(classes):
            raise FormulaError(f"the decision is among {list(formula.labels)}, but the classes are {classes}")
        return tuple(classes.index(label) for label in formula.labels)

    def output_codes(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The classes of rows as searches and calibrations number them: of two, 1 is the one that is described."""
        known = set(self.classes.tolist())
        for label in dict.fromkeys(labels.tolist()):
            if label not in known:
                raise TableError(f"y has the label {label!r}, but the classes are {self.classes.tolist()}")
        if not self.several:
            return np.asarray(labels == self.classes[self.positive]).astype(np.int64)
        return np.asarray(np.argsort(self.outputs)[np.searchsorted(self.classes, labels)], dtype=np.int64)

    def calibrated(self, calibration: Calibration) -> Fitted:
        """The same with other probabilities."""
        return replace(self, evidence=calibration)

    def by_class_weights(self) -> Fitted:
        """The same, found with class weights: it does not predict what is most probable, but what costs least."""
        others = (replace(a, evidence=replace(a.evidence, follows=False)) for a in self.alternatives)
        return replace(self, evidence=replace(self.evidence, follows=False), alternatives=tuple(others))

    def renamed(self, names: Mapping[str, str]) -> Fitted:
        """The same with other names for concepts, or for the target."""
        said = self.decision.rename(names) if self.several else self.formula.rename(names)
        named = Formula(TRUE, said.concepts, self.encoding.attributes)
        return replace(self, named=named, target=said.target)


def _calibration(evidence: Calibration | Evidence) -> Calibration:
    return evidence.calibration if isinstance(evidence, Evidence) else evidence


def _including(encoding: Encoding, formula: Formula | Decision) -> Encoding:
    """The encoding with the cuts and conditions of ``formula`` as well; the conditions that were there stay first."""
    given = {attribute.name: attribute for attribute in formula.attributes}
    finer = {a.name: merge(a, given[a.name]) if a.name in given else a for a in encoding.attributes}
    known = [x.on(finer[x.attribute.name]) for x in encoding.conditions]
    new = dict.fromkeys(x.on(finer[x.attribute.name]) for x in formula.conditions)
    return encoding.replace((*known, *(x for x in new if x not in set(known))))


def _united(first: Encoding, second: Encoding) -> Encoding:
    """The columns of the first with the cuts, values and conditions of both."""
    others = {attribute.name: attribute for attribute in second.attributes}
    finer = {a.name: merge(a, others[a.name]) if a.name in others else a for a in first.attributes}
    both = [x.on(finer[x.attribute.name]) for x in (*first.conditions, *second.conditions) if x.attribute.name in finer]
    return Encoding(tuple(finer.values()), tuple(dict.fromkeys(both)), first.named)


def _network_without(
    forbidden: Collection[Condition], formula: Formula | Decision, conditions: Sequence[Condition]
) -> Network:
    """The network of a formula over ``conditions`` that reads none of those ``forbidden``."""
    allowed = [j for j, condition in enumerate(conditions) if condition not in forbidden]
    network = to_network(formula, [conditions[j] for j in allowed])
    first = np.zeros((len(network.weights[0]), len(conditions)), dtype=np.bool_)
    first[:, allowed] = network.weights[0]
    return Network([first, *network.weights[1:]], network.first_gate, network.needs)


def moved(formula: Said, attributes: tuple[Attribute, ...]) -> Said:
    """The formula about ``attributes``, which are cut at least as finely."""
    finer = {attribute.name: attribute for attribute in attributes}

    def move(expression: Expression) -> Expression:
        return rebuild(expression, lambda x: x.on(finer[x.attribute.name]) if isinstance(x, Condition) else x)

    concepts = {name: move(meaning) for name, meaning in formula.concepts.items()}
    if isinstance(formula, Decision):
        scores = (Score(s.label, s.need, tuple((n, move(part)) for n, part in s.parts)) for s in formula.outputs)
        return Decision(tuple(scores), concepts, attributes, formula.target)
    return Formula(move(formula.output), concepts, attributes, formula.target)
