"""Whether two formulas hold in the same rows, proven."""

from collections.abc import Hashable, Iterator
from itertools import combinations

import numpy as np

from rulenet.exceptions import FormulaError
from rulenet.formulas.dnf import used_attributes
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph
from rulenet.formulas.truth import Codes, all_rows, holds, n_possible
from rulenet.literals import Attribute, Literal

MAX_ROWS = 1 << 18
Row = dict[str, Hashable]
Clause = list[int]


def equivalent(first: Formula, second: Formula, *, assume_complete: bool = False) -> bool:
    """Whether the two hold in the same rows, missing values included unless ``assume_complete``.

    >>> from rulenet.formulas.expressions import TRUE, Or
    >>> a = Attribute("a", (0, 1))
    >>> known, always = Formula(Or((Literal(a, 0), Literal(a, 1))), {}, (a,)), Formula(TRUE, {}, (a,))
    >>> equivalent(known, always), equivalent(known, always, assume_complete=True)
    (False, True)
    """
    return difference(first, second, assume_complete=assume_complete) is None


def difference(first: Formula, second: Formula, *, assume_complete: bool = False) -> Row | None:
    """A row in which exactly one of the two holds, without the attributes that are missing; None if there is none.

    All rows are tried where they are few; otherwise a SAT solver looks for one (``pip install rulenet[proof]``).
    """
    if first.attributes != second.attributes:
        raise FormulaError("the two formulas are about different attributes, so they cannot be compared")
    used = {*used_attributes(first), *used_attributes(second)}
    attributes = tuple(a for a in first.attributes if a in used)
    if n_possible(attributes, missing=not assume_complete) <= MAX_ROWS:
        return _by_trying(first, second, attributes, assume_complete)
    return _by_sat(first, second, attributes, assume_complete)


def _by_trying(first: Formula, second: Formula, attributes: tuple[Attribute, ...], complete: bool) -> Row | None:
    rows = all_rows(attributes, missing=not complete)
    different = np.flatnonzero(holds(first, rows) != holds(second, rows))
    return row_of(rows, int(different[0])) if different.size else None


def row_of(rows: Codes, i: int) -> Row:
    """Row ``i`` as a mapping from attribute name to value, missing ones left out."""
    pairs = zip(rows.attributes, rows.codes[i].tolist(), strict=True)
    return {a.name: a.values[c] for a, c in pairs if c >= 0}


def _by_sat(first: Formula, second: Formula, attributes: tuple[Attribute, ...], complete: bool) -> Row | None:
    try:
        from pysat.solvers import Solver
    except ImportError as error:
        n_rows = n_possible(attributes, missing=not complete)
        raise FormulaError(
            f"{n_rows:.0e} rows are too many to try all; install a SAT solver with: pip install 'rulenet[proof]'"
        ) from error
    clauses = _Clauses(attributes, complete)
    one, two = clauses.add(first), clauses.add(second)
    with Solver("cadical153", bootstrap_with=[*clauses.all, [one, two], [-one, -two]]) as solver:
        if not solver.solve():
            return None
        true = set(solver.get_model() or ())
    return {a.name: v for (a, v), x in clauses.values.items() if x in true}


class _Clauses:
    """Formulas as clauses (Tseitin) over one variable per attribute and value."""

    def __init__(self, attributes: tuple[Attribute, ...], complete: bool) -> None:
        self.graph = Graph(attributes)
        self.values = {pair: n for n, pair in enumerate(((a, v) for a in attributes for v in a.values), start=1)}
        self.n_variables = len(self.values)
        self.variables: dict[int, int] = {}
        self.all: list[Clause] = []
        for attribute in attributes:
            held = [self.values[attribute, v] for v in attribute.values]
            self.all += [[-x, -y] for x, y in combinations(held, 2)]
            self.all += [held] if complete else []

    def add(self, formula: Formula) -> int:
        """The variable that is true where the formula holds."""
        root = self.graph.add(formula)[formula.target]
        for node in self.graph.postorder(root):
            if node not in self.variables:
                self.n_variables += 1
                self.variables[node] = self.n_variables
                self.all.extend(self._define(node, self.n_variables))
        return self.variables[root]

    def _define(self, node: int, x: int) -> Iterator[Clause]:
        leaf, gate = self.graph.leaves.get(node), self.graph.gates[node]
        parts = [self.variables[p] for p in self.graph.parts[node]]
        if isinstance(leaf, Literal):
            gate, parts = "or", [self.values[leaf.attribute, v] for v in leaf.satisfying]
        if node in (FALSE_ID, TRUE_ID):
            yield [x if node == TRUE_ID else -x]
        else:
            sign = 1 if gate == "or" else -1
            yield [-sign * x, *(sign * p for p in parts)]
            yield from ([sign * x, -sign * p] for p in parts)
