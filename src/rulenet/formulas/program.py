"""Questions about a formula as integer programs, answered with proof by HiGHS.

One binary variable says whether an attribute has a value, one continuous variable stands for each gate. The gates need
no integers: with literals fixed, a gate variable above 0 proves its gate true, and one below 1 proves it false.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph
from rulenet.literals import Attribute, Literal

Coefficients = Mapping[int, float]


class Program:
    """Minimise the cost of 0/1 variables under linear constraints."""

    def __init__(self) -> None:
        self.costs: list[float] = []
        self.integer: list[bool] = []
        self.rows: list[tuple[Coefficients, float, float]] = []

    def variable(self, cost: float = 0.0, *, integer: bool = True) -> int:
        """A new variable between 0 and 1."""
        self.costs.append(cost)
        self.integer.append(integer)
        return len(self.costs) - 1

    def require(self, coefficients: Coefficients, low: float = -np.inf, high: float = np.inf) -> None:
        """Keep a sum of variables between ``low`` and ``high``."""
        self.rows.append((coefficients, low, high))

    def solve(self) -> list[bool] | None:
        """A cheapest assignment, None if there is none."""
        entries = [(i, j, c) for i, (row, _, _) in enumerate(self.rows) for j, c in row.items()]
        i, j, c = (np.array(x) for x in zip(*entries, strict=True)) if entries else (np.zeros(0, int),) * 3
        matrix = coo_array((c, (i, j)), shape=(len(self.rows), len(self.costs))).tocsr()
        low, high = np.array([r[1] for r in self.rows]), np.array([r[2] for r in self.rows])
        result = milp(
            np.array(self.costs),
            constraints=LinearConstraint(matrix, low, high) if self.rows else None,
            integrality=np.array(self.integer, dtype=int),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0},
        )
        if result.status == 2:
            return None
        if result.status != 0:
            raise FormulaError(f"the solver gave up: {result.message}")
        return [bool(x > 0.5) for x in result.x]


class Circuit:
    """A formula over the values of a row, which are variables of a program."""

    def __init__(self, formula: Formula, attributes: Sequence[Attribute]) -> None:
        self.attributes = tuple(attributes)
        self.graph = Graph(formula.attributes)
        self.root = self.graph.add(formula)[formula.target]

    def require(self, program: Program, values: Mapping[tuple[Attribute, object], int], truth: bool) -> None:
        """Make the formula hold, or not, for the row that ``values`` describes; a value without variable is out."""
        node_of: dict[int, int] = {}
        for node in self.graph.postorder(self.root):
            node_of[node] = x = program.variable(integer=False)
            leaf = self.graph.leaves.get(node)
            if node in (FALSE_ID, TRUE_ID):
                program.require({x: 1.0}, float(node == TRUE_ID), float(node == TRUE_ID))
            elif isinstance(leaf, Literal):
                keys = ((leaf.attribute, v) for v in leaf.satisfying)
                _gate(program, x, [values[k] for k in keys if k in values], "or", truth)
            else:
                _gate(program, x, [node_of[p] for p in self.graph.parts[node]], self.graph.gates[node] or "or", truth)
        program.require({node_of[self.root]: 1.0}, float(truth), float(truth))


def _gate(program: Program, x: int, parts: Sequence[int], gate: str, truth: bool) -> None:
    """Bind ``x`` from above if it is to be true, from below if false."""
    minus = {p: -1.0 for p in parts}
    if (gate == "or") == truth:
        slack = 0.0 if truth else len(parts) - 1.0
        bound = minus | {x: 1.0}
        program.require(bound, high=0.0) if truth else program.require(bound, low=-slack)
    else:
        for p in parts:
            program.require({x: 1.0, p: -1.0}, high=0.0) if truth else program.require({x: 1.0, p: -1.0}, low=0.0)
