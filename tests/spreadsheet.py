"""LibreOffice, which calculates the formulas of a workbook."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest

import pytest

DAY_ZERO = datetime(1899, 12, 30)
CELL = re.compile(r"(?<![A-Z0-9.])([A-Z]{1,3})2(?![0-9(])")  # of the second row


@dataclass(frozen=True)
class Given:
    """Rows of values by column, and the formulas for the second row of the sheet: one, or lines with their cells."""

    columns: list[str]
    rows: list[dict]
    formulas: str


def found():
    """The program; where there is none, the test is skipped, but not in CI."""
    if program := shutil.which("soffice"):
        return program
    reason = "spreadsheets are calculated by LibreOffice, which is not installed: apt-get install libreoffice-calc"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def calculated(sheets, folder):
    """For every sheet the value of its last formula in every row; one start of LibreOffice for all."""
    openpyxl = pytest.importorskip("openpyxl")
    program, path = found(), folder / "given.xlsx"
    book = openpyxl.Workbook()
    book.remove(book.active)
    last = [_fill(book.create_sheet(f"s{k}"), given) for k, given in enumerate(sheets)]
    book.save(path)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [
        program,
        profile,
        "--headless",
        "--convert-to",
        "xlsx:Calc MS Excel 2007 XML",
        "--outdir",
        folder / "out",
        path,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    answers = openpyxl.load_workbook(folder / "out" / "given.xlsx", data_only=True)
    return [
        [_value(answers[f"s{k}"].cell(2 + i, column).value) for i in range(len(given.rows))]
        for k, (given, column) in enumerate(zip(sheets, last, strict=True))
    ]


def _value(value):
    """The value of a formula; files escape what cannot be seen, and a text without letters is read as nothing."""
    from openpyxl.utils.escape import unescape

    return unescape(value) if isinstance(value, str) else "" if value is None else value


def _fill(sheet, given):
    """Write values and formulas; the number of the column of the last formula."""
    from openpyxl.utils.cell import coordinate_to_tuple

    for i, row in enumerate(given.rows, start=2):
        for j, name in enumerate(given.columns, start=1):
            _put(sheet.cell(i, j), row.get(name))
    lines = [line.split("\t", 1) for line in given.formulas.split("\n")]
    if len(lines) == 1 and len(lines[0]) == 1:
        lines = [[sheet.cell(2, len(given.columns) + 1).coordinate, *lines[0]]]
    for cell, formula in lines:
        stored = formula.replace("UNICHAR(", "_xlfn.UNICHAR(")  # how files name a function that came later
        column = coordinate_to_tuple(cell)[1]
        outside = stored.split('"')[::2]  # what stands in quotes is text
        for i in range(2, 2 + len(given.rows)):
            moved = [CELL.sub(rf"\g<1>{i}", piece) for piece in outside]
            sheet.cell(i, column).value = '"'.join(_between(moved, stored.split('"')[1::2]))
    return column


def _between(pieces, others):
    """Two lists in turn."""
    return [x for pair in zip_longest(pieces, others) for x in pair if x is not None]


def _put(cell, value):
    from openpyxl.utils.escape import escape

    if isinstance(value, datetime):
        plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        value = (plain - DAY_ZERO) / timedelta(days=1)
    elif isinstance(value, timedelta):
        value = value / timedelta(days=1)
    if value == "" and isinstance(value, str):
        cell.value = '=""'  # the way in which a cell holds no letters, but is not empty
    elif isinstance(value, str):
        cell.value = escape(value)
        cell.data_type = "s"  # also where it begins like a formula
    else:
        cell.value = value
