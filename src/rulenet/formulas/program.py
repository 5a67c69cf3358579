"""Questions about a formula or a decision as integer programs, answered with proof by HiGHS.

One binary variable says whether an attribute is in a block of cells, one variable stands for each gate. ANDs and ORs
need no integers: with conditions fixed, a gate variable above 0 proves its gate true, and one below 1 proves it false.
Gates that count are binary, which gives the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, add_parts
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph
from rulenet.later import Later

if TYPE_CHECKING:
    from scipy import optimize, sparse
else:
    optimize, sparse = Later("scipy.optimize"), Later("scipy.sparse")

Coefficients = Mapping[int, float]
Row = tuple[Coefficients, float, float]
Variables = Mapping[tuple[Attribute, int], int]
AT_ONCE = 10  # variables that are put in order by one question, as powers of two: far from what a solver rounds


class Program:
    """Minimise the cost of 0/1 variables, a whole number for each, under linear constraints."""

    def __init__(self) -> None:
        self.costs: list[int] = []
        self.integer: list[bool] = []
        self.rows: list[Row] = []

    def variable(self, cost: int = 0, *, integer: bool = True) -> int:
        """A new variable between 0 and 1."""
        self.costs.append(cost)
        self.integer.append(integer)
        return len(self.costs) - 1

    def require(self, coefficients: Coefficients, low: float = -np.inf, high: float = np.inf) -> None:
        """Keep a sum of variables between ``low`` and ``high``."""
        self.rows.append((coefficients, low, high))

    def solve(self, *orders: Sequence[int]) -> list[bool] | None:
        """A cheapest assignment, None if there is none.

        Of several, the one in which the first variables of ``orders`` hold, whatever the solver would take: equally
        many of an order must hold in all that are cheapest and agree on the orders before.

        >>> program = Program()
        >>> a, b, c = (program.variable(cost=1) for _ in range(3))
        >>> program.require({a: 1.0, b: 1.0, c: 1.0}, low=2.0)
        >>> program.solve([c, a, b])
        [True, False, True]
        """
        found = self._solve(self.costs)
        if found is None or not orders:
            return found
        price = sum(c for c, x in zip(self.costs, found, strict=True) if x)
        cheapest = ({x: c for x, c in enumerate(self.costs) if c}, -np.inf, price + 0.5)
        fixed = dict[int, bool]()
        for order in orders:
            left = sum(found[x] for x in order)
            for at in range(0, len(order), AT_ONCE):
                part = order[at : at + AT_ONCE]
                if not all(found[x] for x in part[:left]):
                    worth = {x: -(2.0**k) for k, x in enumerate(reversed(part))}
                    found = self._solve([worth.get(x, 0.0) for x in range(len(self.costs))], [cheapest], fixed)
                    assert found is not None
                fixed |= {x: found[x] for x in part}
                left -= sum(found[x] for x in part)
        return found

    def _solve(
        self, costs: Sequence[float], more: Sequence[Row] = (), fixed: Mapping[int, bool] | None = None
    ) -> list[bool] | None:
        rows = [*self.rows, *more]
        if not costs:
            return [] if all(low <= 0 <= high for _, low, high in rows) else None
        entries = [(i, j, c) for i, (row, _, _) in enumerate(rows) for j, c in row.items()]
        i, j, c = (np.array(x) for x in zip(*entries, strict=True)) if entries else (np.zeros(0, int),) * 3
        places = i.astype(np.int32), j.astype(np.int32)  # SciPy 1.13 solves with no others
        matrix = sparse.coo_array((c, places), shape=(len(rows), len(costs))).tocsr()
        low, high = np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
        least, most = np.zeros(len(costs)), np.ones(len(costs))
        for x, value in (fixed or {}).items():
            least[x] = most[x] = float(value)
        result = optimize.milp(
            np.array(costs),
            constraints=optimize.LinearConstraint(matrix, low, high) if rows else None,
            integrality=np.array(self.integer, dtype=int),
            bounds=optimize.Bounds(least, most),
            options={"mip_rel_gap": 0},
        )
        if result.status == 2:
            return None
        if result.status != 0:
            raise FormulaError(f"the solver gave up: {result.message}")
        return [bool(x > 0.5) for x in result.x]


class Circuit:
    """A formula over the codes of a row, which are variables of a program."""

    def __init__(self, formula: Formula) -> None:
        self.graph = Graph(formula.attributes)
        self.root = self.graph.add(formula)[formula.target]

    def require(self, program: Program, codes: Variables, truth: bool) -> None:
        """Make the formula hold, or not, for the row that ``codes`` describe; a code without variable is out."""
        node_of = _nodes(self.graph, self.root, program, codes, (truth,))
        program.require({node_of[self.root]: 1.0}, float(truth), float(truth))


class Contest:
    """Whether one class of a decision wins, over the codes of a row, which are variables of a program."""

    def __init__(self, decision: Decision, label: Hashable) -> None:
        self.graph = Graph(decision.attributes)
        _, parts = add_parts(self.graph, decision)
        self.points = [Counter(inner) for inner in parts]
        self.needs = [score.need for score in decision.outputs]
        self.place = decision.place(label)
        self.root = self.graph.bundle(sorted(set().union(*parts)))

    def require(self, program: Program, codes: Variables, truth: bool) -> None:
        """Make the class win, or another one, in the row that ``codes`` describe."""
        node_of = _nodes(self.graph, self.root, program, codes, (True, False))
        rivals = [k for k in range(len(self.points)) if k != self.place]
        beaten = dict[int, float]()
        for k in rivals:
            winner, loser = (self.place, k) if truth else (k, self.place)
            ahead = dict[int, float]()
            for sign, one in ((1.0, winner), (-1.0, loser)):
                for node, points in self.points[one].items():
                    ahead[node_of[node]] = ahead.get(node_of[node], 0.0) + sign * points
            low = float(self.needs[winner] - self.needs[loser] + (winner > loser))  # of equals the first wins
            if truth:
                program.require(ahead, low)
            else:  # one of the rivals is ahead; for the others nothing is asked
                free = max(low + self.points[loser].total(), 0.0)
                x = program.variable()
                beaten[x] = 1.0
                program.require(ahead | {x: -free}, low - free)
        if not truth:
            program.require(beaten, low=1.0)


def _nodes(graph: Graph, root: int, program: Program, codes: Variables, truths: tuple[bool, ...]) -> dict[int, int]:
    """Variables for a node and all below it, bound from above to be true, from below to be false, or both."""
    node_of: dict[int, int] = {}
    known: dict[Attribute, list[tuple[int, int]]] = {}
    for (attribute, code), x in codes.items():
        known.setdefault(attribute, []).append((code, x))
    for node in graph.postorder(root):
        leaf, gate = graph.leaves.get(node), graph.gates[node]
        if gate == "bundle":
            continue
        node_of[node] = x = program.variable(integer=gate == "count")
        if node in (FALSE_ID, TRUE_ID):
            program.require({x: 1.0}, float(node == TRUE_ID), float(node == TRUE_ID))
            continue
        if isinstance(leaf, Condition):
            need, parts = 1, [y for code, y in known.get(leaf.attribute, ()) if leaf.holds_in(code)]
        else:
            parts = [node_of[p] for p in graph.parts[node]]
            need = {"and": len(parts), "or": 1}.get(gate or "or", graph.needs.get(node, 1))
        for truth in truths:
            _gate(program, x, need, parts, truth)
    return node_of


def _gate(program: Program, x: int, need: int, parts: Iterable[int], truth: bool) -> None:
    """Bind ``x``, that ``need`` parts hold, from above if it is to be true, from below if false."""
    points = Counter(parts)
    spare = points.total() - need + 1  # so many that fail make it fail
    if (spare == 1) if truth else (need == 1):
        for p in points:
            program.require({x: 1.0, p: -1.0}, *((-np.inf, 0.0) if truth else (0.0, np.inf)))
        return
    minus: dict[int, float] = {p: -float(n) for p, n in points.items()}
    if truth:
        program.require(minus | {x: float(need)}, high=0.0)
    else:
        program.require(minus | {x: float(spare)}, low=1.0 - need)
