"""Expressions in languages that put AND and OR between the parts: what differs from one to the next."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.export.reading import Alternative, alternatives
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Not, Or

Join = Literal["", "and", "or", "count"]


class Written(NamedTuple):
    """A piece of text and what joins its parts, which says where it needs parentheses."""

    text: str
    join: Join = ""


class Infix:
    """A language; subclasses say how it writes comparisons, references, constants and counts."""

    and_word: str
    or_word: str

    def write(self, expression: Expression) -> Written:
        """The expression in this language."""
        match expression:
            case And(parts):
                return self.joined("and", map(self.write, parts))
            case Or(parts):
                return self.joined("or", map(self.write, parts))
            case AtLeast(need, parts):
                return self.at_least(need, parts)
            case Not(part):
                return self.negated(self.write(part))
            case Concept(name):
                return Written(self.concept(name))
            case Constant(value):
                return Written(self.constant(value))
            case Condition():
                return self.condition(expression)

    def text(self, expression: Expression) -> str:
        """The expression as it stands alone."""
        return self.write(expression).text

    def joined(self, join: Join, parts: Iterable[Written], word: str | None = None) -> Written:
        """Parts with a word between them; those that are joined otherwise stand in parentheses."""
        written = list(parts)
        if len(written) == 1:
            return written[0]
        word = word or (self.and_word if join == "and" else self.or_word)
        return Written(word.join(self.inside(part, join) for part in written), join)

    def inside(self, part: Written, join: Join) -> str:
        """A part as it stands among others; alone where nothing joins them."""
        return f"({part.text})" if join and part.join and part.join != join else part.text

    def condition(self, condition: Condition) -> Written:
        """A condition: the OR of its alternatives, each the AND of some comparisons."""
        found = alternatives(condition)
        if not found:
            return Written(self.constant(False))
        return self.joined("or", (self._alternative(condition.attribute, x) for x in found))

    def _alternative(self, attribute: Attribute, alternative: Alternative) -> Written:
        return self.joined("and", map(Written, self.comparisons(attribute, alternative)))

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        """The comparisons that together say ``alternative`` of ``attribute``."""
        raise NotImplementedError

    def concept(self, name: str) -> str:
        """A reference to a concept."""
        raise NotImplementedError

    def constant(self, value: bool) -> str:
        """True or false."""
        raise NotImplementedError

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        """A count of parts."""
        raise NotImplementedError

    def negated(self, part: Written) -> Written:
        """NOT, for languages that people read; those that run get formulas without it."""
        raise AssertionError(part)
