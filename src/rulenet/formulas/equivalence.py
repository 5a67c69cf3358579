"""Whether two formulas hold in the same rows, proven."""

from collections import Counter
from collections.abc import Hashable, Iterator

import numpy as np

from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import Blocks, blocks_of
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph
from rulenet.formulas.program import Circuit, Program
from rulenet.formulas.truth import Codes, holds, n_rows_of, rows_of

MAX_ROWS = 1 << 18
Row = dict[str, Hashable]
Clause = list[int]


def equivalent(first: Formula, second: Formula, *, assume_complete: bool = False) -> bool:
    """Whether the two hold in the same rows, missing values included unless ``assume_complete``.

    >>> from rulenet.formulas.expressions import TRUE, Or
    >>> a = Attribute("a", (0, 1))
    >>> known, always = Formula(Or((a.equal(0), a.equal(1))), {}, (a,)), Formula(TRUE, {}, (a,))
    >>> equivalent(known, always), equivalent(known, always, assume_complete=True)
    (False, True)
    """
    return difference(first, second, assume_complete=assume_complete) is None


def difference(first: Formula, second: Formula, *, assume_complete: bool = False) -> Row | None:
    """A row in which exactly one of the two holds, without the attributes that are missing; None if there is none.

    All rows are tried where they are few, those that no condition tells apart being one; otherwise a SAT solver looks
    for one (``pip install rulenet[proof]``) or, where that is not installed, a solver of integer programs.
    """
    blocks = _blocks(first, second, assume_complete)
    if n_rows_of(blocks) <= MAX_ROWS:
        return _by_trying(first, second, blocks)
    try:
        import pysat.solvers  # noqa: F401
    except ImportError:
        return _by_program(first, second, blocks)
    return _by_sat(first, second, blocks)


def row_of(rows: Codes, i: int) -> Row:
    """Row ``i`` as a mapping from attribute name to a plain value, missing ones left out."""
    pairs = zip(rows.attributes, rows.codes[i].tolist(), strict=True)
    return {a.name: example(a, c) for a, c in pairs if c != MISSING}


def example(attribute: Attribute, code: int) -> Hashable:
    """A plain value with this code.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> [example(age, code) for code in (0, 1, 2)], example(Attribute("a", ("x", "y")), UNKNOWN)
    ([20, 37.5, 38.5], 'another value')
    """
    if code == UNKNOWN:
        name = "another value"
        while name in attribute.values:
            name += "!"
        return name
    if not attribute.measured:
        return attribute.values[code]
    low, high = attribute.bounds(code)
    return high if high is not None else 0 if low is None else low + attribute.step


def _blocks(first: Formula, second: Formula, complete: bool) -> tuple[Blocks, ...]:
    if first.attributes != second.attributes:
        raise FormulaError("the two formulas are about different attributes, so they cannot be compared")
    conditions = {*first.conditions, *second.conditions}
    used = {x.attribute for x in conditions}
    return blocks_of([a for a in first.attributes if a in used], conditions, missing=not complete)


def _by_trying(first: Formula, second: Formula, blocks: tuple[Blocks, ...]) -> Row | None:
    rows = rows_of(blocks)
    different = np.flatnonzero(holds(first, rows) != holds(second, rows))
    return row_of(rows, int(different[0])) if different.size else None


def _by_program(first: Formula, second: Formula, blocks: tuple[Blocks, ...]) -> Row | None:
    for holds_first in (True, False):
        program = Program()
        codes = {(b.attribute, code): program.variable() for b in blocks for code in b.codes}
        for b in blocks:
            program.require({codes[b.attribute, code]: 1.0 for code in b.codes}, 1.0, 1.0)
        Circuit(first).require(program, codes, holds_first)
        Circuit(second).require(program, codes, not holds_first)
        if (solution := program.solve()) is not None:
            chosen = [next(code for code in b.codes if solution[codes[b.attribute, code]]) for b in blocks]
            return row_of(Codes([b.attribute for b in blocks], np.array([chosen], dtype=np.int64)), 0)
    return None


def _by_sat(first: Formula, second: Formula, blocks: tuple[Blocks, ...]) -> Row | None:
    from pysat.solvers import Solver

    clauses = _Clauses(first.attributes, blocks)
    one, two = clauses.add(first), clauses.add(second)
    with Solver("cadical153", bootstrap_with=[*clauses.all, [one, two], [-one, -two]]) as solver:
        if not solver.solve():
            return None
        true = set(solver.get_model() or ())
    codes = [[code for code in b.codes if clauses.codes[b.attribute, code] in true] for b in blocks]
    return row_of(Codes([b.attribute for b in blocks], np.array([[c[0] for c in codes]], dtype=np.int64)), 0)


class _Clauses:
    """Formulas as clauses (Tseitin) over one variable per attribute and block, of which exactly one is true."""

    def __init__(self, attributes: tuple[Attribute, ...], blocks: tuple[Blocks, ...]) -> None:
        self.graph = Graph(attributes)
        self.n_variables = 0
        self.blocks = {b.attribute: b for b in blocks}
        self.codes = {(b.attribute, code): self._new() for b in blocks for code in b.codes}
        self.variables: dict[int, int] = {}
        self.all: list[Clause] = []
        for b in blocks:
            self.all.extend(self._exactly_one([self.codes[b.attribute, code] for code in b.codes]))

    def add(self, formula: Formula) -> int:
        """The variable that is true where the formula holds."""
        root = self.graph.add(formula)[formula.target]
        for node in self.graph.postorder(root):
            if node not in self.variables:
                self.variables[node] = self._define(node)
        return self.variables[root]

    def _new(self) -> int:
        self.n_variables += 1
        return self.n_variables

    def _exactly_one(self, held: list[int]) -> Iterator[Clause]:
        """One at least, and none after the first: a ladder of "it was before here"."""
        yield held
        before = held[0]
        for x in held[1:]:
            yield [-before, -x]
            step = self._new()
            yield from ([-before, step], [-x, step])
            before = step

    def _define(self, node: int) -> int:
        leaf, gate = self.graph.leaves.get(node), self.graph.gates[node]
        parts = [self.variables[p] for p in self.graph.parts[node]]
        if isinstance(leaf, Condition):
            codes = self.blocks[leaf.attribute].codes
            return self._gate("or", [self.codes[leaf.attribute, c] for c in codes if leaf.holds_in(c)])
        if node in (FALSE_ID, TRUE_ID):
            return self._gate("and" if node == TRUE_ID else "or", [])
        return (
            self._count(self.graph.needs[node], Counter(parts)) if gate == "count" else self._gate(gate or "or", parts)
        )

    def _gate(self, gate: str, parts: list[int]) -> int:
        x, sign = self._new(), 1 if gate == "or" else -1
        self.all.append([-sign * x, *(sign * p for p in parts)])
        self.all.extend([sign * x, -sign * p] for p in parts)
        return x

    def _count(self, need: int, points: Counter[int]) -> int:
        """A counter that runs over the parts (C. Sinz, 2005), with points: ``reached[k]`` is "at least k so far"."""
        reached = [self._gate("and", []), *(self._gate("or", []) for _ in range(need))]
        for part, n in points.items():
            for k in range(need, 0, -1):
                step = self._gate("and", [reached[max(k - n, 0)], part])
                reached[k] = self._gate("or", [reached[k], step])
        return reached[need]
