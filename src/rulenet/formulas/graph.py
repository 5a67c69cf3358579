"""Formulas as a graph in which equal parts are one node; every node is simplified as it is made."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from math import gcd
from typing import Any
from typing import Literal as OneOf

from rulenet.bits import WORD_BITS
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import factors, is_everything, pieces
from rulenet.formulas.expressions import FALSE, TRUE, And, AtLeast, Concept, Constant, Expression, Formula, Not, Or
from rulenet.formulas.tidy import fresh_names

Gate = OneOf["and", "or"]
Kind = OneOf["and", "or", "count", "bundle"]
FALSE_ID, TRUE_ID = 0, 1
OTHER: dict[Gate, Gate] = {"and": "or", "or": "and"}
# A file from anyone may hold any network: what takes longer than some seconds is refused.
MAX_COMPARISONS = 20_000_000


class Graph:
    """Nodes by number: constants, conditions, gates over sets of nodes, counts over nodes with points.

    There is no NOT. It moves to the conditions before anything is simplified: what holds in the same rows may fail in
    different ones.

    Parameters
    ----------
    attributes : iterable of Attribute
        What conditions are about.
    merge : bool
        Whether conditions on one attribute become one: in an AND the cells that all have, in an OR those that one has.
    """

    def __init__(self, attributes: Iterable[Attribute], *, merge: bool = True) -> None:
        self.attributes = tuple(attributes)
        self.merge = merge
        self.gates: list[Kind | None] = [None, None]
        self.parts: list[tuple[int, ...]] = [(), ()]
        self.needs: dict[int, int] = {}
        self.leaves: dict[int, Condition | Constant] = {FALSE_ID: FALSE, TRUE_ID: TRUE}
        self._ids: dict[Any, int] = {}
        self._place = {a: i for i, a in enumerate(self.attributes)}
        self._n_comparisons = 0

    def condition(self, condition: Condition) -> int:
        """The node of a condition."""
        if not condition.cells:
            return FALSE_ID
        if is_everything(condition):
            return TRUE_ID
        key = (condition.attribute, condition.cells)
        if key not in self._ids:
            self.leaves[self._new(None, (), key)] = condition
        return self._ids[key]

    def join(self, gate: Gate, nodes: Iterable[int]) -> int:
        """AND or OR of ``nodes``, simplified."""
        neutral, zero = (TRUE_ID, FALSE_ID) if gate == "and" else (FALSE_ID, TRUE_ID)
        found = self._merged(gate, set(nodes) - {neutral})
        if gate == "and" and (possible := {self._under(found, x) for x in found}) != found:
            return self.join(gate, possible)
        if zero in found or (gate == "and" and self._contradicts(found)):
            return zero
        kept = self._absorb(gate, found - {neutral})
        if not kept:
            return neutral
        if len(kept) == 1:
            return next(iter(kept))
        parts = tuple(sorted(kept))
        key = (gate, parts)
        return self._ids[key] if key in self._ids else self._new(gate, parts, key)

    def count(self, need: int, nodes: Iterable[int]) -> int:
        """That at least ``need`` of ``nodes`` hold, simplified; a node that is there twice counts twice."""
        points = Counter(nodes)
        need -= points.pop(TRUE_ID, 0)
        del points[FALSE_ID]
        points = Counter({node: min(n, need) for node, n in points.items()})
        total = points.total()
        if need <= 0 or total < need:
            return TRUE_ID if need <= 0 else FALSE_ID
        if min(points.values()) >= need:
            return self.join("or", points)
        if total - min(points.values()) < need:
            return self.join("and", points)
        unit = gcd(*points.values())
        need, parts = -(-need // unit), tuple(sorted(node for node, n in points.items() for _ in range(n // unit)))
        key = (need, parts)
        if key not in self._ids:
            self.needs[self._new("count", parts, key)] = need
        return self._ids[key]

    def bundle(self, nodes: Iterable[int]) -> int:
        """A new node that holds ``nodes`` together, as often as they are there; nothing is simplified across them."""
        return self._new("bundle", tuple(nodes), ("bundle", len(self.gates)))

    def again(self, node: int, parts: Iterable[int]) -> int:
        """A gate like that of ``node`` over other parts."""
        gate = self.gates[node]
        if gate == "bundle":
            return node if (found := tuple(parts)) == self.parts[node] else self.bundle(found)
        if gate == "count":
            return self.count(self.needs[node], parts)
        return node if gate is None else self.join(gate, parts)

    def add(self, formula: Formula) -> dict[str, int]:
        """The nodes of all concepts and of the target, by name."""
        meaning, done = dict(formula.definitions), dict[tuple[str, bool], int]()

        def named(name: str, positive: bool) -> int:
            if (name, positive) not in done:
                done[name, positive] = node(meaning[name], positive)
            return done[name, positive]

        def node(expression: Expression, positive: bool) -> int:
            match expression:
                case Condition():
                    return self.condition(expression if positive else ~expression)
                case Constant(value):
                    return TRUE_ID if value == positive else FALSE_ID
                case Concept(name):
                    return named(name, positive)
                case Not(part):
                    return node(part, not positive)
                case And(parts) | Or(parts):
                    gate: Gate = "and" if isinstance(expression, And) == positive else "or"
                    return self.join(gate, [node(p, positive) for p in parts])
                case AtLeast(need, parts):
                    return self.count(need if positive else len(parts) - need + 1, [node(p, positive) for p in parts])

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
        return Counter(p for node in self.postorder(root) for p in set(self.parts[node]))

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
        """The formula of ``root``; gates used more than once, and what has a name, become concepts.

        All its conditions are simple: one that takes an "or" to say is an OR.
        """
        names = {node: name for node, name in (names or {}).items() if node != root}
        root = self.flattened(root, names)
        names.pop(root, None)
        said = _Extraction(self, root, {target}, names)
        return Formula(said.expand(root), said.concepts, self.attributes, target)

    def bundled(
        self, root: int, taken: set[str], names: Mapping[int, str] | None = None
    ) -> tuple[list[list[Expression]], dict[str, Expression]]:
        """What the bundles in bundle ``root`` hold, and the concepts; ``taken`` are names that these may not have."""
        known = dict(names or {})
        root = self.flattened(root, known)
        said = _Extraction(self, root, taken, known)
        return [said.parts(inner) for inner in self.parts[root]], said.concepts

    def concept_names(self, formula: Formula, nodes: Mapping[str, int]) -> dict[int, str]:
        """The names of the nodes that concepts of ``formula`` became; of two names for one node, the first.

        A name for a constant, or for what was one condition from the start, is not kept.
        """
        kept = [
            name
            for name, meaning in reversed([*formula.concepts.items()])
            if self.gates[nodes[name]] or (nodes[name] not in (FALSE_ID, TRUE_ID) and isinstance(meaning, And | Or))
        ]
        return {nodes[name]: name for name in kept}

    def sort_keys(self, root: int) -> dict[int, int]:
        """Ranks that order nodes by what they say, whatever their numbers: conditions first, deeper gates later.

        A gate has the ranks of its parts for a key, not their keys: these would be as long as all paths together.
        """
        depths: dict[int, int] = {}
        for node in self.postorder(root):
            gated = self._leaf(node) is None
            depths[node] = 1 + max((depths[p] for p in self.parts[node]), default=0) if gated else 0
        ranks: dict[int, int] = {}
        for _, level in groupby(sorted(depths, key=depths.__getitem__), depths.__getitem__):
            keys = {node: self._key(node, ranks) for node in level}
            for _, alike in groupby(sorted(keys, key=keys.__getitem__), keys.__getitem__):
                ranks |= dict.fromkeys(alike, len(ranks))
        return ranks

    def _key(self, node: int, ranks: Mapping[int, int]) -> Any:
        leaf, parts = self._leaf(node), sorted(ranks[p] for p in self.parts[node])
        if leaf is not None:
            return self._place[leaf.attribute], leaf.sort_key
        return len(parts), self.gates[node] or "", self.needs.get(node, 0), parts

    def _toil(self, n_comparisons: int) -> None:
        """Note so many comparisons of conditions and gates, or refuse to make them where they are too many."""
        self._n_comparisons += n_comparisons
        if self._n_comparisons > MAX_COMPARISONS:
            raise FormulaError(
                f"to write the network as a formula takes more than {MAX_COMPARISONS} comparisons: it predicts, but it "
                "is too tangled to be read; choose a smaller one"
            )

    def _new(self, gate: Kind | None, parts: tuple[int, ...], key: Any) -> int:
        self._ids[key] = len(self.gates)
        self.gates.append(gate)
        self.parts.append(parts)
        return self._ids[key]

    def _leaf(self, node: int) -> Condition | None:
        leaf = self.leaves.get(node)
        return leaf if isinstance(leaf, Condition) else None

    def _merged(self, gate: Gate, nodes: set[int]) -> set[int]:
        """``nodes`` with the conditions on each attribute as one."""
        if not self.merge:
            return nodes
        return {n for n in nodes if self._leaf(n) is None} | {
            self.condition(x) for x in self._by_attribute(gate, nodes).values()
        }

    def _by_attribute(self, gate: Gate, nodes: set[int]) -> dict[Attribute, Condition]:
        found: dict[Attribute, Condition] = {}
        for leaf in filter(None, map(self._leaf, nodes)):
            known = found.get(leaf.attribute, leaf)
            found[leaf.attribute] = known & leaf if gate == "and" else known | leaf
        return found

    def _implies(self, a: int, b: int) -> bool:
        if a == b:
            return True
        x, y = self._leaf(a), self._leaf(b)
        if x is not None and y is not None:
            return x <= y
        return a in self.needs and b in self.needs and self.parts[a] == self.parts[b] and self.needs[a] >= self.needs[b]

    def _under(self, siblings: set[int], node: int) -> int:
        """``node`` where all ``siblings`` hold: an OR loses the conditions that a sibling rules out."""
        if self.gates[node] != "or":
            return node
        self._toil(len(siblings) * len(self.parts[node]))
        possible = [p for p in self.parts[node] if not any(self._excludes(s, p) for s in siblings)]
        return node if len(possible) == len(self.parts[node]) else self.join("or", possible)

    def _excludes(self, a: int, b: int) -> bool:
        x, y = self._leaf(a), self._leaf(b)
        return x is not None and y is not None and x.attribute == y.attribute and not x.cells & y.cells

    def _contradicts(self, nodes: set[int]) -> bool:
        return not all(x.cells for x in self._by_attribute("and", nodes).values())

    def _absorb(self, gate: Gate, nodes: set[int]) -> set[int]:
        """``nodes`` without those that another one makes superfluous."""
        leaves = self._widest(gate, [x for n in nodes if (x := self._leaf(n)) is not None])
        views = {n: set(self.parts[n]) if self.gates[n] == OTHER[gate] else {n} for n in nodes if self.gates[n]}
        kept: list[int] = []
        for node in sorted(views, key=lambda n: (len(views[n]), n)):
            if self._settled(gate, views[node], leaves) or any(self._covers(gate, views[k], views[node]) for k in kept):
                continue
            kept = [k for k in kept if not self._covers(gate, views[node], views[k])]
            kept.append(node)
        return {*kept, *(self.condition(x) for found in leaves.values() for x in found)}

    def _widest(self, gate: Gate, leaves: list[Condition]) -> dict[Attribute, list[Condition]]:
        """The conditions of every attribute that no other one makes superfluous, each compared only with wider ones."""
        sign, kept = 1 if gate == "or" else -1, dict[Attribute, list[Condition]]()
        for _, same in groupby(sorted(leaves, key=lambda x: -sign * _n_cells(x)), _n_cells):
            new = [x for x in same if not any(_wider(gate, k, x) for k in kept.get(x.attribute, ()))]
            for x in new:
                kept.setdefault(x.attribute, []).append(x)
        return kept

    def _settled(self, gate: Gate, parts: set[int], leaves: dict[Attribute, list[Condition]]) -> bool:
        """Whether one of ``leaves`` makes the gate over ``parts`` superfluous."""
        self._toil(len(parts))
        inside = filter(None, map(self._leaf, parts))
        return any(_wider(gate, k, x) for x in inside for k in leaves.get(x.attribute, ()))

    def _covers(self, gate: Gate, kept: set[int], other: set[int]) -> bool:
        """In an OR: whether AND of ``other`` implies AND of ``kept``; in an AND, the reverse with ORs."""
        self._toil(len(kept) * len(other))
        if kept <= other:
            return True
        if gate == "or":
            return all(any(self._implies(o, k) for o in other) for k in kept)
        return all(any(self._implies(k, o) for o in other) for k in kept)

    def _flatten_once(self, root: int, names: dict[int, str]) -> int:
        uses, new = self.uses(root), dict[int, int]()
        for node in self.postorder(root):
            gate, parts = self.gates[node], list[int]()
            for part in self.parts[node]:
                alone = uses[part] == 1 or self.gates[part] != gate
                inline = gate in OTHER and alone and self.gates[new[part]] == gate and new[part] not in names
                parts += self.parts[new[part]] if inline else (new[part],)
            new[node] = self.again(node, parts)
            if node in names and new[node] not in (FALSE_ID, TRUE_ID):
                names.setdefault(new[node], names[node])
        return new[root]


class _Extraction:
    """Nodes of a graph turned into expressions: what is shared, or has a name, becomes a concept."""

    def __init__(self, graph: Graph, root: int, taken: set[str], names: dict[int, str]) -> None:
        self.graph = graph
        self.keys = graph.sort_keys(root)
        self.names = names
        self.concepts: dict[str, Expression] = {}
        self._define(root, taken)

    def _define(self, root: int, taken: set[str]) -> None:
        uses, fresh = self.graph.uses(root), fresh_names(self.graph.attributes, taken | {*self.names.values()})
        for node in self.graph.postorder(root, self.keys.__getitem__):
            shared = self.graph.gates[node] and uses[node] > 1
            if node != root and (shared or node in self.names):
                if node not in self.names or self.names[node] in taken | self.concepts.keys():
                    self.names[node] = fresh()
                self.concepts[self.names[node]] = self.expand(node)

    def parts(self, node: int) -> list[Expression]:
        """The parts of a node, concepts by name."""
        return [self._refer(p) for p in self._sources(node)]

    def _refer(self, node: int) -> Expression:
        name = self.names.get(node)
        return Concept(name) if name in self.concepts else self.expand(node)

    def expand(self, node: int) -> Expression:
        """What a node means."""
        leaf, gate = self.graph.leaves.get(node), self.graph.gates[node]
        if leaf is not None:
            return leaf if isinstance(leaf, Constant) else self._said(leaf)
        parts = self.parts(node)
        if gate == "count":
            return AtLeast(self.graph.needs[node], tuple(parts))
        kind = And if gate == "and" else Or
        split = [q for p, n in zip(parts, self._sources(node), strict=True) for q in self._split(kind, p, n)]
        return kind(tuple(split))

    def _said(self, condition: Condition) -> Expression:
        """The condition, or an AND or OR of simple ones that says the same."""
        simple = pieces(condition)
        self.graph._toil(len(simple) * (1 + condition.attribute.n_cells // WORD_BITS))
        if len(simple) == 1:
            return simple[0]
        return And(factors(condition)) if factors(condition) else Or(simple)

    def _sources(self, node: int) -> list[int]:
        return sorted(self.graph.parts[node], key=self.keys.__getitem__)

    def _split(self, kind: type[And] | type[Or], part: Expression, node: int) -> tuple[Expression, ...]:
        """A condition that is not simple, as parts of the gate around it."""
        whole = not isinstance(part, Concept) and self.graph.gates[node] is None and isinstance(part, kind)
        return part.parts if whole and isinstance(part, And | Or) else (part,)


def _n_cells(condition: Condition) -> int:
    return condition.cells.bit_count()


def _wider(gate: Gate, x: Condition, y: Condition) -> bool:
    """Whether ``x`` makes ``y`` superfluous in a gate."""
    return y <= x if gate == "or" else x <= y


def simplify(formula: Formula) -> Formula:
    """The formula with constants folded, equal parts merged and superfluous ones gone; names are kept.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(simplify(Formula(And((age.above(20), age.at_most(37.5))), {}, (age,))))
    positive if 20 < age <= 37.5
    """
    graph = Graph(formula.attributes)
    nodes = graph.add(formula)
    return graph.formula(nodes[formula.target], formula.target, graph.concept_names(formula, nodes))
