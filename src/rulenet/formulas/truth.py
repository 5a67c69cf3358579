"""Where formulas hold: on coded columns, on single rows, on all rows there are."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition
from rulenet.formulas.cells import Blocks, blocks_of, table_of
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Formula, Not, Or

__all__ = ["MISSING", "UNKNOWN", "Codes", "Mask", "Truth", "all_rows", "encode", "holds", "holds_in", "truths"]

Mask = NDArray[np.bool_]


class Truth(NamedTuple):
    """Rows where an expression is certainly true, and rows where it is certainly false."""

    true: Mask
    false: Mask


class Codes:
    """Columns as numbers of cells; `MISSING` for a missing value, `UNKNOWN` for one that no cell holds."""

    def __init__(self, attributes: Sequence[Attribute], codes: NDArray[np.int64]) -> None:
        self.attributes = tuple(attributes)
        self.codes = codes
        self._column = {a: i for i, a in enumerate(self.attributes)}

    def __len__(self) -> int:
        return len(self.codes)

    def truth(self, condition: Condition) -> Truth:
        """Where the condition is certainly true, and where certainly false."""
        codes = self.codes[:, self._column[condition.attribute]]
        true = table_of(condition)[codes]
        return Truth(true, ~true & (codes >= 0))


def encode(attributes: Sequence[Attribute], rows: Sequence[Mapping[str, Any]]) -> Codes:
    """The codes of ``rows``, each a mapping from attribute name to plain value; absent names are missing.

    >>> age = Attribute("age", kind="numeric", cuts=(20,))
    >>> encode([Attribute("a", ("x", "y")), age], [{"a": "y", "age": 20}, {"a": "z", "age": 21}, {}]).codes.tolist()
    [[1, 0], [-2, 1], [-1, -1]]
    """
    codes = [[a.cell_of(row.get(a.name)) for a in attributes] for row in rows]
    return Codes(attributes, np.array(codes, dtype=np.int64).reshape(len(rows), len(attributes)))


def n_possible(
    attributes: Sequence[Attribute], *, missing: bool = True, conditions: Iterable[Condition] | None = None
) -> int:
    """How many different rows there are, as far as ``conditions`` tell them apart."""
    return n_rows_of(blocks_of(attributes, conditions, missing=missing))


def all_rows(
    attributes: Sequence[Attribute], *, missing: bool = True, conditions: Iterable[Condition] | None = None
) -> Codes:
    """Every possible row, with each attribute also missing, or in no cell, if asked.

    With ``conditions``, one row for all that these do not tell apart.

    >>> all_rows([Attribute("a", ("x", "y"))]).codes.T
    array([[ 0,  1, -2, -1]])
    """
    if conditions is None and missing:
        return rows_of([_with_unknown(b) for b in blocks_of(attributes)])
    return rows_of(blocks_of(attributes, conditions, missing=missing))


def n_rows_of(blocks: Iterable[Blocks]) -> int:
    """How many rows differ in ``blocks``."""
    return reduce(lambda n, b: n * len(b), blocks, 1)


def rows_of(blocks: Sequence[Blocks]) -> Codes:
    """A row for every choice of ``blocks``."""
    grid = np.meshgrid(*(np.array(b.codes, dtype=np.int64) for b in blocks), indexing="ij")
    codes = np.stack([g.ravel() for g in grid], axis=1) if blocks else np.zeros((1, 0), dtype=np.int64)
    return Codes([b.attribute for b in blocks], codes)


def _with_unknown(blocks: Blocks) -> Blocks:
    if blocks.attribute.measured:
        return blocks
    return Blocks(blocks.attribute, blocks.cells, (*blocks.codes[:-1], UNKNOWN, MISSING))


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
        case Condition():
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
            return _counted(len(parts), parts, rows, known)
        case Or(parts):
            return _counted(1, parts, rows, known)
        case AtLeast(need, parts):
            return _counted(need, parts, rows, known)


def _counted(need: int, parts: Sequence[Expression], rows: Codes, known: Mapping[str, Truth]) -> Truth:
    """True where ``need`` parts are, false where so many are false that the others are too few."""
    n_true, n_false = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for inner in (truth_of(p, rows, known) for p in parts):
        n_true += inner.true
        n_false += inner.false
    return Truth(n_true >= need, n_false > len(parts) - need)
