"""A formula for Excel, LibreOffice and other spreadsheets.

The columns of the table stand in cells of one row, by default from A2 to the right, in the order of the table; an empty
cell is missing. Dates are dates of the sheet (in UTC where the column has a time zone), durations are its times, in
days. Spreadsheets compare numbers by their first 15 digits, so what is closer than that to a cut counts as equal to it:
for moments, some microseconds. Cells hold no carriage returns, so a value with one is found in none.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.excel_cells import MAX_FORMULA, Spreadsheet, cells_of, column_letters, literal, place
from rulenet.formulas.export.reading import points
from rulenet.formulas.expressions import And, AtLeast, Concept, Expression, Formula, Or
from rulenet.formulas.graph import simplify

Style = Literal["formula", "cells"]
STYLES: tuple[Style, ...] = ("formula", "cells")


def to_excel(
    formula: Formula,
    *,
    style: Style = "formula",
    start: str = "A2",
    cells: Mapping[str, str] | None = None,
    positive: Hashable = True,
    negative: Hashable = False,
) -> str:
    """One formula for a cell, or ``style="cells"``: a line a helper cell, "F2<tab>=...", the answer in the last one.

    Parameters
    ----------
    formula : Formula
        What to write.
    style : {"formula", "cells"}
        Excel takes 8192 characters; longer formulas need helper cells, one for every concept and more where needed.
    start : str
        The cell of the first column of the table.
    cells : mapping from column to cell, optional
        Where the columns stand, if not side by side from ``start`` on; only those that the rules read are needed.
    positive, negative : str, bool, int or float
        The values where the formula holds, and where not.

    Examples
    --------
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(to_excel(Formula(age.between(20, 37.5), {}, (age,)), positive="yes", negative="no"))
    =IF(AND(ISNUMBER(A2),A2>20,A2<=37.5),"yes","no")
    """
    formula = simplify(formula)
    sheet = Sheet(formula.attributes, start, cells, style)
    sheet.check([a.name for a in dict.fromkeys(x.attribute for x in formula.conditions)])
    for name, meaning in formula.concepts.items():
        sheet.add(name, meaning)
    return sheet.written(f"IF({sheet.short(formula.output)},{literal(positive)},{literal(negative)})")


class Sheet:
    """Formulas that grow: concepts, and what is too long, in helper cells, or all in one formula."""

    def __init__(
        self, attributes: Sequence[Attribute], start: str, cells: Mapping[str, str] | None, style: Style
    ) -> None:
        if style not in STYLES:
            raise FormulaError(f"style is {style!r}, but must be one of {', '.join(STYLES)}")
        self.style = style
        self.cells = cells_of(attributes, start, cells)
        places = [place(cell) for cell in self.cells.values()] or [place(start)]
        self.next_column, self.row = max(column for column, _ in places) + 1, places[0][1]
        self.helpers: dict[str, str] = {}
        self.made: dict[str, str] = {}
        self.language = Spreadsheet(self.cells, self.helpers)

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns without a cell."""
        if missing := [name for name in columns if name not in self.cells]:
            raise FormulaError(f"the rules read column {missing[0]!r}, but cells does not say where it stands")

    def add(self, name: str, meaning: Expression) -> None:
        """A concept, as a helper cell or as text."""
        text = self.short(meaning)
        self.helpers[name] = self.helper(text) if self.style == "cells" else f"({text})"
        if len(self.helpers[name]) > MAX_FORMULA:
            raise _too_long(len(self.helpers[name]))

    def helper(self, text: str) -> str:
        """The next free cell, which holds ``text``."""
        cell = f"{column_letters(self.next_column)}{self.row}"
        self.next_column += 1
        self.made[cell] = f"={text}"
        return cell

    def short(self, expression: Expression) -> str:
        """An expression, its parts in helper cells if it is too long and there are such."""
        text = self.language.text(expression)
        if self.style == "formula" or len(text) < MAX_FORMULA // 2 or not isinstance(expression, And | Or | AtLeast):
            return text
        return self.language.text(self._split(expression))

    def sum(self, parts: Sequence[tuple[int, Expression]]) -> str:
        """The points of parts that hold, these in helper cells if it is too long and there are such."""
        text = self.language.sum(parts)
        if self.style == "formula" or len(text) < MAX_FORMULA // 2:
            return text
        return self.language.sum([(n, Concept(self._part(part))) for n, part in parts])

    def _split(self, gate: And | Or | AtLeast) -> Expression:
        names = {part: self._part(part) for _, part in points(gate.parts)}
        parts = tuple(Concept(names[part]) for part in gate.parts)
        return AtLeast(gate.need, parts) if isinstance(gate, AtLeast) else type(gate)(parts)

    def _part(self, part: Expression) -> str:
        name = f" part {len(self.helpers)}"  # no concept has such a name
        self.helpers[name] = self.helper(self.short(part))
        return name

    def written(self, answer: str) -> str:
        """The formula of the answer, or all cells, a line each."""
        if self.style == "cells":
            self.helper(answer)
        longest = max(map(len, [*self.made.values(), f"={answer}"]))
        if longest > MAX_FORMULA:
            raise _too_long(longest, self.style)
        return "\n".join(f"{cell}\t{text}" for cell, text in self.made.items()) or f"={answer}"


def _too_long(length: int, style: Style = "formula") -> FormulaError:
    remedy = (
        "use style='cells', which gives helper cells" if style == "formula" else "one condition lists too many values"
    )
    return FormulaError(f"a formula has {length} characters, but Excel takes {MAX_FORMULA}; {remedy}")
