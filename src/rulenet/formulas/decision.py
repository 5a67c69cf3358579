"""Decisions among several classes: each has a score, and the one that exceeds its need by most is taken.

The margin of a class is the points of its parts that certainly hold, less what the class needs. The largest margin wins
and of equal ones the first, so there is an answer also where several classes reach their need, or none.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import (
    FALSE,
    TRUE,
    And,
    AtLeast,
    Concept,
    Constant,
    Expression,
    Formula,
    Or,
    rebuild,
    walk,
)
from rulenet.formulas.graph import Graph, simplify
from rulenet.formulas.truth import Codes, Truth, truth_of, truths

Margins = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Score:
    """What speaks for one class.

    Parameters
    ----------
    label : hashable
        The class.
    need : int
        The points at which the class fires; 0 or less where it does so without any.
    parts : tuple of pairs of int and expression
        The points of everything that counts, where it certainly holds.

    Examples
    --------
    >>> a = Attribute("a", ("x", "y", "z"))
    >>> score = Score.of("red", 3, [a.equal("x"), a.equal("x"), TRUE, a.equal("y"), FALSE])
    >>> score.need, [(points, str(part)) for points, part in score.parts]
    (2, [(2, 'a = x'), (1, 'a = y')])
    """

    label: Hashable
    need: int
    parts: tuple[tuple[int, Expression], ...] = ()

    @classmethod
    def of(cls, label: Hashable, need: int, parts: Iterable[Expression]) -> "Score":
        """The score that counts ``parts``: equal ones become points, the most first; constants go into the need."""
        counts = Counter(parts)
        need -= counts.pop(TRUE, 0)
        counts.pop(FALSE, None)
        return cls(label, need, tuple((n, part) for part, n in counts.most_common()))

    @classmethod
    def of_formula(cls, formula: Formula, label: Hashable = True) -> "Score":
        """The score that reaches its need where a formula holds: the parts of its AND, OR or AT LEAST.

        >>> a, b = (Attribute(n, (0, 1)).equal(1) for n in "ab")
        >>> Score.of_formula(Formula(And((a, b)), {}, (a.attribute, b.attribute))).need
        2
        """
        match formula.output:
            case AtLeast(need, parts):
                return cls.of(label, need, parts)
            case And(parts):
                return cls.of(label, len(parts), parts)
            case Or(parts):
                return cls.of(label, 1, parts)
            case single:
                return cls.of(label, 1, (single,))

    @property
    def highest(self) -> int:
        """The points of all parts together."""
        return sum(points for points, _ in self.parts)

    @property
    def counted(self) -> tuple[Expression, ...]:
        """The parts, each as often as it counts."""
        return tuple(part for points, part in self.parts for _ in range(points))

    @property
    def fires(self) -> Expression:
        """That the need is reached."""
        if self.need <= 0 or self.highest < self.need:
            return Constant(self.need <= 0)
        return AtLeast(self.need, self.counted)


@dataclass(frozen=True, slots=True)
class Decision:
    """Which of several classes a row has: a score for each, over concepts that they share.

    Parameters
    ----------
    outputs : sequence of Score
        What speaks for every class; of equal margins the first wins.
    concepts : mapping from name to expression
        Intermediate concepts, each defined only by those before it.
    attributes : sequence of Attribute
        The attributes that rows have.
    target : str
        The name of the column that is decided.

    Examples
    --------
    >>> from rulenet.formulas.truth import encode
    >>> size, colour = Attribute("size", kind="numeric", cuts=(2, 5)), Attribute("colour", ("green", "red"))
    >>> red = colour.equal("red")
    >>> pea = Score("pea", 2, ((1, size.at_most(2)), (1, ~red)))
    >>> apple = Score("apple", 2, ((1, size.above(2)), (1, Concept("ripe"))))
    >>> melon = Score("melon", 1, ((2, size.above(5)),))
    >>> fruit = Decision((pea, apple, melon), {"ripe": Or((red, size.above(5)))}, (size, colour), "fruit")
    >>> rows = encode(fruit.attributes, [{"size": 1, "colour": "green"}, {"size": 3, "colour": "red"}, {}])
    >>> fruit.margins(rows).tolist()
    [[0, -2, -1], [-2, 0, -1], [-2, -2, -1]]
    >>> fruit.decide(rows).tolist()
    ['pea', 'apple', 'melon']
    """

    outputs: tuple[Score, ...]
    concepts: Mapping[str, Expression]
    attributes: tuple[Attribute, ...]
    target: str = "class"

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", tuple(self.outputs))
        object.__setattr__(self, "concepts", dict(self.concepts))
        object.__setattr__(self, "attributes", tuple(self.attributes))
        _check(self)

    def __hash__(self) -> int:
        return hash((self.outputs, tuple(self.concepts.items()), self.attributes, self.target))

    @classmethod
    def of_formula(cls, formula: Formula, positive: Hashable = True, negative: Hashable = False) -> "Decision":
        """The decision between two classes that a formula makes: ``positive`` where it holds, else ``negative``."""
        scores = (Score.of_formula(formula, positive), Score(negative, 0))
        return cls(scores, formula.concepts, formula.attributes, formula.target)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The classes, in the order that settles ties."""
        return tuple(score.label for score in self.outputs)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The distinct conditions, in order of attribute and cells."""
        return self.as_formula().conditions

    def score(self, label: Hashable) -> Score:
        """What speaks for the class ``label``."""
        return self.outputs[self.place(label)]

    def place(self, label: Hashable) -> int:
        """The number of the class ``label``."""
        if label not in self.labels:
            raise FormulaError(f"no class is called {label!r}; the classes are {list(self.labels)}")
        return self.labels.index(label)

    def name(self, label: Hashable) -> str:
        """What the class ``label`` is called where it stands for itself, such as "fruit = apple"."""
        return f"{self.target} = {label}"

    @property
    def reserved(self) -> tuple[str, ...]:
        """The names that no concept may have."""
        return tuple(self.name(label) for label in self.labels)

    def formula(self, label: Hashable) -> Formula:
        """When the class ``label`` fires, that is reaches its need, as a formula of its own.

        It may fire where another class wins, and it may win where it does not fire.
        """
        score = self.score(label)
        return simplify(Formula(score.fires, self.concepts_of(label), self.attributes, self.name(label)))

    def concepts_of(self, *labels: Hashable) -> dict[str, Expression]:
        """The concepts that some classes use, also those that others of them use."""
        parts = [part for label in labels for _, part in self.score(label).parts]
        return self.concepts_under(*{x.name for part in parts for x in walk(part) if isinstance(x, Concept)})

    def concepts_under(self, *names: str) -> dict[str, Expression]:
        """Some concepts, and those that they use."""
        wanted = {*names}
        for name in reversed([*self.concepts]):
            if name in wanted:
                wanted |= {x.name for x in walk(self.concepts[name]) if isinstance(x, Concept)}
        return {name: meaning for name, meaning in self.concepts.items() if name in wanted}

    def as_formula(self) -> Formula:
        """All concepts and all parts in one formula, which holds where any part does: for what looks at these only."""
        parts = tuple(dict.fromkeys(part for score in self.outputs for _, part in score.parts))
        return Formula(Or(parts) if parts else FALSE, self.concepts, self.attributes, self.target)

    def known(self, rows: Codes) -> dict[str, Truth]:
        """Where every concept holds or certainly fails, by name."""
        found = truths(Formula(FALSE, self.concepts, self.attributes, self.target), rows)
        del found[self.target]
        return found

    def margins(self, rows: Codes) -> Margins:
        """By how much every class exceeds its need in every row: shape (n_rows, n_classes)."""
        known, held = self.known(rows), dict[Expression, NDArray[np.bool_]]()
        found = np.zeros((len(rows), len(self.outputs)), dtype=np.int64)
        for k, score in enumerate(self.outputs):
            found[:, k] -= score.need
            for points, part in score.parts:
                if part not in held:
                    held[part] = truth_of(part, rows, known).true
                found[:, k] += points * held[part]
        return found

    def decide(self, rows: Codes, abstain: bool = False) -> NDArray[np.object_]:
        """The label of every row: the largest margin, of equal ones the first.

        If it may ``abstain``, it is None where several classes reach their need, or none does.
        """
        labels, margins = np.empty(len(self.outputs), dtype=object), self.margins(rows)
        labels[:] = self.labels
        found: NDArray[np.object_] = labels[margins.argmax(axis=1)]
        if abstain:
            found[(margins >= 0).sum(axis=1) != 1] = None
        return found

    def rename(self, names: Mapping[str, str]) -> "Decision":
        """The same decision with other names of concepts; the target may be renamed too."""
        formula = self.as_formula().rename(names)
        outputs = tuple(_renamed(score, names) for score in self.outputs)
        return Decision(outputs, formula.concepts, self.attributes, formula.target)

    def __str__(self) -> str:
        from rulenet.formulas.export.decisions.text import to_text  # print(decision) reads well

        return to_text(self)


def decision_of(
    graph: Graph,
    parts: Sequence[Iterable[int]],
    needs: Sequence[int],
    labels: Sequence[Hashable],
    target: str,
    names: Mapping[int, str] | None = None,
) -> Decision:
    """The decision whose classes count ``parts``, nodes of a graph."""
    taken = {target, *(f"{target} = {label}" for label in labels)}
    root = graph.bundle([graph.bundle(inner) for inner in parts])
    said, concepts = graph.bundled(root, taken, names)
    scores = (Score.of(label, need, inner) for label, need, inner in zip(labels, needs, said, strict=True))
    return Decision(tuple(scores), concepts, graph.attributes, target)


def simplify_decision(decision: Decision) -> Decision:
    """The same decision with concepts and parts simplified, without NOT; all margins stay what they are.

    >>> from rulenet.formulas.expressions import Not
    >>> a = Attribute("a", kind="numeric", cuts=(1, 2))
    >>> score = Score("x", 1, ((1, Not(a.above(1))), (1, And((a.above(1), a.at_most(2))))))
    >>> [str(part) for _, part in simplify_decision(Decision((score, Score("y", 0)), {}, (a,))).outputs[0].parts]
    ['a <= 1', '1 < a <= 2']
    """
    graph = Graph(decision.attributes)
    nodes, parts = add_parts(graph, decision)
    names = graph.concept_names(decision.as_formula(), nodes)
    needs = [score.need for score in decision.outputs]
    return decision_of(graph, parts, needs, decision.labels, decision.target, names)


def add_parts(graph: Graph, decision: Decision) -> tuple[dict[str, int], list[list[int]]]:
    """The nodes of all concepts by name, and those of the parts of every class, each as often as it counts."""
    numbered = {(k, j): part for k, s in enumerate(decision.outputs) for j, (_, part) in enumerate(s.parts)}
    made = {key: f"{decision.target} {key}" for key in numbered}  # names for what has none, in this formula only
    while set(made.values()) & {*decision.concepts, decision.target}:
        made = {key: f" {name}" for key, name in made.items()}
    extended = {**decision.concepts, **{made[key]: part for key, part in numbered.items()}}
    nodes = graph.add(Formula(FALSE, extended, decision.attributes, decision.target))
    parts = [
        [nodes[made[k, j]] for j, (points, _) in enumerate(s.parts) for _ in range(points)]
        for k, s in enumerate(decision.outputs)
    ]
    return {name: node for name, node in nodes.items() if name in decision.concepts or name == decision.target}, parts


def _renamed(score: Score, names: Mapping[str, str]) -> Score:
    def leaf(x: Condition | Constant | Concept) -> Expression:
        return Concept(names.get(x.name, x.name)) if isinstance(x, Concept) else x

    return replace(score, parts=tuple((points, rebuild(part, leaf)) for points, part in score.parts))


def _check(decision: Decision) -> None:
    if not decision.outputs:
        raise FormulaError("a decision needs at least one class, but no scores were given")
    if len(set(decision.labels)) < len(decision.labels):
        raise FormulaError(f"the classes are {list(decision.labels)}, but must all differ")
    for score in decision.outputs:
        if any(points < 1 for points, _ in score.parts):
            raise FormulaError(
                f"{decision.name(score.label)!r} counts a part {min(score.parts)[0]} times; leave it out"
            )
    for name in decision.reserved:
        if name in decision.concepts:
            raise FormulaError(f"{name!r} names both a class and a concept; rename one")
    decision.as_formula()  # which checks all expressions
