"""A search around what an expert has locked or forbidden, as a search for another problem.

A locked concept becomes one more input: the search may use it but cannot change it. A locked rule stays in the output,
so the rows that it covers are settled and weigh nothing. A forbidden condition is no input. `Around.apply` gives that
problem, and `Around.invert` carries what was found there back. Any search and any start can work on it.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import ParameterError
from rulenet.formulas.decision import Decision
from rulenet.formulas.edit import rules
from rulenet.formulas.expressions import FALSE, Concept, Expression, Formula, Or, walk
from rulenet.formulas.from_network import decision_from_network, from_network
from rulenet.formulas.graph import simplify
from rulenet.formulas.to_network import to_network
from rulenet.network import Gate, Network
from rulenet.relations import Relations, relations_of
from rulenet.search.locks import Lock
from rulenet.search.problem import Problem, Source
from rulenet.search.protocol import Found, Init, Report, Search, Shapes, be_silent

NOT_EQUAL = "!="


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search must keep, by names of concepts and numbers of rules, and what it must not use."""

    concepts: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    forbidden: tuple[str | Condition, ...] = ()

    @classmethod
    def of(cls, lock: Iterable[str | int] = (), forbid: Iterable[str | Condition] = ()) -> Self:
        """The limits of concepts and rules to lock, and columns and conditions to forbid.

        A condition is given as an object or as it reads, a column by its name; "!=" stands for all that read so.
        """
        lock, forbid = _listed("lock", lock), _listed("forbid", forbid)
        for x in lock:
            if isinstance(x, bool) or not isinstance(x, str | Integral):
                raise ParameterError(f"lock has {x!r}, but takes names of concepts and numbers of rules")
        for x in forbid:
            if not isinstance(x, str | Condition):
                raise ParameterError(f"forbid has {x!r}, but takes names of columns, conditions and '!='")
        return cls(
            tuple(dict.fromkeys(x for x in lock if isinstance(x, str))),
            tuple(dict.fromkeys(int(x) for x in lock if not isinstance(x, str))),
            forbid,
        )

    def allowed(self, conditions: Sequence[Condition]) -> NDArray[np.int64]:
        """The places of the conditions that a search may use.

        >>> shape = Attribute("shape", ("disc", "ring", "star"))
        >>> conditions = [shape.equal("disc"), shape.equal("ring"), ~shape.equal("star")]
        >>> Limits.of(forbid=["shape = disc", "!="]).allowed(conditions)
        array([1])
        """
        forbidden = {place for x in self.forbidden for place in _places(x, conditions)}
        return np.array([j for j in range(len(conditions)) if j not in forbidden], dtype=np.int64)


