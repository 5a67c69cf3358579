"""The network of a formula: the way back."""

from collections.abc import Sequence
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import FALSE_ID, OTHER, TRUE_ID, Gate, Graph
from rulenet.literals import Literal
from rulenet.network import Network


def to_network(
    formula: Formula, literals: Sequence[Literal], *, first_gate: OneOf["and", "or", "auto"] = "auto"
) -> Network:
    """A network over ``literals`` that fires exactly where the formula holds.

    Literals of the formula that are not among ``literals`` are made from those of the same attribute. Units that only
    pass a value on fill the gaps between layers. Every concept that is neither constant nor a literal keeps a unit.

    >>> from rulenet.formulas.expressions import And, Or
    >>> from rulenet.literals import Attribute, literals_of
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> formula = Formula(Or((Literal(a, 1), And((Literal(a, 0), Literal(b, 1))))), {}, (a, b))
    >>> to_network(formula, literals_of([a, b]))
    Network(4 -> 2, 'and' first, 5 edges)
    """
    graph = Graph(formula.attributes)
    leaves = {graph.literal(x): j for j, x in reversed(list(enumerate(literals)))}
    nodes = graph.add(formula)
    names = graph.concept_names(formula, nodes)
    root = graph.flattened(nodes[formula.target], names)
    root = graph.flattened(_over(graph, root, leaves, literals), names)
    gates: tuple[Gate, ...] = ("and", "or") if first_gate == "auto" else (first_gate,)
    return min((_Layers(graph, root, leaves, g).network(len(literals)) for g in gates), key=_size)


def _size(network: Network) -> tuple[int, int]:
    return len(network.weights), network.n_edges


def _over(graph: Graph, root: int, leaves: dict[int, int], literals: Sequence[Literal]) -> int:
    """``root`` with every literal that is not in ``leaves`` made from those that are."""
    new: dict[int, int] = {}
    for node in graph.postorder(root):
        gate, leaf = graph.gates[node], graph.leaves.get(node)
        if gate is not None:
            new[node] = graph.join(gate, [new[p] for p in graph.parts[node]])
        elif isinstance(leaf, Literal) and node not in leaves:
            new[node] = _composed(graph, leaf, literals)
        else:
            new[node] = node
    return new[root]


def _composed(graph: Graph, literal: Literal, literals: Sequence[Literal]) -> int:
    wanted = set(literal.satisfying)
    siblings = [x for x in literals if x.attribute == literal.attribute]
    inside = [x for x in siblings if set(x.satisfying) <= wanted]
    if set().union(*(x.satisfying for x in inside)) == wanted:
        return graph.join("or", [graph.literal(x) for x in inside])
    around = [x for x in siblings if set(x.satisfying) >= wanted]
    if around and set.intersection(*(set(x.satisfying) for x in around)) == wanted:
        return graph.join("and", [graph.literal(x) for x in around])
    raise FormulaError(f"{literal} cannot be said with the given literals {[str(x) for x in siblings]}; add it to them")


class _Layers:
    """Nodes placed on layers whose gates alternate."""

    def __init__(self, graph: Graph, root: int, leaves: dict[int, int], first_gate: Gate) -> None:
        self.graph, self.root, self.leaves, self.first_gate = graph, root, leaves, first_gate
        self.level: dict[int, int] = {}
        for node in graph.postorder(root):
            gate = graph.gates[node]
            below = max((self.level[p] for p in graph.parts[node]), default=-1)
            if node in (FALSE_ID, TRUE_ID):
                self.level[node] = int(first_gate != ("or" if node == FALSE_ID else "and"))
            elif gate is None:
                self.level[node] = -1
            else:
                self.level[node] = below + 1 + (self.gate(below + 1) != gate)

    def gate(self, layer: int) -> Gate:
        return self.first_gate if layer % 2 == 0 else OTHER[self.first_gate]

    def _inputs(self, node: int, layer: int) -> frozenset[int]:
        ready = node in (FALSE_ID, TRUE_ID) or self.level[node] == layer
        return self.graph.parts[node] if ready else frozenset((node,))

    def network(self, n_literals: int) -> Network:
        wanted, weights = [self.root], list[NDArray[np.bool_]]()
        for layer in range(max(self.level[self.root], 0), -1, -1):
            inputs = [self._inputs(n, layer) for n in wanted]
            below = sorted({p for parts in inputs for p in parts})
            place = self.leaves if layer == 0 else {p: j for j, p in enumerate(below)}
            size = n_literals if layer == 0 else max(len(below), 1)
            matrix = np.zeros((len(wanted), size), dtype=np.bool_)
            for k, parts in enumerate(inputs):
                matrix[k, [place[p] for p in parts]] = True
            weights.insert(0, matrix)
            wanted = below or [FALSE_ID if self.gate(layer - 1) == "or" else TRUE_ID]  # a layer needs a unit
        return Network(weights, self.first_gate)
