"""Tables of delimited text: which characters, which delimiter, which notation of numbers; all rows of one length.

Python's ``csv.Sniffer`` takes letters for delimiters, and guesses of charsets change with the data, so both are found
by plain rules that can be said in a sentence. A byte order mark tells the encoding; without one, text whose every other
byte is NUL is UTF-16, what is UTF-8 is read as UTF-8, and all else as Windows-1252. The delimiter is the one that cuts
the most rows into equally many fields.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.exceptions import TableError

DELIMITERS = (",", ";", "\t", "|")
N_ROWS = 200  # that choose the delimiter

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Numbers with a decimal comma: 3 · -0,5 · 1.234,5 · 1,5e3. What has commas before three digits only may be thousands.
_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?(?:[eE][+-]?\d+)?")
_GROUPS = re.compile(r"[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)")  # whole numbers with points between thousands
_CERTAIN = re.compile(r"[+-]?[\d.]*,(?:\d{1,2}|\d{4,})(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Text:
    """Decoded text and the character between its fields."""

    text: str
    sep: str
    path: str

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The number of the last line of every row that is not blank, from 1, and the row's fields."""
        reader = csv.reader(io.StringIO(self.text), delimiter=self.sep, skipinitialspace=True)
        try:
            yield from ((reader.line_num, row) for row in reader if any(row) or len(row) > 1)
        except csv.Error as error:
            raise TableError(f"{self.path}: line {reader.line_num} cannot be read: {error}") from error


def read_text(
    data: bytes, path: str, sep: str | None, encoding: str | None, decimal: str | None, na: Sequence[str]
) -> pd.DataFrame:
    """The table in delimited text: every cell is text, or missing. None stands for what is to be found out."""
    text = decode(data, path, encoding)
    source = Text(text, sep or delimiter_of(text), path)
    _, header = next(source.rows(), (0, []))
    if not header:
        raise TableError(f"{path}: is empty, but a line with the names of the columns is expected")
    data = text.encode()
    n_fields = _count_checked(source, data, len(header))
    table = pd.read_csv(
        io.BytesIO(data),
        sep=source.sep,
        header=0,
        names=_names(header, n_fields, path),
        dtype=str,
        keep_default_na=False,
        na_values=list(na),
        index_col=False,
        skipinitialspace=True,
        low_memory=False,
    )
    table = _without_tail(table, header, path)
    comma = _has_commas(table) if decimal is None and source.sep != "," else decimal == ","
    return table.apply(_with_points) if comma else table


def decode(data: bytes, path: str, encoding: str | None = None) -> str:
    """The text in some bytes, with line ends as in Unix.

    >>> [decode("Größe".encode(encoding), "") for encoding in ("utf-16", "latin-1", "utf-16-be")]
    ['Größe', 'Größe', 'Größe']
    """
    encoding = encoding or next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    try:
        text = _guessed(data) if encoding is None else data.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise TableError(f"{path}: cannot be read as {encoding}: {error}; name another with --encoding") from error
    if "\0" in text[:10_000]:
        raise TableError(f"{path}: holds NUL characters, so it is no text in this encoding; try --encoding utf-16")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _guessed(data: bytes) -> str:
    for encoding in (*_wide(data[:200]), "utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeError:
            pass
    return data.decode("latin-1")  # five bytes mean nothing in Windows-1252, but every byte does here


def _wide(start: bytes) -> Iterator[str]:
    """UTF-16, where most characters have a NUL for their upper byte."""
    for encoding, upper, lower in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if 2 * upper.count(0) > len(upper) and not lower.count(0):
            yield encoding


def delimiter_of(text: str) -> str:
    """The delimiter that gives the most rows as many fields as the header has; of equals, the one with more fields.

    >>> delimiter_of("name;height\\nAnn;1,7\\nBob;1,8"), delimiter_of("one column")
    (';', ',')
    """
    found: dict[str, tuple[float, int]] = {}
    for sep in DELIMITERS:
        header, *body = [len(row) for _, row in islice(Text(text[:1_000_000], sep, "").rows(), N_ROWS)] or [0]
        if header > 1:
            counts = Counter(body or [header])
            # A delimiter at the end of every row makes them all one longer than the header.
            agreeing = max(counts[header], counts[header + 1])
            found[sep] = (agreeing / counts.total(), header)
    return max(found, key=lambda sep: found[sep]) if found else ","


def _count_checked(source: Text, data: bytes, n_header: int) -> int:
    """How many fields the rows below the header have: as many as the header, or all of them one more."""
    lengths = count_fields(data, source.sep)[1:]
    if lengths.size and (lengths == lengths[0]).all() and lengths[0] in (n_header, n_header + 1):
        return int(lengths[0])
    return _count_slowly(source, n_header)


def count_fields(data: bytes, sep: str) -> NDArray[np.int64]:
    """The number of fields of every line that is not empty; quotes are taken as pairs.

    >>> count_fields(b'a,b\\n1,"2,3"\\n\\n4\\n', ",").tolist()
    [2, 2, 1]
    """
    characters = np.frombuffer(data, dtype=np.uint8)
    is_end, is_separator = characters == ord("\n"), characters == ord(sep)
    if b'"' in data:
        outside = np.cumsum(characters == ord('"'), dtype=np.uint8) % 2 == 0
        is_end, is_separator = is_end & outside, is_separator & outside
    ends = np.flatnonzero(is_end)
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(characters))
    starts = np.concatenate([[0], ends[:-1] + 1])
    before = np.searchsorted(np.flatnonzero(is_separator), np.concatenate([starts[:1], ends]))
    return np.asarray((np.diff(before) + 1)[ends > starts])


