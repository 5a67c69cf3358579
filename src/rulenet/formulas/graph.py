"""Formulas as a graph in which equal parts are one node; every node is simplified as it is made."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from typing import Literal as OneOf

from rulenet.formulas.expressions import FALSE, TRUE, And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.formulas.tidy import fresh_names
from rulenet.literals import Attribute, Literal

Gate = OneOf["and", "or"]
FALSE_ID, TRUE_ID = 0, 1
OTHER: dict[Gate, Gate] = {"and": "or", "or": "and"}


class Graph:
    """Nodes by number: constants, literals, and gates over sets of nodes. There is no NOT.

    NOT moves to the literals before anything is simplified: what holds in the same rows may fail in different ones.
    """

    def __init__(self, attributes: Iterable[Attribute]) -> None:
        self.attributes = tuple(attributes)
        self.gates: list[Gate | None] = [None, None]
        self.parts: list[frozenset[int]] = [frozenset(), frozenset()]
        self.leaves: dict[int, Literal | Constant] = {FALSE_ID: FALSE, TRUE_ID: TRUE}
        self._ids: dict[Any, int] = {}
        self._satisfying: dict[int, frozenset[Any]] = {}
        self._place = {a: i for i, a in enumerate(self.attributes)}

    def literal(self, literal: Literal) -> int:
        """The node of a literal; literals that hold for the same values share one."""
        values = frozenset(literal.satisfying)
        if not values:
            return FALSE_ID
        key = (literal.attribute, values)
        if key not in self._ids:
            node = self._new(None, frozenset(), key)
            self.leaves[node] = _canonical(literal)
            self._satisfying[node] = values
        return self._ids[key]

    def join(self, gate: Gate, nodes: Iterable[int]) -> int:
        """AND or OR of ``nodes``, simplified."""
        neutral, zero = (TRUE_ID, FALSE_ID) if gate == "and" else (FALSE_ID, TRUE_ID)
        found = set(nodes) - {neutral}
        if gate == "and":
            found = {self._under(found, x) for x in found} - {neutral}
        if zero in found or (gate == "and" and self._contradicts(found)):
            return zero
        kept = frozenset(self._absorb(gate, found))
        if not kept:
            return neutral
        if len(kept) == 1:
            return next(iter(kept))
        key = (gate, kept)
        return self._ids[key] if key in self._ids else self._new(gate, kept, key)

    def add(self, formula: Formula) -> dict[str, int]:
        """The nodes of all concepts and of the target, by name."""
        meaning, done = dict(formula.definitions), dict[tuple[str, bool], int]()

        def named(name: str, positive: bool) -> int:
            if (name, positive) not in done:
                done[name, positive] = node(meaning[name], positive)
            return done[name, positive]

        def node(expression: Expression, positive: bool) -> int:
            match expression:
                case Literal():
                    return self.literal(expression if positive else opposite(expression))
                case Constant(value):
                    return TRUE_ID if value == positive else FALSE_ID
                case Concept(name):
                    return named(name, positive)
                case Not(part):
                    return node(part, not positive)
                case And(parts) | Or(parts):
                    gate: Gate = "and" if isinstance(expression, And) == positive else "or"
                    return self.join(gate, [node(p, positive) for p in parts])

        return {name: named(name, True) for name in meaning}

    def flattened(self, root: int, names: dict[int, str]) -> int:
        """``root`` with gates pulled into a gate of the same kind that alone uses them, until nothing changes.

        Nodes with a name stay what they are; ``names`` follows where they are made anew.
        """
        while (new := self._flatten_once(root, names)) != root:
            root = new
        return root

    def uses(self, root: int) -> Counter[int]:
        """How many gates below ``root`` read each node."""
        return Counter(p for node in self.postorder(root) for p in self.parts[node])

    def postorder(self, root: int, key: Callable[[int], Any] | None = None) -> Iterator[int]:
        """``root`` and all below it, parts before wholes, each node once; ``key`` sorts the parts of a gate."""
        done: set[int] = set()
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node not in done:
                done.add(node)
                stack.append((node, True))
                parts = sorted(self.parts[node], key=key, reverse=True) if key else self.parts[node]
                stack.extend((p, False) for p in parts if p not in done)

    def formula(self, root: int, target: str = "positive", names: Mapping[int, str] | None = None) -> Formula:
        """The formula of ``root``; nodes used more than once, or named, become concepts."""
        names = {node: name for node, name in (names or {}).items() if self.gates[node] and node != root}
        root = self.flattened(root, names)
        return _Extraction(self, root, target, names).formula()

    def concept_names(self, formula: Formula, nodes: Mapping[str, int]) -> dict[int, str]:
        """The names of the nodes that concepts of ``formula`` became; of two names for one node, the first."""
        return {nodes[name]: name for name in reversed([*formula.concepts]) if self.gates[nodes[name]]}

    def sort_keys(self, root: int) -> dict[int, Any]:
        """Keys that order nodes by what they say, whatever their numbers."""
        keys: dict[int, Any] = {}
        for node in self.postorder(root):
            leaf, parts = self.leaves.get(node), sorted(keys[p] for p in self.parts[node])
            if isinstance(leaf, Literal):
                values = leaf.attribute.values
                keys[node] = (0, self._place[leaf.attribute], leaf.operator, values.index(leaf.value))
            else:
                keys[node] = (
                    1,
                    1 + max((p[1] if p[0] else 0 for p in parts), default=0),
                    len(parts),
                    self.gates[node] or "",
                    parts,
                )
        return keys

    def _new(self, gate: Gate | None, parts: frozenset[int], key: Any) -> int:
        self._ids[key] = len(self.gates)
        self.gates.append(gate)
        self.parts.append(parts)
        return self._ids[key]

    def _implies(self, a: int, b: int) -> bool:
        if a == b:
            return True
        x, y = self.leaves.get(a), self.leaves.get(b)
        return (
            isinstance(x, Literal)
            and isinstance(y, Literal)
            and x.attribute == y.attribute
            and self._satisfying[a] <= self._satisfying[b]
        )

    def _under(self, siblings: set[int], node: int) -> int:
        """``node`` where all ``siblings`` hold: an OR loses the literals that a sibling rules out."""
        if self.gates[node] != "or":
            return node
        possible = [p for p in self.parts[node] if not any(self._excludes(s, p) for s in siblings)]
        return node if len(possible) == len(self.parts[node]) else self.join("or", possible)

    def _excludes(self, a: int, b: int) -> bool:
        x, y = self.leaves.get(a), self.leaves.get(b)
        return (
            isinstance(x, Literal)
            and isinstance(y, Literal)
            and x.attribute == y.attribute
            and not self._satisfying[a] & self._satisfying[b]
        )

    def _contradicts(self, nodes: set[int]) -> bool:
        left: dict[Attribute, frozenset[Any]] = {}
        for node in nodes:
            leaf = self.leaves.get(node)
            if isinstance(leaf, Literal):
                left[leaf.attribute] = left.get(leaf.attribute, self._satisfying[node]) & self._satisfying[node]
        return not all(left.values())

    def _absorb(self, gate: Gate, nodes: set[int]) -> set[int]:
        """``nodes`` without those that another one makes superfluous."""
        views = {n: self.parts[n] if self.gates[n] == OTHER[gate] else frozenset((n,)) for n in nodes}
        kept: list[int] = []
        for node in sorted(nodes, key=lambda n: (len(views[n]), n)):
            if any(self._covers(gate, views[k], views[node]) for k in kept):
                continue
            kept = [k for k in kept if not self._covers(gate, views[node], views[k])]
            kept.append(node)
        return set(kept)

    def _covers(self, gate: Gate, kept: frozenset[int], other: frozenset[int]) -> bool:
        """In an OR: whether AND of ``other`` implies AND of ``kept``; in an AND, the reverse with ORs."""
        if kept <= other:
            return True
        if gate == "or":
            return all(any(self._implies(o, k) for o in other) for k in kept)
        return all(any(self._implies(k, o) for o in other) for k in kept)

    def _flatten_once(self, root: int, names: dict[int, str]) -> int:
        uses, new = self.uses(root), dict[int, int]()
        for node in self.postorder(root):
            gate = self.gates[node]
            if gate is None:
                new[node] = node
                continue
            parts = set[int]()
            for part in self.parts[node]:
                alone = uses[part] == 1 or self.gates[part] != gate
                inline = alone and self.gates[new[part]] == gate and new[part] not in names
                parts |= self.parts[new[part]] if inline else {new[part]}
            new[node] = self.join(gate, parts)
            if node in names and self.gates[new[node]]:
                names.setdefault(new[node], names[node])
        return new[root]


class _Extraction:
    """One graph turned into one formula."""

    def __init__(self, graph: Graph, root: int, target: str, names: dict[int, str]) -> None:
        self.graph, self.root, self.target = graph, root, target
        self.keys = graph.sort_keys(root)
        self.uses = graph.uses(root)
        self.names = names
        self.concepts: dict[str, Expression] = {}
        self.fresh = fresh_names(graph.attributes, {target, *names.values()})

    def formula(self) -> Formula:
        for node in self.graph.postorder(self.root, self.keys.__getitem__):
            if node != self.root and self.graph.gates[node] and (self.uses[node] > 1 or node in self.names):
                if self.names.get(node, self.target) in (self.target, *self.concepts):
                    self.names[node] = self.fresh()
                self.concepts[self.names[node]] = self._expand(node)
        return Formula(self._expand(self.root), self.concepts, self.graph.attributes, self.target)

    def _sorted(self, node: int) -> list[int]:
        return sorted(self.graph.parts[node], key=self.keys.__getitem__)

    def _refer(self, node: int) -> Expression:
        name = self.names.get(node)
        return Concept(name) if name in self.concepts else self._expand(node)

    def _expand(self, node: int) -> Expression:
        gate = self.graph.gates[node]
        if gate is None:
            return self.graph.leaves[node]
        parts = tuple(self._refer(p) for p in self._sorted(node))
        return And(parts) if gate == "and" else Or(parts)


def simplify(formula: Formula) -> Formula:
    """The formula with constants folded, equal parts merged and superfluous ones gone; names are kept."""
    graph = Graph(formula.attributes)
    nodes = graph.add(formula)
    return graph.formula(nodes[formula.target], formula.target, graph.concept_names(formula, nodes))


def opposite(literal: Literal) -> Literal:
    """The literal that holds where this one certainly fails."""
    return Literal(literal.attribute, literal.value, "!=" if literal.operator == "==" else "==")


def _canonical(literal: Literal) -> Literal:
    """A literal that holds for one value, written with ``==``."""
    values = literal.satisfying
    return Literal(literal.attribute, values[0]) if len(values) == 1 else literal
