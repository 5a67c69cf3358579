"""What is locked, with all that it says: concepts and rules of a formula may have other names and numbers later on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import Concept, Expression, Formula, rebuild, walk
from rulenet.formulas.graph import Graph
from rulenet.formulas.tidy import fresh_names

Said = Formula | Decision


@dataclass(frozen=True, slots=True)
class Lock:
    """A concept that keeps its meaning, or a rule that stays, which has no ``name``.

    ``meaning`` is a formula of nothing else.
    """

    meaning: Formula
    name: str = ""

    @classmethod
    def of(cls, formula: Formula, part: Expression, name: str = "") -> Self:
        """The lock on a part of a formula, with the concepts that it needs."""
        needed, concepts = _named_in(part), dict[str, Expression]()
        for concept in [*formula.concepts][::-1]:
            if concept in needed:
                needed |= _named_in(formula.concepts[concept])
        concepts = {concept: meaning for concept, meaning in formula.concepts.items() if concept in needed}
        return cls(replace(formula, output=part, concepts=concepts), name)

    def __str__(self) -> str:
        return self.name or "a rule"


def restored(said: Said, locks: Iterable[Lock]) -> tuple[Said, tuple[str, ...], tuple[Expression, ...]]:
    """What is said, with what is locked as concepts of it: their names, and the rules that stay."""
    concepts, rules = list[str](), list[Expression]()
    for lock in locks:
        names = dict[str, str]()
        for name, meaning in lock.meaning.concepts.items():
            said, names[name] = _with_concept(said, name, _renamed(meaning, names))
        part = _renamed(lock.meaning.output, names)
        if lock.name:
            said, name = _with_concept(said, lock.name, part)
            concepts.append(name)
        else:
            rules.append(part)
    return said, tuple(concepts), tuple(rules)


def _with_concept(said: Said, name: str, meaning: Expression) -> tuple[Said, str]:
    """What is said, with a concept of this meaning, and its name: another one where that name says something else."""
    nodes = Graph(said.attributes).add(Formula(meaning, said.concepts, said.attributes, said.target))
    alike = [concept for concept in said.concepts if nodes[concept] == nodes[said.target]]
    if alike:
        return said, name if name in alike else alike[0]
    taken = {said.target, *said.concepts}
    name = fresh_names(said.attributes, taken)() if name in taken else name
    return replace(said, concepts={**said.concepts, name: meaning}), name


def _named_in(expression: Expression) -> set[str]:
    return {x.name for x in walk(expression) if isinstance(x, Concept)}


def _renamed(expression: Expression, names: dict[str, str]) -> Expression:
    return rebuild(expression, lambda x: Concept(names[x.name]) if isinstance(x, Concept) else x)
