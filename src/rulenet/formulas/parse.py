"""Rules typed as text, in the words that formulas are printed in.

    age <= 30 and sex = f
    20 < age <= 37.5 or colour in {red, blue}
    not c1 and (size != L or size is missing)
    at least 2 of (age > 60, 2 x smokes = yes, c1)          all but at most 1 of (...)          any of (...)

Names and values that are known may stand as they are, also with spaces in them; in quotes, "so", anything may. A cut
that a column does not have yet is added to it.
"""

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import floor, inf, nextafter

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.comparisons import plain_value, with_cut
from rulenet.formulas.expressions import FALSE, TRUE, And, AtLeast, Concept, Expression, Formula, Not, Or, rebuild
from rulenet.formulas.parse_values import BARE, QUOTED, duration_of, unquoted
from rulenet.kinds import Bound
from rulenet.nearest import nearest

SIGNS = ("<=", ">=", "!=", "==", "=", "<", ">")
SIGN = re.compile(r"\s*(<=|>=|!=|==|=|<|>)\s*")
STATE = re.compile(r"\s+is\s+(missing|known|anything|impossible)\b", re.IGNORECASE)
LISTED = re.compile(r"\s+(not\s+in|in)\s*\{\s*", re.IGNORECASE)
COUNT = re.compile(r"(?:at\s+least\s+(\d+)(?:\s+points?)?|all\s+but\s+at\s+most\s+(\d+)|(any)|(all))\s+of\s*\(", re.I)
TIMES = re.compile(r"(\d+)\s*x\s+")
END = re.compile(r"\s*(?:$|[),}]|(?:and|or)\b)", re.IGNORECASE)
CONSTANTS = {"true": TRUE, "always": TRUE, "false": FALSE, "never": FALSE}


def parse(formula: Formula, text: str) -> tuple[Formula, Expression]:
    """What ``text`` says of the formula's columns and concepts, and the formula with the cuts that this needs.

    Errors show the text and point at the place.

    >>> age, sex = Attribute("age", kind="numeric", cuts=(20,)), Attribute("sex", ("f", "m"))
    >>> formula, rule = parse(Formula(FALSE, {}, (age, sex)), "age <= 30 and sex = f")
    >>> formula.attributes[0].cuts, [str(x) for x in rule.parts]
    ((20, 30), ['age <= 30', 'sex = f'])
    >>> parse(formula, "age <= 30 and sez = f")
    Traceback (most recent call last):
    rulenet.exceptions.FormulaError: no column and no concept is called 'sez'; did you mean 'sex'?
        age <= 30 and sez = f
                      ^
    """
    wanted: list[tuple[str, Bound]] = []
    _Reader(formula, text, wanted).whole()
    for column, bound in wanted:
        formula = with_cut(formula, column, bound)
    return formula, _Reader(formula, text, []).whole()


def parse_all(formula: Formula, given: Iterable[Expression | str]) -> tuple[Formula, tuple[Expression, ...]]:
    """Expressions, those that are text parsed, all about the columns of the formula that comes with them."""
    said = list(given)
    for text in said:
        if isinstance(text, str):
            formula, _ = parse(formula, text)
    finer = {attribute.name: attribute for attribute in formula.attributes}

    def moved(x: Expression) -> Expression:
        return x.on(finer[x.attribute.name]) if isinstance(x, Condition) and x.attribute.name in finer else x

    return formula, tuple(parse(formula, x)[1] if isinstance(x, str) else rebuild(x, moved) for x in said)


