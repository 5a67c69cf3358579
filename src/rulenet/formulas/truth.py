"""Where formulas hold: on coded columns, on single rows, on all rows there are."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.literals import Attribute, Literal

Mask = NDArray[np.bool_]
MISSING = -1


class Truth(NamedTuple):
    """Rows where an expression is certainly true, and rows where it is certainly false."""

    true: Mask
    false: Mask


class Codes:
    """Columns as positions in ``attribute.values``; ``MISSING`` for a missing or unseen value."""

    def __init__(self, attributes: Sequence[Attribute], codes: NDArray[np.int64]) -> None:
        self.attributes = tuple(attributes)
        self.codes = codes
        self._column = {a: i for i, a in enumerate(self.attributes)}

    def __len__(self) -> int:
        return len(self.codes)

    def truth(self, literal: Literal) -> Truth:
        """Where the literal is certainly true, and where certainly false."""
        values = literal.attribute.values
        satisfied = set(literal.satisfying)
        table = np.array([v in satisfied for v in values] + [False])
        codes = self.codes[:, self._column[literal.attribute]]
        return Truth(table[codes], ~table[codes] & (codes != MISSING))


def encode(attributes: Sequence[Attribute], rows: Sequence[Mapping[str, Any]]) -> Codes:
    """The codes of ``rows``, each a mapping from attribute name to value; absent names are missing.

    >>> encode([Attribute("a", ("x", "y"))], [{"a": "y"}, {"a": "z"}, {}]).codes.T
    array([[ 1, -1, -1]])
    """
    codes = np.full((len(rows), len(attributes)), MISSING, dtype=np.int64)
    for j, attribute in enumerate(attributes):
        place: dict[Hashable, int] = {v: i for i, v in enumerate(attribute.values)}
        for i, row in enumerate(rows):
            codes[i, j] = place.get(row.get(attribute.name), MISSING)
    return Codes(attributes, codes)


def n_possible(attributes: Sequence[Attribute], *, missing: bool = True) -> int:
    """How many different rows there are."""
    return int(np.prod([len(a.values) + missing for a in attributes], dtype=object)) if attributes else 1


def all_rows(attributes: Sequence[Attribute], *, missing: bool = True) -> Codes:
    """Every possible row, with each attribute also missing if asked."""
    low = MISSING if missing else 0
    axes = [np.arange(low, len(a.values)) for a in attributes]
    grid = np.meshgrid(*axes, indexing="ij")
    codes = np.stack([g.ravel() for g in grid], axis=1) if axes else np.zeros((1, 0), dtype=np.int64)
    return Codes(attributes, codes.astype(np.int64))


def truths(formula: Formula, rows: Codes) -> dict[str, Truth]:
    """Where every concept and the target hold or certainly fail, by name."""
    known: dict[str, Truth] = {}
    for name, expression in formula.definitions:
        known[name] = truth_of(expression, rows, known)
    return known


def holds(formula: Formula, rows: Codes) -> Mask:
    """The rows in which the formula holds."""
    return truths(formula, rows)[formula.target].true


def holds_in(formula: Formula, row: Mapping[str, Any]) -> bool:
    """Whether the formula holds in one row, a mapping from attribute name to value."""
    return bool(holds(formula, encode(formula.attributes, [row]))[0])


def truth_of(expression: Expression, rows: Codes, known: Mapping[str, Truth]) -> Truth:
    """Where one expression holds or certainly fails, given the concepts it uses."""
    match expression:
        case Literal():
            return rows.truth(expression)
        case Concept(name):
            return known[name]
        case Constant(value):
            everywhere = np.full(len(rows), value)
            return Truth(everywhere, ~everywhere)
        case Not(part):
            inner = truth_of(part, rows, known)
            return Truth(inner.false, inner.true)
        case And(parts):
            true, false = np.full(len(rows), True), np.full(len(rows), False)
            for inner in (truth_of(p, rows, known) for p in parts):
                true, false = true & inner.true, false | inner.false
            return Truth(true, false)
        case Or(parts):
            dual = truth_of(And(tuple(Not(p) for p in parts)), rows, known)
            return Truth(dual.false, dual.true)