@dataclass(frozen=True)
class Around:
    """The reduction: from a problem over ``conditions``, and a formula to keep parts of, to a problem without them."""

    formula: Formula | Decision
    conditions: tuple[Condition, ...]
    limits: Limits
    staying: tuple[Expression, ...] = ()  # rules that stay besides those that the limits number

    @cached_property
    def base(self) -> Formula:
        """The formula, or that of all concepts of a decision."""
        return self.formula.as_formula() if isinstance(self.formula, Decision) else self.formula

    @cached_property
    def kept(self) -> NDArray[np.int64]:
        """The places of the conditions that are inputs."""
        kept = self.limits.allowed(self.conditions)
        if not len(kept) and not self.limits.concepts:
            raise ParameterError("everything is forbidden, so nothing is left to learn from; allow some conditions")
        return kept

    @property
    def forbidden(self) -> frozenset[Condition]:
        """The conditions that the result may not read: those that are no inputs, nor in what is locked."""
        left, kept = [*self.locked, *map(Concept, self.limits.concepts)], set[Expression]()
        while left:
            parts = set(walk(left.pop())) - kept
            kept |= parts
            left += [self.base.definition(x.name) for x in parts if isinstance(x, Concept)]
        return frozenset(self.conditions) - {self.conditions[j] for j in self.kept} - kept

    @cached_property
    def locked(self) -> tuple[Expression, ...]:
        """The rules that stay."""
        if isinstance(self.formula, Decision):
            if self.limits.rules:
                number = self.limits.rules[0]
                raise ParameterError(f"rule {number} cannot be locked: classes count points; lock concepts by name")
            return ()
        known = rules(self.formula)
        for number in self.limits.rules:
            if not 1 <= number <= len(known):
                raise ParameterError(f"rule {number} cannot be locked; the formula has rules 1 to {len(known)}")
        return tuple(dict.fromkeys((*self.staying, *(known[number - 1] for number in self.limits.rules))))

    @property
    def locks(self) -> tuple[Lock, ...]:
        """What is locked, for a search later on."""
        concepts = (Lock.of(self.base, self.base.definition(name), name) for name in self.limits.concepts)
        return (*concepts, *(Lock.of(self.base, rule) for rule in self.locked))

    @property
    def inputs(self) -> tuple[Condition, ...]:
        """What the literals of the new problem stand for; a concept stands for a column of its own, which holds it."""
        concepts = (Attribute(name, (False, True)).equal(True) for name in self.limits.concepts)
        return (*(self.conditions[j] for j in self.kept), *concepts)

    def apply(self, problem: Problem) -> Problem:
        """The problem to search; it may be settled, so that no row has a weight."""
        networks = tuple(self._network(self.base.definition(name)) for name in self.limits.concepts)
        source = Source(problem.literals, problem.relations, self.kept, networks)
        planes = problem.planes
        for rule in self.locked:
            planes = planes & ~self._network(rule).evaluate(problem.literals)
        relations = _writable(relations_of(self.inputs))
        return Problem(source.derive(problem.literals), problem.target, planes, relations, problem.n_rows, source)

    def invert(self, network: Network) -> Formula | Decision:
        """The formula of a network found for the new problem, with what is locked."""
        named, concepts = self.base, [Concept(name) for name in self.limits.concepts]
        inputs = [*(self.conditions[j] for j in self.kept), *concepts]
        if isinstance(self.formula, Decision):
            return decision_from_network(
                network,
                inputs,
                self.formula.labels,
                target=named.target,
                attributes=named.attributes,
                named=replace(named, output=FALSE, concepts=self.formula.concepts_under(*self.limits.concepts)),
            )
        learned = from_network(network, inputs, target=named.target, attributes=named.attributes, named=named)
        return self._joined(learned)

    @property
    def settled(self) -> Formula | Decision:
        """The formula of nothing but what is locked."""
        assert isinstance(self.formula, Formula)
        return self._joined(Formula(FALSE, {}, self.formula.attributes, self.formula.target))

    def _network(self, expression: Expression) -> Network:
        """The network of a part of the formula, over the literals of the table."""
        part = replace(self.base, output=expression)
        return to_network(part, self.conditions)

    def _joined(self, learned: Formula) -> Formula:
        assert isinstance(self.formula, Formula)
        fresh = {name: meaning for name, meaning in learned.concepts.items() if name not in self.formula.concepts}
        output = Or((*self.locked, learned.output)) if self.locked else learned.output
        return simplify(replace(self.formula, output=output, concepts={**self.formula.concepts, **fresh}))


def search_around(
    search: Search,
    init: Init,
    problem: Problem,
    around: Around,
    shapes: Shapes,
    gates: Sequence[Gate],
    seed: int,
    n_jobs: int | None = None,
    report: Report = be_silent,
) -> tuple[Formula | Decision, tuple[float, ...]]:
    """A formula that keeps to the limits, and the accuracy on the rows not settled by locked rules as it grew."""
    inner = around.apply(problem)
    if not inner.total_weight:
        return around.settled, (1.0,)
    start = init.start_for(inner, around.inputs, shapes, gates)
    found: Found = search.search(inner, start, seed, n_jobs, report)
    return around.invert(found.network), found.history


def _listed(name: str, values: Iterable[object]) -> tuple:  # type: ignore[type-arg]
    if isinstance(values, str | Condition):
        raise ParameterError(f"{name} is {values!r}, but must be a list; write [{values!r}]")
    return tuple(values)


def _places(forbidden: str | Condition, conditions: Sequence[Condition]) -> list[int]:
    """The places of the conditions that are meant."""
    found = [j for j, condition in enumerate(conditions) if _is_meant(forbidden, condition)]
    if not found and forbidden != NOT_EQUAL:
        columns = [str(attribute.name) for attribute in dict.fromkeys(x.attribute for x in conditions)]
        raise ParameterError(
            f"forbid has {str(forbidden)!r}, which is neither a column nor a condition that a search could use; the "
            f"columns are {columns}, and conditions read like {str(conditions[0])!r}"
        )
    return found


def _is_meant(forbidden: str | Condition, condition: Condition) -> bool:
    """Whether a condition, or a part of what it says, is forbidden."""
    if any(_is_meant(forbidden, part) for part in condition.parts):
        return True
    if isinstance(forbidden, Condition):
        return condition == forbidden
    if forbidden == NOT_EQUAL:
        return str(condition).startswith(f"{condition.attribute.name} != ")
    return forbidden == condition.attribute.name or _plainly(forbidden.replace("==", "=")) in _readings(condition)


def _readings(condition: Condition) -> set[str]:
    """How a condition reads; one of two values also as not the other one."""
    name, others = condition.attribute.name, condition.others
    denials: list[Hashable] = [others[0]] if len(others) == 1 else []
    return {_plainly(str(condition)), *(_plainly(f"{name} != {value}") for value in denials)}


def _plainly(text: str) -> str:
    return " ".join(text.split())


def _writable(relations: Relations) -> Relations:
    return Relations(*(np.array(array, dtype=np.int64) for array in relations))
