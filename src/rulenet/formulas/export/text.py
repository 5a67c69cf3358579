"""Plain text for people: what the target and the concepts mean."""

from collections.abc import Iterator, Sequence

from rulenet.conditions import Condition
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.reading import gate_words, points
from rulenet.formulas.export.steps import Part, Steps, in_points, steps_of
from rulenet.formulas.expressions import And, AtLeast, Compound, Constant, Expression, Formula, Or, parts_of

MAX_LINE = 80


def to_text(formula: Formula) -> str:
    """The formula in words: "positive if ..., where c1 means ...".

    >>> from rulenet.conditions import Attribute
    >>> a, age = Attribute("a", (0, 1, 2)), Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(to_text(Formula(And((~a.equal(2), age.between(20, 37.5))), {}, (a, age))))
    positive if a != 2 and 20 < age <= 37.5
    >>> print(to_text(Formula(AtLeast(2, (a.equal(0), a.equal(1), a.equal(1), age.above(20))), {}, (a, age))))
    positive if at least 2 points of
        2 if a = 1, else 1 if = 0
        1 if age > 20
    """
    blocks = [block(f"{formula.target} if", formula.output)]
    blocks += [block(f"where {name} means", meaning) for name, meaning in reversed([*formula.concepts.items()])]
    return "\n".join(blocks)


def summarise(formula: Formula) -> str:
    """How much `to_text` has to say: rules, one for every alternative of the target and of a concept, and conditions.

    A count has no rules: what it says is how many points are needed, and of how many different conditions.

    >>> from rulenet.conditions import Attribute
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> summarise(Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute)))
    '1 rule with 3 conditions'
    >>> summarise(Formula(AtLeast(2, (a, b, b, c)), {}, (a.attribute, b.attribute, c.attribute)))
    'at least 2 points of 3 different conditions'
    """
    if isinstance(formula.output, AtLeast):
        n_conditions = len({x for _, e in formula.definitions for x in _conditions(e)})
        said = f"{list_words(formula.output)} {number(n_conditions, 'different condition')}"
        return _with_concepts(said, formula)
    n_rules = sum(len(e.parts) if isinstance(e, Or) else 1 for _, e in formula.definitions)
    n_conditions = sum(len(_conditions(e)) for _, e in formula.definitions)
    said = f"{number(n_rules, 'rule')} with {number(n_conditions, 'condition')}"
    return _with_concepts(said, formula)


def _with_concepts(said: str, formula: Formula) -> str:
    return f"{said} and {number(len(formula.concepts), 'named concept')}" if formula.concepts else said


def number(n: int, noun: str) -> str:
    """A noun with its number."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _conditions(expression: Expression) -> list[Condition]:
    """Conditions as they are written: one that counts twice stands there once."""
    if isinstance(expression, Condition):
        return [expression]
    parts = [p for _, p in points(expression.parts)] if isinstance(expression, AtLeast) else parts_of(expression)
    return [condition for part in parts for condition in _conditions(part)]


def words(expression: Expression) -> str:
    """One expression on one line.

    >>> from rulenet.formulas.expressions import Concept, Not
    >>> print(words(Or((Concept("c1"), Not(Concept("c2"))))), words(AtLeast(2, tuple(map(Concept, "abc")))), sep=" · ")
    c1 or not c2 · at least 2 of (a, b, c)
    """
    return ENGLISH.text(expression)


def listed(gate: Compound) -> Iterator[str]:
    """The parts of a gate, each on one line; of a count that gives points, as steps."""
    return counted(points(gate.parts)) if isinstance(gate, AtLeast) else map(words, gate.parts)


def counted(parts: Sequence[Part]) -> Iterator[str]:
    """Parts, each on one line, those of one column together; with their points, where they differ.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import Concept
    >>> age = Attribute("age", kind="numeric", cuts=(20, 60))
    >>> [*counted([(1, Concept("c1")), (1, age.above(20)), (2, age.above(60))])]
    ['3 if age > 60, else 1 if > 20', '1 if c1']
    """
    return map(step_words if in_points(parts) else _alone, steps_of(parts))


def step_words(steps: Steps) -> str:
    """Steps on one line: later ones leave out the name of the column where that reads well."""
    (first, part), *rest = steps
    return ", else ".join([f"{first} if {words(part)}", *(f"{n} if {_without_name(x)}" for n, x in rest)])


def _alone(steps: Steps) -> str:
    return words(steps[0][1])


def _without_name(expression: Expression) -> str:
    text = words(expression)
    simple = isinstance(expression, Condition) and expression.is_simple
    return text.removeprefix(f"{expression.attribute.name} ") if simple else text  # type: ignore[union-attr]


def inline(gate: AtLeast) -> Iterator[str]:
    """The parts of a count as they stand within a line."""
    for times, part in points(gate.parts):
        yield f"{times} x {ENGLISH.inside(ENGLISH.write(part), 'count')}" if times > 1 else words(part)


def list_words(gate: Compound) -> str:
    """What a gate asks of the parts as `listed` gives them."""
    if not isinstance(gate, AtLeast):
        return gate_words(gate)
    parts = points(gate.parts)
    if in_points(parts):
        return f"at least {gate.need} points of"
    merged = tuple(steps[0][1] for steps in steps_of(parts))
    return gate_words(AtLeast(gate.need, merged)) if gate.need < len(merged) else f"at least {gate.need} of"


def block(head: str, expression: Expression) -> str:
    """An expression after some words, its parts on lines of their own where they are alternatives or long."""
    if isinstance(expression, Or | AtLeast) or (isinstance(expression, And) and len(words(expression)) > MAX_LINE):
        return "\n    ".join([f"{head} {list_words(expression)}", *listed(expression)])
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
        return Written(f"{gate_words(gate)} ({', '.join(inline(gate))})")

    def negated(self, part: Written) -> Written:
        return Written(f"not ({part.text})" if part.join else f"not {part.text}")


ENGLISH = _English()
