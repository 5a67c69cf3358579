"""How conditions are said of spreadsheet cells, and where formulas may stand.

An empty cell is missing. Text is compared letter by letter and with its case; a cell of another kind than a condition
asks for satisfies none.
"""

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.infix import Infix, Join, Written
from rulenet.formulas.export.reading import Alternative, Missing, OneOf, points
from rulenet.formulas.export.values import check_plain, moment, number_text, seconds_text
from rulenet.formulas.expressions import Expression
from rulenet.kinds import DAY, Bound, Range

#: What Excel takes at most: characters of a formula, of a text in it, arguments of a function, digits of a number.
MAX_FORMULA, MAX_TEXT, MAX_ARGUMENTS, MAX_WHOLE = 8192, 255, 250, 10**15
# From here on spreadsheets agree about dates; before, Excel has a day that never was.
FIRST_DAY, DAY_ZERO = datetime(1900, 3, 1), datetime(1899, 12, 30)


class Spreadsheet(Infix):
    """Formulas of a row of cells; ``cells`` are those of columns, ``helpers`` those of concepts or their text."""

    def __init__(self, cells: Mapping[str, str], helpers: Mapping[str, str]) -> None:
        self.cells, self.helpers = cells, helpers

    def joined(self, join: Join, parts: Iterable[Written], word: str | None = None) -> Written:
        """AND or OR of parts, which has so many arguments as Excel takes."""
        texts = [part.text for part in parts]
        function = "AND" if join == "and" else "OR"
        while len(texts) > 1:
            chunks = [texts[i : i + MAX_ARGUMENTS] for i in range(0, len(texts), MAX_ARGUMENTS)]
            texts = [f"{function}({','.join(chunk)})" if len(chunk) > 1 else chunk[0] for chunk in chunks]
        return Written(texts[0])

    def concept(self, name: str) -> str:
        """The cell that holds a concept, or its text."""
        return self.helpers[name]

    def constant(self, value: bool) -> str:
        """What always holds, or never."""
        return "TRUE()" if value else "FALSE()"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        """A sum compared with what it needs."""
        return Written(f"({self.sum(points(parts))})>={need}")

    def sum(self, parts: Iterable[tuple[int, Expression]]) -> str:
        """The points of parts that hold."""
        return "+".join(f"{times}*({self.text(part)})" for times, part in parts)

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        """The comparisons that together say ``alternative``."""
        cell = self.cells[attribute.name]
        match alternative:
            case Missing():
                return [f"ISBLANK({cell})"]
            case OneOf(values):
                return [self.joined("or", (Written(_equal(cell, value)) for value in values)).text]
            case Range(low, high):
                above = [] if low is None else [f"{cell}>{_bound(attribute, low)}"]
                below = [] if high is None else [f"{cell}<={_bound(attribute, high)}"]
                return [f"ISNUMBER({cell})", *above, *below]


def _equal(cell: str, value: Hashable) -> str:
    plain = check_plain(value, "Excel")
    if isinstance(plain, str):
        same = f"EXACT({cell},{literal(plain)})"
        return same if plain[:1].isalpha() and plain not in ("TRUE", "FALSE") else f"AND(ISTEXT({cell}),{same})"
    if isinstance(plain, bool):
        return f"AND(ISLOGICAL({cell}),{cell}={literal(plain)})"
    return f"AND(ISNUMBER({cell}),NOT(ISLOGICAL({cell})),{cell}={literal(plain)})"


def literal(value: Hashable) -> str:
    r"""A value as a formula says it; what cannot be seen is said by its code.

    >>> print(literal('a"b'), literal("a\nb"), literal("\u202e"), literal(True), literal(0.5))
    "a""b" "a"&CHAR(10)&"b" UNICHAR(8238) TRUE() 0.5
    """
    plain = check_plain(value, "Excel")
    if isinstance(plain, bool):
        return "TRUE()" if plain else "FALSE()"
    if isinstance(plain, str):
        return _text(plain)
    if isinstance(plain, int) and abs(plain) > MAX_WHOLE:
        raise FormulaError(f"the value {plain} has more than the 15 digits of Excel's numbers; convert it to text")
    return repr(plain).upper()


def _text(text: str) -> str:
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise FormulaError(f"the value {text!r} has a character that no spreadsheet cell holds; replace it")
    pieces = [
        _code(piece) if len(piece) == 1 and not piece.isprintable() else '"' + piece.replace('"', '""') + '"'
        for run in _runs(text)
        for piece in (run[i : i + MAX_TEXT // 2] for i in range(0, len(run), MAX_TEXT // 2))
    ]
    return "&".join(pieces) or '""'


def _code(character: str) -> str:
    return f"CHAR({ord(character)})" if ord(character) < 128 else f"UNICHAR({ord(character)})"


def _runs(text: str) -> list[str]:
    """The text as runs of what can be seen, and single other characters."""
    found: list[str] = []
    for c in text:
        if found and c.isprintable() and found[-1].isprintable():
            found[-1] += c
        else:
            found.append(c)
    return found


def _bound(attribute: Attribute, bound: Bound) -> str:
    if not math.isfinite(bound):
        raise FormulaError(f"column {attribute.name!r} is cut at {bound}, which Excel cannot say; give other cuts")
    match attribute.kind:
        case "date" | "instant":
            return _moment(bound)
        case "duration":
            return f"{seconds_text(bound)}/86400"
    return number_text(bound).upper()


def _moment(bound: Bound) -> str:
    time = moment(bound)
    rest = int(bound) % DAY
    if time < FIRST_DAY:
        day = str((time.date() - DAY_ZERO.date()).days)
    else:
        day = f"DATE({time.year},{time.month},{time.day})"
    return day if not rest else f"({day}+{seconds_text(rest)}/86400)"


def place(cell: str) -> tuple[int, int]:
    """The column, counted from 0, and the row of a cell.

    >>> place("A2"), place("AB10"), column_letters(27)
    ((0, 2), (27, 10), 'AB')
    """
    found = re.fullmatch(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]*)", cell)
    if not found:
        raise FormulaError(f"{cell!r} is no cell; expected a column and a row, such as A2")
    column = 0
    for c in found[1].upper():
        column = 26 * column + ord(c) - ord("A") + 1
    return column - 1, int(found[2])


def column_letters(column: int) -> str:
    """The letters of a column, counted from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def cells_of(attributes: Sequence[Attribute], start: str, given: Mapping[str, str] | None) -> dict[str, str]:
    """The cell of every column: those ``given``, or one after the other from ``start``."""
    column, row = place(start)
    if given is None:
        return {a.name: f"{column_letters(column + i)}{row}" for i, a in enumerate(attributes)}
    if unknown := [name for name in given if name not in {a.name for a in attributes}]:
        raise FormulaError(f"no column is called {unknown[0]!r}; the columns are {[a.name for a in attributes]}")
    for cell in given.values():
        place(cell)
    return dict(given)