def _count_slowly(source: Text, n_header: int) -> int:
    """As `_count_checked`, row by row as the parser reads; an error names the first row that differs."""
    lengths = [(line, len(row)) for line, row in islice(source.rows(), 1, None)]
    if not lengths:
        raise TableError(f"{source.path}: has the names of {n_header} columns, but no rows below them")
    expected = n_header + 1 if all(length == n_header + 1 for _, length in lengths) else n_header
    for line, length in lengths:
        if length != expected:
            raise TableError(
                f"{source.path}: line {line} has {length} fields, but the header has {n_header}; quote fields that "
                f"hold {source.sep!r}, or name the delimiter with --sep"
            )
    return expected


def _names(header: list[str], n_fields: int, path: str) -> list[str]:
    """The names of the columns; one without a name is called by its number."""
    names = [name.strip() or f"column {i + 1}" for i, name in enumerate(header)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{path}: several columns are called {', '.join(map(repr, twice))}; give each its own name")
    return names + [f"column {n_fields}"] * (n_fields - len(names))


def _without_tail(table: pd.DataFrame, header: list[str], path: str) -> pd.DataFrame:
    """The table without the empty column that a delimiter at the end of every row makes."""
    extra = table.shape[1] > len(header)
    if not extra and header[-1].strip():
        return table
    if table.iloc[:, -1].isna().all():
        return table.iloc[:, :-1]
    if extra:
        raise TableError(
            f"{path}: every row has {table.shape[1]} fields, but the header has {len(header)}; give each column a name"
        )
    return table


def _has_commas(table: pd.DataFrame) -> bool:
    """Whether some column holds numbers that only a decimal comma explains."""
    return any(_in_commas(column) and bool(column.str.fullmatch(_CERTAIN).any()) for _, column in table.items())


def _in_commas(column: "pd.Series[str]") -> bool:
    known = column.dropna()
    return bool(len(known) and known.str.contains(",", regex=False).any() and known.str.fullmatch(_COMMA).all())


def _in_thousands(column: "pd.Series[str]") -> bool:
    known = column.dropna()
    return bool(len(known) and known.str.contains(".", regex=False).any() and known.str.fullmatch(_GROUPS).all())


def _with_points(column: "pd.Series[str]") -> "pd.Series[str]":
    """A column of numbers, where the decimal mark is a comma, written with points; other columns as they are.

    >>> [_with_points(pd.Series(cells)).tolist() for cells in (["1.234,5", "-2"], ["1.234", "999"], ["a,b"], ["0.125"])]
    [['1234.5', '-2'], ['1234', '999'], ['a,b'], ['0.125']]
    """
    if not (_in_commas(column) or _in_thousands(column)):
        return column
    return column.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