@dataclass
class _Reader:
    """A text that is read from left to right; cuts that are not there yet are noted in ``wanted``."""

    formula: Formula
    text: str
    wanted: list[tuple[str, Bound]]
    at: int = 0

    def __post_init__(self) -> None:
        self.columns = {a.name: a for a in sorted(self.formula.attributes, key=lambda a: -len(a.name))}
        self.concepts = sorted(self.formula.concepts, key=len, reverse=True)

    def wrong(self, message: str, at: int | None = None) -> FormulaError:
        """An error that shows the text and points at a place."""
        at = self.at if at is None else at
        shown = "".join(c if c.isprintable() else " " for c in self.text)
        return FormulaError(f"{message}\n    {shown}\n    {' ' * at}^")

    def whole(self) -> Expression:
        """All of the text as one expression."""
        found = self.either()
        self.skip()
        if self.at < len(self.text):
            raise self.wrong("expected 'and', 'or' or the end here")
        return found

    def skip(self) -> None:
        """Pass over spaces."""
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What matches here, passed over."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def word(self, word: str) -> bool:
        """Whether a word stands here; passed over."""
        self.skip()
        return self.take(re.compile(rf"{word}\b", re.IGNORECASE)) is not None

    def expect(self, sign: str, why: str) -> None:
        """Pass over a sign that must be here."""
        self.skip()
        if not self.text.startswith(sign, self.at):
            raise self.wrong(f"expected {sign!r} here, {why}")
        self.at += len(sign)

    def either(self) -> Expression:
        """Parts joined by "or"."""
        parts = [self.both()]
        while self.word("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def both(self) -> Expression:
        """Parts joined by "and"."""
        parts = [self.part()]
        while self.word("and"):
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def part(self) -> Expression:
        """A condition, a concept, a count, or what stands in parentheses."""
        self.skip()
        if self.at >= len(self.text):
            raise self.wrong("expected a condition here, but the text ends")
        if (found := self.named()) is not None:
            return found
        if count := self.take(COUNT):
            return self.counted(count)
        if self.word("not"):
            return Not(self.part())
        if self.text[self.at] == "(":
            self.at += 1
            inner = self.either()
            self.expect(")", "to close the parentheses")
            return inner
        for word, constant in CONSTANTS.items():
            if self.word(word):
                return constant
        return self.interval()

    def counted(self, count: re.Match[str]) -> Expression:
        """The parts of a count, up to its closing parenthesis."""
        start, parts = count.start(), list[Expression]()
        while True:
            self.skip()
            before = self.at
            times = 1
            if self.named() is None and self._rewind(before) and (found := self.take(TIMES)):
                times, before = int(found[1]), self.at
            self.at = before
            parts += [self.either()] * times
            self.skip()
            if not self.text.startswith(",", self.at):
                break
            self.at += 1
        self.expect(")", "or ',' and another part")
        at_least, spare, either, _ = count.groups()
        if either or not (at_least or spare):
            return Or(tuple(parts)) if either else And(tuple(parts))
        need = int(at_least) if at_least else len(parts) - int(spare)
        if not 1 <= need <= len(parts):
            raise self.wrong(f"this needs {need} of {len(parts)} points", start)
        return AtLeast(need, tuple(parts))

    def _rewind(self, at: int) -> bool:
        self.at = at
        return True

    def named(self) -> Expression | None:
        """What begins with a name that is known: a comparison, a concept; None where there is no such name."""
        start = self.at
        if quoted := self.take(QUOTED):
            name = unquoted(quoted[0])
            if name in self.columns and (found := self.compared(self.columns[name])) is not None:
                return found
            if name in self.concepts and END.match(self.text, self.at):
                return Concept(name)
            self.at = start
            if name in self.columns:
                raise self.wrong(f"expected a sign such as {' '.join(SIGNS[:4])} after the column", quoted.end())
            return None
        for name, attribute in self.columns.items():
            if self.begins(name) and (found := self.compared(attribute)) is not None:
                return found
            self.at = start
        for name in self.concepts:
            if self.begins(name) and END.match(self.text, self.at):
                return Concept(name)
            self.at = start
        return None

    def begins(self, name: str) -> bool:
        """Whether a name stands here, and ends here; passed over."""
        after = self.at + len(name)
        if not name.strip() or not self.text.startswith(name, self.at):
            return False
        if name[-1].isalnum() and self.text[after : after + 1].isalnum():
            return False
        self.at = after
        return True

    def compared(self, attribute: Attribute) -> Condition | None:
        """A condition on a column whose name was just read; None where no sign follows."""
        if state := self.take(STATE):
            known, missing = attribute.known, attribute.missing
            cells = {"missing": missing, "known": known, "anything": known | missing, "impossible": 0}
            return Condition(attribute, cells[state[1].lower()])
        if listed := self.take(LISTED):
            values = [self.value(attribute)]
            while self.take(re.compile(r"\s*,\s*")):
                values.append(self.value(attribute))
            self.expect("}", "or ',' and another value")
            found = attribute.one_of(values)
            return found if listed[1].lower() == "in" else ~found
        if sign := self.take(SIGN):
            return self.condition(attribute, sign[1])
        if [*map(repr, attribute.values)] == ["False", "True"] and END.match(self.text, self.at):
            return attribute.equal(True)
        return None

    def condition(self, attribute: Attribute, sign: str) -> Condition:
        """A sign was just read; a value follows."""
        start = self.at
        value = self.value(attribute)
        try:
            return self.comparison(attribute, sign, value)
        except FormulaError as error:
            raise self.wrong(str(error), start) from None

    def comparison(self, attribute: Attribute, sign: str, value: Hashable) -> Condition:
        """The condition, on cuts that may have to be added."""
        if sign in (">", ">=", "!="):
            return ~self.comparison(attribute, {">": "<=", ">=": "<", "!=": "="}[sign], value)
        if not attribute.measured:
            if sign in ("=", "=="):
                return attribute.equal(value)
            below = attribute.at_most(value)
            return below if sign == "<=" else below & ~attribute.equal(value)
        assert isinstance(value, int | float)
        if sign == "<=":
            return self.up_to(attribute, value)
        if sign == "<":
            return self.up_to(attribute, _before(attribute, value))
        if not attribute.whole:
            return attribute.equal(value)
        return self.up_to(attribute, value) & ~self.up_to(attribute, value - attribute.step)

    def up_to(self, attribute: Attribute, bound: Bound) -> Condition:
        """That a column is at most a bound, which becomes one of its cuts."""
        if bound not in attribute.cuts and attribute.whole and abs(bound) < inf:
            bound = floor(bound / attribute.step) * attribute.step
        if bound in attribute.cuts:
            return attribute.at_most(bound)
        self.wanted.append((attribute.name, bound))
        return Condition(attribute, 0)

    def interval(self) -> Expression:
        """``low < column <= high``; nothing else is left that may stand here."""
        start, end = self.at, re.compile(r"[^<>=!]*?\s*(<=|<)\s*").match(self.text, self.at)
        if end:
            self.at = end.end()
            for attribute in self.columns.values():
                quoted = self.take(QUOTED)
                if unquoted(quoted[0]) == attribute.name if quoted else self.begins(attribute.name):
                    name_end, self.at = self.at, start
                    low = self.condition(attribute, ">" if end[1] == "<" else ">=")
                    self.skip()
                    if self.at != end.start(1):
                        raise self.wrong("expected '<' or '<=' here")
                    self.at = name_end
                    if not (sign := self.take(re.compile(r"\s*(<=|<)\s*"))):
                        raise self.wrong("expected '<' or '<=' here")
                    return low & self.condition(attribute, sign[1])
                self.at = end.end()
            self.at = start
        raise self.unknown()

    def unknown(self) -> FormulaError:
        """What is said where no known name stands."""
        until = re.compile(r"\s*(?:<=|>=|!=|=|<|>|[(){},]|\s(?:and|or|in|is|not)\b|$)", re.IGNORECASE)
        found = until.search(self.text, self.at)
        name = self.text[self.at : found.start() if found else None].strip().strip('"')
        known = [*self.columns, *self.concepts]
        near = nearest(name, known)
        shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
        hint = f"known are {shown}" if near is None else f"did you mean {near!r}?"
        return self.wrong(f"no column and no concept is called {name!r}; {hint}")

    def value(self, attribute: Attribute) -> Hashable:
        """A value of a column, passed over: in quotes, or as it is shown."""
        start = self.at
        if quoted := self.take(QUOTED):
            text = unquoted(quoted[0])
        elif attribute.measured:
            found = self.take(BARE[attribute.kind])
            text = found[0] if found else ""
        else:
            return self.listed(attribute)
        if not attribute.measured:
            return self.one_called(attribute, text, start)
        try:
            return self.number(attribute, text)
        except (ValueError, OverflowError, FormulaError):
            what = {"numeric": "a number", "duration": "a duration such as 1:30:00"}.get(
                attribute.kind, "a date such as 2024-03-01"
            )
            raise self.wrong(f"expected {what} for column {attribute.name!r} here", start) from None

    def number(self, attribute: Attribute, text: str) -> Hashable:
        """A number, or whole microseconds."""
        if attribute.kind == "numeric":
            return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
        return plain_value(attribute, duration_of(text) if attribute.kind == "duration" else text)

    def listed(self, attribute: Attribute) -> Hashable:
        """The longest value that stands here, and ends here."""
        for value in sorted(attribute.values, key=lambda v: (-len(str(v)), isinstance(v, str))):
            text, start = str(value), self.at
            if text.strip() and self.text.startswith(text, start) and END.match(self.text, start + len(text)):
                self.at += len(text)
                return value
            after = re.compile(r"\s*(?:<=|<)").match(self.text, start + len(text))
            if text.strip() and self.text.startswith(text, start) and after:
                self.at += len(text)
                return value
        found = re.compile(r".*?(?=\s*(?:$|[),}]|\s(?:and|or)\b))", re.I | re.S).match(self.text, self.at)
        return self.one_called(attribute, found[0] if found else "", self.at)

    def one_called(self, attribute: Attribute, text: str, at: int) -> Hashable:
        """The value with this text, one that is text before others."""
        named = [v for v in attribute.values if str(v) == text]
        if named:
            return min(named, key=lambda v: not isinstance(v, str))
        values = [str(v) for v in attribute.values]
        near = nearest(text, values)
        shown = ", ".join(map(repr, values[:8])) + (", ..." if len(values) > 8 else "")
        hint = f"its values are {shown}" if near is None else f"did you mean {near!r}?"
        raise self.wrong(f"column {attribute.name!r} has no value {text!r}; {hint}", at)


def _before(attribute: Attribute, bound: Bound) -> Bound:
    """The largest number below a bound."""
    if attribute.whole:
        return -floor(-bound / attribute.step) * attribute.step - attribute.step
    return nextafter(bound, -inf) if attribute.kind == "numeric" else bound - 1
