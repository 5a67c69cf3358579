"""How conditions and counts read: for machines as alternatives, for people with the shortest sign."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.decision import Score
from rulenet.formulas.export.steps import highest, in_points
from rulenet.formulas.expressions import And, AtLeast, Compound, Expression, Or
from rulenet.kinds import Range


class OneOf(NamedTuple):
    """That a nominal or ordinal attribute has one of some values."""

    values: tuple[Hashable, ...]


class Missing(NamedTuple):
    """That an attribute has no value."""


Alternative: TypeAlias = OneOf | Range | Missing


def alternatives(condition: Condition) -> tuple[Alternative, ...]:
    """What a condition is the OR of: values, ranges, missing; nothing if it never holds.

    A range without bounds means that the attribute has a value.

    >>> age, colour = Attribute("age", kind="numeric", cuts=(20, 30)), Attribute("colour", ("blue", "red", "green"))
    >>> alternatives(age.at_most(20) | age.is_missing)
    (Range(low=None, high=20), Missing())
    >>> alternatives(~colour.equal("red"))
    (OneOf(values=('blue', 'green')),)
    """
    found: list[Alternative] = []
    if condition.attribute.measured:
        found += condition.ranges
    elif condition.known_cells:
        found.append(OneOf(condition.members))
    return (*found, Missing()) if condition.asks_missing else tuple(found)


Sign = Literal["=", "!=", "in", "not in", "<=", ">", "within", "known", "missing", "never"]


class Reading(NamedTuple):
    """A comparison as people write it: a sign, and the values or bounds that it compares with."""

    sign: Sign
    values: tuple[Hashable, ...] = ()


def readings(condition: Condition) -> tuple[Reading, ...]:
    """What a condition is the OR of, as people read it; ``str(condition)`` says the same in words.

    >>> colour = Attribute("colour", ("blue", "red", "green", "black"))
    >>> readings(~colour.equal("red"))
    (Reading(sign='!=', values=('red',)),)
    """
    missing = (Reading("missing"),) if condition.asks_missing else ()
    if not condition.known_cells:
        return missing or (Reading("never"),)
    if condition.known_cells == condition.attribute.known:
        return (Reading("known"), *missing)
    found = _measured(condition) if condition.attribute.measured else (_listed(condition),)
    return (*found, *missing)


def is_proposition(attribute: Attribute) -> bool:
    """Whether an attribute is either False or True, so that its name alone says it."""
    return [*map(repr, attribute.values)] == ["False", "True"]


def _measured(condition: Condition) -> tuple[Reading, ...]:
    attribute, ranges, outside = condition.attribute, condition.ranges, (~condition).ranges
    if len(ranges) > 1 and len(outside) == 1 and (single := _single(attribute, outside[0])):
        return (Reading("!=", single),)
    return tuple(_range(attribute, run) for run in ranges)


def _range(attribute: Attribute, run: Range) -> Reading:
    if single := _single(attribute, run):
        return Reading("=", single)
    if run.low is None:
        return Reading("<=", (run.high,))
    return Reading(">", (run.low,)) if run.high is None else Reading("within", run)


def _single(attribute: Attribute, run: Range) -> tuple[Hashable, ...]:
    """The one whole number in a range, if there is one."""
    alone = attribute.whole and run.low is not None and run.high is not None and run.high - run.low == attribute.step
    return (run.high,) if alone else ()


def _listed(condition: Condition) -> Reading:
    attribute, inside, outside, runs = condition.attribute, condition.members, condition.others, condition.runs
    if len(inside) == 1:
        return Reading("=", inside)
    if attribute.kind == "ordinal" and len(runs) == 1:
        (first, after), values = runs[0], attribute.values
        if first == 0:
            return Reading("<=", (values[after - 1],))
        low = values[first - 1]
        return Reading(">", (low,)) if after == len(values) else Reading("within", (low, values[after - 1]))
    if len(outside) == 1:
        return Reading("!=", outside)
    return Reading("in", inside) if len(inside) <= len(outside) else Reading("not in", outside)


def points(parts: Sequence[Expression]) -> tuple[tuple[int, Expression], ...]:
    """The distinct parts of a count, each with how often it counts."""
    return tuple((times, part) for part, times in Counter(parts).items())


def gate_words(gate: Compound) -> str:
    """What a gate asks of its parts, in words.

    >>> from rulenet.formulas.expressions import Concept
    >>> a, b, c, d = map(Concept, "abcd")
    >>> for gate in (And((a, b)), Or((a, b)), AtLeast(2, (a, b, c)), AtLeast(3, (a, b, c, d)), AtLeast(2, (a, a, b))):
    ...     print(gate_words(gate))
    all of
    any of
    at least 2 of
    all but at most 1 of
    at least 2 points of
    """
    match gate:
        case And():
            return "all of"
        case Or():
            return "any of"
        case AtLeast(need, parts):
            if len(set(parts)) < len(parts):
                return f"at least {need} points of"
            spare = len(parts) - need
            return f"all but at most {spare} of" if 2 * spare < need else f"at least {need} of"


def score_words(score: Score) -> str:
    """What a class needs of its parts, in words.

    >>> from rulenet.formulas.expressions import Concept
    >>> a, b = map(Concept, "ab")
    >>> for score in (Score("x", 2, ((1, a), (1, b))), Score("x", 3, ((2, a), (1, b))), Score("x", -1, ((1, a),))):
    ...     print(score_words(score))
    needs 2 of
    needs 3 points of
    is 1 ahead, and more by
    >>> print(score_words(Score("x", 4, ((2, a), (1, b)))))
    is 4 behind, and catches up by
    """
    if not score.parts:
        return f"is always {-score.need} ahead" if score.need <= 0 else f"is always {score.need} behind"
    if score.need < 0:
        return f"is {-score.need} ahead, and more by"
    points = "points " if in_points(score.parts) else ""
    if highest(score.parts) < score.need:
        return f"is {score.need} behind, and catches up by"
    return f"needs {score.need} {'point ' if points and score.need == 1 else points}of"
