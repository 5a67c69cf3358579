"""Plain text for people: what the target and the concepts mean."""

from collections.abc import Iterable, Iterator

from rulenet.conditions import Condition
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.reading import gate_words, points
from rulenet.formulas.expressions import And, AtLeast, Constant, Expression, Formula, Gate, Or, parts_of

MAX_LINE = 80


def to_text(formula: Formula) -> str:
    """The formula in words: "positive if ..., where c1 means ...".

    >>> from rulenet.conditions import Attribute
    >>> a, age = Attribute("a", (0, 1, 2)), Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(to_text(Formula(And((~a.equal(2), age.between(20, 37.5))), {}, (a, age))))
    positive if a != 2 and 20 < age <= 37.5
    >>> print(to_text(Formula(AtLeast(2, (a.equal(0), a.equal(1), a.equal(1), age.above(20))), {}, (a, age))))
    positive if at least 2 points of
        a = 0
        2 x a = 1
        age > 20
    """
    blocks = [block(f"{formula.target} if", formula.output)]
    blocks += [block(f"where {name} means", meaning) for name, meaning in reversed([*formula.concepts.items()])]
    return "\n".join(blocks)


def summarise(formula: Formula) -> str:
    """How much `to_text` has to say: rules, one for every alternative of the target and of a concept, and conditions.

    >>> from rulenet.conditions import Attribute
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> summarise(Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute)))
    '1 rule with 3 conditions'
    """
    n_rules = sum(len(e.parts) if isinstance(e, Or) else 1 for _, e in formula.definitions)
    n_conditions = sum(_count_conditions(e) for _, e in formula.definitions)
    said = f"{_number(n_rules, 'rule')} with {_number(n_conditions, 'condition')}"
    return f"{said} and {_number(len(formula.concepts), 'named concept')}" if formula.concepts else said


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _count_conditions(expression: Expression) -> int:
    """Conditions as they are written: one that counts twice stands there once."""
    if isinstance(expression, Condition):
        return 1
    parts = [p for _, p in points(expression.parts)] if isinstance(expression, AtLeast) else parts_of(expression)
    return sum(map(_count_conditions, parts))


def words(expression: Expression) -> str:
    """One expression on one line.

    >>> from rulenet.formulas.expressions import Concept, Not
    >>> print(words(Or((Concept("c1"), Not(Concept("c2"))))), words(AtLeast(2, tuple(map(Concept, "abc")))), sep=" · ")
    c1 or not c2 · at least 2 of (a, b, c)
    """
    return ENGLISH.text(expression)


def listed(gate: Gate) -> Iterator[str]:
    """The parts of a gate, each on one line, with the points that it counts."""
    return counted(points(gate.parts) if isinstance(gate, AtLeast) else [(1, p) for p in gate.parts])


def counted(parts: Iterable[tuple[int, Expression]]) -> Iterator[str]:
    """Parts, each on one line, with its points."""
    for times, part in parts:
        yield f"{times} x {ENGLISH.inside(ENGLISH.write(part), 'count')}" if times > 1 else words(part)


def block(head: str, expression: Expression) -> str:
    """An expression after some words, its parts on lines of their own where they are alternatives or long."""
    if isinstance(expression, Or | AtLeast) or (isinstance(expression, And) and len(words(expression)) > MAX_LINE):
        return "\n    ".join([f"{head} {gate_words(expression)}", *listed(expression)])
    if isinstance(expression, Constant):
        return f"{head} {'always' if expression.value else 'never'}"
    return f"{head} {words(expression)}"


class _English(Infix):
    and_word, or_word = " and ", " or "

    def condition(self, condition: Condition) -> Written:
        return Written(str(condition), "" if condition.is_simple else "or")

    def concept(self, name: str) -> str:
        return name

    def constant(self, value: bool) -> str:
        return "true" if value else "false"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        gate = AtLeast(need, parts)
        return Written(f"{gate_words(gate)} ({', '.join(listed(gate))})")

    def negated(self, part: Written) -> Written:
        return Written(f"not ({part.text})" if part.join else f"not {part.text}")


ENGLISH = _English()
