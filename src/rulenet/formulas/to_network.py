"""The network of a formula, or of a decision: the way back."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import and_
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, add_parts
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, OTHER, TRUE_ID, Gate, Graph
from rulenet.network import Network

FirstGate = OneOf["and", "or", "auto"]


def to_network(
    formula: Formula | Decision, conditions: Sequence[Condition], *, first_gate: FirstGate = "auto"
) -> Network:
    """A network over ``conditions`` that fires exactly where the formula holds.

    That of a decision has an OR output for every class, with the same margins: what counts more than once is there more
    than once, and a class that needs less than one input has inputs that always hold.

    Conditions of the formula that are not among ``conditions`` are made from those of the same attribute. Units that
    only pass a value on fill the gaps between layers; what counts twice is passed on twice. Every concept that is
    neither constant nor a condition keeps a unit.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import And, Or
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> formula = Formula(Or((a.equal(1), And((a.equal(0), b.equal(1))))), {}, (a, b))
    >>> to_network(formula, [a.equal(0), a.equal(1), b.equal(0), b.equal(1)])
    Network(4 -> 2, 'and' first, size 4)
    """
    if isinstance(formula, Decision):
        return _decision_network(formula, conditions, first_gate)
    graph = Graph(formula.attributes, merge=False)
    leaves = _leaves(graph, conditions)
    nodes = graph.add(formula)
    names = graph.concept_names(formula, nodes)
    root = graph.flattened(nodes[formula.target], names)
    root = graph.flattened(_over(graph, root, leaves, conditions), names)
    return min((_Layers(graph, root, leaves, g).network(len(conditions)) for g in _gates(first_gate)), key=_size)


def _decision_network(decision: Decision, conditions: Sequence[Condition], first_gate: FirstGate) -> Network:
    graph = Graph(decision.attributes, merge=False)
    leaves = _leaves(graph, conditions)
    nodes, parts = add_parts(graph, decision)
    shifts = [max(1 - score.need, 0) for score in decision.outputs]
    root = graph.bundle(graph.bundle([*p, *[TRUE_ID] * shift]) for p, shift in zip(parts, shifts, strict=True))
    names = graph.concept_names(decision.as_formula(), nodes)
    root = graph.flattened(root, names)
    root = graph.flattened(_over(graph, root, leaves, conditions), names)
    needs = {
        output: score.need + shift
        for output, score, shift in zip(graph.parts[root], decision.outputs, shifts, strict=True)
    }
    found = (_Layers(graph, root, leaves, g, needs).network(len(conditions)) for g in _gates(first_gate))
    return min(found, key=_size)


def _leaves(graph: Graph, conditions: Sequence[Condition]) -> dict[int, int]:
    leaves = {graph.condition(x): j for j, x in reversed(list(enumerate(conditions)))}
    return {node: j for node, j in leaves.items() if node not in (FALSE_ID, TRUE_ID)}


def _gates(first_gate: FirstGate) -> tuple[Gate, ...]:
    return ("and", "or") if first_gate == "auto" else (first_gate,)


def _size(network: Network) -> tuple[int, int]:
    return len(network.weights), network.n_edges


def _over(graph: Graph, root: int, leaves: dict[int, int], conditions: Sequence[Condition]) -> int:
    """``root`` with every condition that is not in ``leaves`` made from those that are."""
    new: dict[int, int] = {}
    for node in graph.postorder(root):
        leaf = graph.leaves.get(node)
        if isinstance(leaf, Condition) and node not in leaves:
            new[node] = _composed(graph, leaf, conditions)
        else:
            new[node] = graph.again(node, [new[p] for p in graph.parts[node]])
    return new[root]


def _composed(graph: Graph, condition: Condition, conditions: Sequence[Condition]) -> int:
    """The node of an OR of ANDs of given conditions that says what ``condition`` says."""
    siblings = [x for x in conditions if x.attribute == condition.attribute]
    any_of = _union(condition, [[x] for x in siblings if x <= condition])
    wide = any(x.cells.bit_count() > 1 for x in siblings)
    terms = _union(condition, list(_products(condition, siblings))) if wide else None
    found = [ways for ways in (any_of, terms) if ways is not None]
    if not found:
        raise FormulaError(
            f"{condition} cannot be said with the given conditions {[str(x) for x in siblings]}; add it to them"
        )
    best = min(found, key=lambda ways: sum(map(len, ways)))
    return graph.join("or", [graph.join("and", map(graph.condition, way)) for way in best])


def _products(condition: Condition, siblings: Sequence[Condition]) -> Iterator[list[Condition]]:
    left = condition.cells
    while left:
        cell = left & -left
        product = _product(condition, cell, siblings)
        yield product
        left &= ~(_all(product).cells if product else cell)


def _product(condition: Condition, cell: int, siblings: Sequence[Condition]) -> list[Condition]:
    """Few conditions that all have ``cell``, and together nothing that ``condition`` has not; none if none do."""
    around, kept = [x for x in siblings if x.cells & cell], list[Condition]()
    wanted, outside = condition.cells, ~condition.cells
    while around and (not kept or _all(kept).cells & outside):
        have = _all(kept).cells if kept else -1
        best = min(around, key=lambda x: ((x.cells & have & outside).bit_count(), -(x.cells & wanted).bit_count()))
        if kept and best.cells & have == have:
            return []
        kept.append(best)
    return kept


def _union(condition: Condition, ways: Sequence[list[Condition]]) -> list[list[Condition]] | None:
    """Few of the ``ways`` that together say ``condition``, wide ones first; None if all do not."""
    inside = [(way, _all(way).cells) for way in ways if way and _all(way).cells & ~condition.cells == 0]
    left, chosen = condition.cells, list[list[Condition]]()
    for way, cells in sorted(inside, key=lambda x: -x[1].bit_count()):
        if cells & left:
            left &= ~cells
            chosen.append(way)
    return None if left else chosen


def _all(conditions: Iterable[Condition]) -> Condition:
    return reduce(and_, conditions)


def _largest_sum(inputs: Sequence[Counter[int]]) -> list[int]:
    """Every node as often as the unit that reads it most often does."""
    most = dict[int, int]()
    for parts in inputs:
        for node, n in parts.items():
            most[node] = max(n, most.get(node, 0))
    return sorted(Counter(most).elements())


class _Layers:
    """Nodes placed on layers whose gates alternate; a node that counts may stand on any.

    With ``needs``, the root is a bundle of outputs, which count on an OR layer, and never literals at once.
    """

    def __init__(
        self, graph: Graph, root: int, leaves: dict[int, int], first_gate: Gate, needs: dict[int, int] | None = None
    ) -> None:
        self.graph, self.root, self.leaves, self.first_gate = graph, root, leaves, first_gate
        self.needs = {**graph.needs, **(needs or {})}
        self.roots = graph.parts[root] if needs else (root,)
        self.level: dict[int, int] = {}
        self.parts = dict[int, tuple[int, ...]]()
        for node in graph.postorder(root):
            gate, self.parts[node] = graph.gates[node], graph.parts[node]
            below = max((self.level[p] for p in graph.parts[node]), default=-1)
            if node in (FALSE_ID, TRUE_ID):
                self.level[node] = int(first_gate != ("or" if node == FALSE_ID else "and"))
            elif gate is None:
                self.level[node] = -1
            elif gate == "count":
                twice = len(set(graph.parts[node])) < len(graph.parts[node])
                self.level[node] = below + 1 + (twice and below < 0)
            elif gate == "bundle":
                self.level[node] = self._level(max(below, 0), "or") if node != root else below
            else:
                self.level[node] = self._level(below, gate)
                self._gather(node, gate)
        self.top = max(self.level[r] for r in self.roots)
        self.level |= {r: self.top for r in self.roots}

    def _level(self, below: int, gate: Gate) -> int:
        return below + 1 + (self.gate(below + 1) != gate)

    def _gather(self, node: int, gate: Gate) -> None:
        """Let one unit further down join the parts that units would only pass on."""
        low = tuple(p for p in self.parts[node] if self.level[p] <= self.level[node] - 3)
        if len(low) > 1:
            joined = -1 - node
            self.parts[joined], self.level[joined] = low, self._level(max(self.level[p] for p in low), gate)
            self.parts[node] = (*(p for p in self.parts[node] if p not in low), joined)

    def gate(self, layer: int) -> Gate:
        return self.first_gate if layer % 2 == 0 else OTHER[self.first_gate]

    def network(self, n_literals: int) -> Network:
        wanted, weights, needs = [*self.roots], list[NDArray[np.bool_]](), list[list[int]]()
        for layer in range(max(self.top, 0), -1, -1):
            inputs = [self._inputs(n, layer) for n in wanted]
            needs.insert(0, [self._need(n, layer) for n in wanted])
            units = _largest_sum(inputs)
            weights.insert(0, self._weights(inputs, units, n_literals if layer == 0 else 0))
            wanted = units or [FALSE_ID if self.gate(layer - 1) == "or" else TRUE_ID]  # a layer needs a unit
        if all(need == 1 for layer_needs in needs for need in layer_needs):
            return Network(weights, self.first_gate)
        return Network(weights, self.first_gate, needs)  # type: ignore[call-arg, unused-ignore]

    def _weights(self, inputs: list[Counter[int]], units: list[int], n_literals: int) -> NDArray[np.bool_]:
        matrix = np.zeros((len(inputs), n_literals or max(len(units), 1)), dtype=np.bool_)
        first = {p: j for j, p in reversed(list(enumerate(units)))}
        for k, parts in enumerate(inputs):
            for p, n in parts.items():
                start = self.leaves[p] if n_literals else first[p]
                matrix[k, start : start + n] = True
        return matrix

    def _ready(self, node: int, layer: int) -> bool:
        return node in (FALSE_ID, TRUE_ID) or self.level[node] == layer

    def _inputs(self, node: int, layer: int) -> Counter[int]:
        return Counter(self.parts.get(node, ()) if self._ready(node, layer) else (node,))

    def _need(self, node: int, layer: int) -> int:
        if node not in self.needs or not self._ready(node, layer):
            return 1
        need, n_inputs = self.needs[node], len(self.graph.parts[node])
        return need if self.gate(layer) == "or" else n_inputs - need + 1
