"""Text that fits: names and values cut in the middle, signs never."""

import unicodedata
from collections.abc import Hashable

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.export.reading import Reading, readings
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import Expression

WIDTHS = {0.3: "iIjl.,:;'|! ", 0.4: "()[]-rtf", 0.54: "csvxyzkJ_", 0.66: "{}", 0.85: "<>=+≤≥~#w×", 1.0: "mMW@%&—…"}
WIDTH = {c: width for width, characters in WIDTHS.items() for c in characters}
SHORTEST = 5
SIGNS = {"within": "<=", "missing": "is missing", "known": "is known", "never": "is impossible"}


def visible(text: str) -> str:
    r"""Text on one line, in which characters that cannot be seen are written as their code.

    >>> print(visible("a\n b \u202e"))
    a b \u202e
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in " ".join(text.split()))


def shortened(text: str, length: int) -> str:
    """The text on one line, cut in the middle if it is long.

    >>> shortened("the colour of the very large house", 20)
    'the colou…arge house'
    """
    text = visible(text)
    if len(text) <= length:
        return text
    left = (length - 1) // 2
    return text[:left] + "…" + text[len(text) - (length - 1 - left) :]


def label_of(expression: Expression, length: int) -> str:
    """A condition, or what else stands at the end of an edge, in about ``length`` characters.

    >>> where = Attribute("the city where the contract was signed", ("Llanfairpwllgwyngyll", "Rome", "Oslo", "Bonn"))
    >>> print(label_of(where.equal("Llanfairpwllgwyngyll"), 30))
    the ci… signed = Llanfa…yngyll
    >>> print(label_of(where.one_of(["Rome", "Oslo"]), 30))
    the c…signed in {Rome, Oslo}
    """
    whole = visible(words(expression))
    if len(whole) <= length or not isinstance(expression, Condition):
        return shortened(whole, length)
    found = readings(expression)
    return " or ".join(_fitted(expression.attribute, x, max(length // len(found), 16)) for x in found)


def _fitted(attribute: Attribute, reading: Reading, length: int) -> str:
    sign, values = SIGNS.get(reading.sign, reading.sign), [_value(attribute, v) for v in reading.values]
    name, listed = visible(attribute.name), reading.sign in ("in", "not in")
    more = ""
    if listed and (kept := max(1, length // 12)) < len(values):
        more, values = f", +{len(values) - kept}", values[:kept]
    fixed = len(sign) + 2 + 2 * listed + len(more) + 2 * max(len(values) - 1, 0)
    cut = [name] if attribute.measured else [name, *values]
    room = _rooms(cut, length - fixed - (0 if not attribute.measured else sum(map(len, values))))
    name, values = shortened(name, room[0]), values if attribute.measured else [*map(shortened, values, room[1:])]
    if reading.sign == "within":
        return f"{values[0]} < {name} <= {values[1]}"
    written = f"{{{', '.join(values)}{more}}}" if listed else "".join(values)
    return f"{name} {sign} {written}".rstrip()


def _rooms(texts: list[str], room: int) -> list[int]:
    """How long each text may be so that all fit into ``room``; short ones leave theirs to others."""
    rooms, left = [0] * len(texts), room
    for rest, i in zip(range(len(texts), 0, -1), sorted(range(len(texts)), key=lambda i: len(texts[i])), strict=True):
        rooms[i] = max(min(len(texts[i]), left // rest), SHORTEST)
        left -= rooms[i]
    return rooms


def _value(attribute: Attribute, value: Hashable) -> str:
    return attribute.shown(value) if attribute.measured else visible(str(value))  # type: ignore[arg-type]


def width_of(text: str, size: float) -> float:
    """About how wide text of ``size`` points is, in inches."""
    return 1.07 * sum(map(_width, text)) * size / 72


def _width(c: str) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.0
    return WIDTH.get(c, 0.72 if c.isupper() else 0.64)
