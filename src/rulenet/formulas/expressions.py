"""Formulas: conditions joined by AND, OR, AT LEAST and NOT, with named intermediate concepts.

Truth follows Kleene's strong three-valued logic, as SQL does. A condition is unknown in a row whose attribute is
missing or has a value that no cell holds, unless it asks for missing values; NOT of unknown is unknown, and a formula
holds in a row if it is *certainly* true there. Formulas without NOT therefore hold exactly where the network they come
from fires.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Concept:
    """A reference to a concept of the formula, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Not:
    """Certainly false: unknown stays unknown."""

    part: "Expression"


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``need`` of the parts hold; a part that stands there twice counts twice."""

    need: int
    parts: tuple["Expression", ...]


Compound: TypeAlias = And | Or | AtLeast
Expression: TypeAlias = Condition | Constant | Concept | Not | And | Or | AtLeast

Leaf: TypeAlias = Callable[[Condition | Constant | Concept], Expression]

TRUE, FALSE = Constant(True), Constant(False)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression; none for conditions, constants and references."""
    match expression:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            return parts
        case Not(part):
            return (part,)
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, depth first; references are not followed."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(parts_of(node)))


@dataclass(frozen=True, slots=True)
class Formula:
    """When the target holds: an expression, and the concepts that it names.

    Parameters
    ----------
    output : expression
        What the target means.
    concepts : mapping from name to expression
        Intermediate concepts, each defined only by those before it.
    attributes : sequence of Attribute
        The attributes that rows have, also those that the formula does not mention.
    target : str
        The name of what is described.

    Examples
    --------
    >>> colour, size = Attribute("colour", ("blue", "red")), Attribute("size", ("big", "small"))
    >>> red, big = colour.equal("red"), size.equal("big")
    >>> formula = Formula(And((red, Concept("c1"))), {"c1": Or((red, big))}, (colour, size))
    >>> formula.definition("c1") == Or((red, big))
    True
    """

    output: Expression
    concepts: Mapping[str, Expression]
    attributes: tuple[Attribute, ...]
    target: str = "positive"

    def __post_init__(self) -> None:
        object.__setattr__(self, "concepts", dict(self.concepts))
        object.__setattr__(self, "attributes", tuple(self.attributes))
        _check(self)

    def __hash__(self) -> int:
        return hash((self.output, tuple(self.concepts.items()), self.attributes, self.target))

    def definition(self, name: str) -> Expression:
        """What concept ``name`` means."""
        if name not in self.concepts:
            raise FormulaError(f"no concept is called {name!r}; the concepts are {list(self.concepts)}")
        return self.concepts[name]

    @property
    def definitions(self) -> tuple[tuple[str, Expression], ...]:
        """Every concept with its meaning, then the target with its own."""
        return (*self.concepts.items(), (self.target, self.output))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The distinct conditions in the formula, in order of attribute and cells."""
        found = {x for _, e in self.definitions for x in walk(e) if isinstance(x, Condition)}
        place = {a.name: i for i, a in enumerate(self.attributes)}
        return tuple(sorted(found, key=lambda x: (place[x.attribute.name], x.sort_key)))

    def rename(self, names: Mapping[str, str]) -> "Formula":
        """The same formula with other concept names; the target may be renamed too.

        >>> a = Attribute("a", (0, 1)).equal(1)
        >>> print(Formula(Concept("c1"), {"c1": a}, (a.attribute,)).rename({"c1": "lit"}).output)
        Concept(name='lit')
        """
        for name in names:
            if name != self.target:
                self.definition(name)
        new = [names.get(name, name) for name in self.concepts]
        if len(set(new)) < len(new):
            raise FormulaError(f"renaming to {list(names.values())} gives two concepts one name; names must differ")

        def renamed(expression: Expression) -> Expression:
            return rebuild(expression, lambda x: Concept(names.get(x.name, x.name)) if isinstance(x, Concept) else x)

        concepts = {n: renamed(e) for n, e in zip(new, self.concepts.values(), strict=True)}
        target = names.get(self.target, self.target)
        return replace(self, output=renamed(self.output), concepts=concepts, target=target)

    def __str__(self) -> str:
        from rulenet.formulas.export.text import to_text  # the one look upwards: print(formula) reads well

        return to_text(self)


def rebuild(expression: Expression, leaf: Leaf) -> Expression:
    """The expression with every condition, constant and reference replaced by ``leaf`` of it."""
    match expression:
        case And(parts):
            return And(tuple(rebuild(p, leaf) for p in parts))
        case Or(parts):
            return Or(tuple(rebuild(p, leaf) for p in parts))
        case AtLeast(need, parts):
            return AtLeast(need, tuple(rebuild(p, leaf) for p in parts))
        case Not(part):
            return Not(rebuild(part, leaf))
        case _:
            return leaf(expression)


def _check(formula: Formula) -> None:
    names = [a.name for a in formula.attributes]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise FormulaError(f"two attributes are called {twice!r}; give the columns different names")
    for attribute in formula.attributes:
        if len(set(attribute.values)) < len(attribute.values):  # True == 1
            raise FormulaError(f"column {attribute.name!r} has values that Python holds equal; convert it to text")
    if formula.target in formula.concepts:
        raise FormulaError(f"{formula.target!r} names both the target and a concept; rename one")
    attributes, defined = set(formula.attributes), set[str]()
    for name, expression in formula.definitions:
        if not isinstance(name, str) or not name.strip():
            raise FormulaError(f"a concept is called {name!r}; a name needs at least one visible character")
        for node in walk(expression):
            if isinstance(node, And | Or | AtLeast) and not node.parts:
                raise FormulaError(f"{name!r} has a gate without parts; say TRUE or FALSE instead")
            if isinstance(node, AtLeast) and not 1 <= node.need <= len(node.parts):
                raise FormulaError(f"{name!r} needs {node.need} of {len(node.parts)} parts; say TRUE or FALSE instead")
            if isinstance(node, Concept) and node.name not in defined:
                raise FormulaError(f"{name!r} uses concept {node.name!r}, which is not defined before it")
            if isinstance(node, Condition) and node.attribute not in attributes:
                raise FormulaError(f"{name!r} uses {node}, whose attribute is not among the formula's attributes")
        defined.add(name)
