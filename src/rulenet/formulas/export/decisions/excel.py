"""A formula for spreadsheets whose value is the class.

In one formula, every margin is written once: of n classes, the k-th has the number n * margin + n - k, so that the
largest number belongs to the largest margin, of equals to the first, and its rest by n says which class that is.
"""

from collections.abc import Mapping

from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, Score, simplify_decision
from rulenet.formulas.export.excel import Sheet, Style
from rulenet.formulas.export.excel_cells import MAX_ARGUMENTS, literal

#: LibreOffice chooses among so many; Excel would among 254.
MAX_CHOICES = 29


def to_excel(
    decision: Decision, *, style: Style = "formula", start: str = "A2", cells: Mapping[str, str] | None = None
) -> str:
    r"""One formula for a cell, or with ``style="cells"`` a line a helper cell; options are as for formulas.

    >>> from rulenet.conditions import Attribute
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult, child = Score("adult", 1, ((1, age.above(18)),)), Score("child", 1, ((2, age.at_most(12)),))
    >>> print(to_excel(Decision((adult, child), {}, (age,)), style="cells").replace("\t", " "))
    B2 =-1+1*(AND(ISNUMBER(A2),A2>18))
    C2 =-1+2*(AND(ISNUMBER(A2),A2<=12))
    D2 =CHOOSE(2-MOD(MAX(2*(B2)+1,2*(C2)+0),2),"adult","child")
    """
    decision = simplify_decision(decision)
    _check(len(decision.labels), style)
    sheet = Sheet(decision.attributes, start, cells, style)
    sheet.check([a.name for a in dict.fromkeys(x.attribute for x in decision.conditions)])
    for name, meaning in decision.concepts.items():
        sheet.add(name, meaning)
    margins = [_margin(sheet, score) for score in decision.outputs]
    if style == "cells":
        margins = [sheet.helper(margin) for margin in margins]
    n = len(margins)
    numbers = ",".join(f"{n}*({margin})+{n - 1 - k}" for k, margin in enumerate(margins))
    place = f"{n}-MOD(MAX({numbers}),{n})"
    if n > MAX_CHOICES:
        place = sheet.helper(place)
    return sheet.written(_choice(place, [*map(literal, decision.labels)]))


def _check(n_classes: int, style: Style) -> None:
    if n_classes > MAX_ARGUMENTS:
        raise FormulaError(f"there are {n_classes} classes, but Excel chooses among {MAX_ARGUMENTS}")
    if n_classes > MAX_CHOICES and style == "formula":
        raise FormulaError(
            f"there are {n_classes} classes, but one formula chooses among {MAX_CHOICES}; "
            "use style='cells', which gives helper cells"
        )


def _choice(place: str, labels: list[str]) -> str:
    """The label at a place, counted from 1; where there are many, ``place`` is a cell, and asked for more than once."""
    first, rest = labels[:MAX_CHOICES], labels[MAX_CHOICES:]
    chosen = f"CHOOSE({place},{','.join(first)})"
    return f"IF({place}<={MAX_CHOICES},{chosen},{_choice(f'({place}-{MAX_CHOICES})', rest)})" if rest else chosen


def _margin(sheet: Sheet, score: Score) -> str:
    return f"{-score.need}+{sheet.sum(score.parts)}" if score.parts else str(-score.need)
