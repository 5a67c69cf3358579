"""A search around what an expert has locked or forbidden, for any search.

A locked concept becomes one more input: the search may use it but cannot change it. A locked rule stays in the output,
so the rows that it covers are settled and weigh nothing. A forbidden literal is no input.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import ParameterError
from rulenet.formulas.edit import rules
from rulenet.formulas.expressions import FALSE, Concept, Expression, Formula, Or
from rulenet.formulas.from_network import from_network
from rulenet.formulas.graph import simplify
from rulenet.formulas.to_network import to_network
from rulenet.literals import Literal
from rulenet.network import Network
from rulenet.training.problem import Problem
from rulenet.training.search import Report, Search, be_silent

StartFor = Callable[[NDArray[np.int64], int], Network]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search must keep, and what it must not use."""

    concepts: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    forbidden: frozenset[Literal] = frozenset()
    not_equal: bool = True

    @classmethod
    def of(cls, lock: Iterable[str | int], forbid: Iterable[Literal | OneOf["!="]]) -> Self:
        """The limits of names and numbers to lock, and literals to forbid; "!=" forbids all that say so."""
        lock, forbid = tuple(lock), tuple(forbid)
        return cls(
            tuple(x for x in lock if isinstance(x, str)),
            tuple(x for x in lock if not isinstance(x, str)),
            frozenset(x for x in forbid if isinstance(x, Literal)),
            "!=" not in forbid,
        )

    def allows(self, literal: Literal) -> bool:
        """Whether the search may use ``literal``."""
        return literal not in self.forbidden and (self.not_equal or literal.operator == "==")


def search_around(
    search: Search,
    start: StartFor,
    problem: Problem,
    literals: Sequence[Literal],
    formula: Formula,
    limits: Limits,
    seed: int,
    n_jobs: int | None = None,
    report: Report = be_silent,
) -> tuple[Formula, tuple[float, ...]]:
    """A formula that keeps to ``limits``, and the accuracy on the rows not settled by locked rules as it grew."""
    locked = _locked_rules(formula, limits.rules)
    for name in limits.concepts:
        formula.definition(name)
    inputs, inner = _inner_problem(problem, literals, formula, limits, locked)
    if not inner.total_weight:
        return _joined(formula, locked, Formula(FALSE, {}, formula.attributes, formula.target)), (1.0,)
    found = search.search(inner, lambda s: start(inner.groups, s), seed, n_jobs, report)
    learned = from_network(found.network, inputs, target=formula.target, attributes=formula.attributes, named=formula)
    return _joined(formula, locked, learned), found.history


def _locked_rules(formula: Formula, numbers: tuple[int, ...]) -> tuple[Expression, ...]:
    known = rules(formula)
    for number in numbers:
        if not 1 <= number <= len(known):
            raise ParameterError(f"rule {number} cannot be locked; the formula has rules 1 to {len(known)}")
    return tuple(known[number - 1] for number in numbers)


def _inner_problem(
    problem: Problem,
    literals: Sequence[Literal],
    formula: Formula,
    limits: Limits,
    locked: tuple[Expression, ...],
) -> tuple[list[Literal | Concept], Problem]:
    def where(expression: Expression) -> NDArray[np.uint64]:
        part = Formula(expression, formula.concepts, formula.attributes, formula.target)
        return to_network(part, literals).evaluate(problem.literals)

    allowed = [i for i, literal in enumerate(literals) if limits.allows(literal)]
    concepts = [Concept(name) for name in limits.concepts]
    if not allowed and not concepts:
        raise ParameterError("everything is forbidden, so nothing is left to learn from; allow some literals")
    words = np.vstack([problem.literals[allowed], *(where(c)[np.newaxis] for c in concepts)])
    settled = np.bitwise_or.reduce([where(rule) for rule in locked]) if locked else np.uint64(0)
    groups = np.concatenate([_renumbered(problem.groups[allowed]), np.full(len(concepts), -1)])
    inputs: list[Literal | Concept] = [*(literals[i] for i in allowed), *concepts]
    return inputs, replace(problem, literals=words, planes=problem.planes & ~settled, groups=groups)


def _renumbered(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Group numbers without gaps."""
    new = {old: number for number, old in enumerate(dict.fromkeys(groups[groups >= 0].tolist()))}
    return np.array([new.get(g, -1) for g in groups.tolist()], dtype=np.int64)


def _joined(formula: Formula, locked: tuple[Expression, ...], learned: Formula) -> Formula:
    fresh = {name: meaning for name, meaning in learned.concepts.items() if name not in formula.concepts}
    output = Or((*locked, learned.output)) if locked else learned.output
    return simplify(replace(formula, output=output, concepts={**formula.concepts, **fresh}))
