"""Tables that are almost right: bytes of files, and DataFrames of any dtype."""

import datetime
import decimal
import fractions
import gzip
import json
import random
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from rulenet import Encoding
from rulenet.cli.tables import Reading, read

FILES = [
    b"a,b,c\n1,x,2024-01-01\n2,y,2024-02-29\n,?,\n",
    b'a;b;c\n1,5;x;TRUE\n2,25;y;false\n-3,0;"z;z";true\n',
    'n\tö\n1e3\t"q""q"\n-inf\té\n'.encode("latin-1"),
    "\ufeffa,b\r\n1,2\r\n3,4\r\n".encode("utf-16"),
    b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": null}\n',
    b'[{"a": true}, {"a": false}]',
]
PIECES = [
    *(
        b",",
        b";",
        b"\t",
        b"\n",
        b"\r",
        b'"',
        b"'",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xfe\xff",
        b"PAR1",
        b"PK\x03\x04",
        b"\x1f\x8b",
    ),
    *(
        b"nan",
        b"1e999",
        b"0x1F",
        b"{",
        b"[" * 50_000,
        b",,,,," * 2000,
        b"\n" * 1000,
        b"x" * 200_000,
        b"9" * 5000,
        b"2024-13-45",
        b"#",
    ),
]
CELLS = [
    *(
        None,
        np.nan,
        pd.NA,
        pd.NaT,
        True,
        0,
        1,
        -1,
        2**70,
        0.5,
        np.inf,
        -np.inf,
        1j,
        "",
        "a",
        "1",
        "\ud800",
        "\x00",
        "x" * 1000,
    ),
    *(
        b"bytes",
        (1, 2),
        frozenset({1}),
        [1],
        {},
        decimal.Decimal("sNaN"),
        decimal.Decimal("1e400"),
        fractions.Fraction(1, 3),
    ),
    *(datetime.date(1, 1, 1), datetime.datetime(9999, 12, 31), datetime.time(1), datetime.timedelta.max),
    *(
        pd.Timestamp("2024-01-01", tz="UTC"),
        pd.Period("2024"),
        pd.Interval(0, 1),
        np.float16(1),
        np.str_("a"),
        object,
        float,
    ),
    *(np.datetime64("2024"), np.timedelta64(1, "Y"), np.array([1, 2]), pd.Timedelta(1)),
]
DTYPES = [
    *(
        "int8",
        "uint64",
        "float16",
        "float32",
        "float64",
        "longdouble",
        "complex128",
        "bool",
        "object",
        "str",
        "S3",
        "V4",
    ),
    *(
        "datetime64[s]",
        "datetime64[ns]",
        "timedelta64[us]",
        "category",
        "string",
        "boolean",
        "Int8",
        "UInt64",
        "Float32",
    ),
    *(
        "Sparse[int]",
        "period[M]",
        "interval",
        "datetime64[ns, UTC]",
        "int64[pyarrow]",
        "string[pyarrow]",
        "decimal128(9, 2)[pyarrow]",
    ),
    *(">f8", ">i4", "broken category"),
]


def make_file(draws: random.Random) -> bytes:
    """The bytes of a file with a few changes."""
    raw = draws.choice(FILES)
    for _ in range(draws.choice([0, 1, 1, 2, 5])):
        at, width = draws.randrange(len(raw) + 1), draws.choice([0, 0, 1, 3])
        piece = draws.choice([*PIECES, draws.randbytes(4), raw[:20], raw])
        raw = raw[:at] + piece + raw[at + width :]
    if draws.random() < 0.05:
        raw = gzip.compress(raw)[: draws.choice([10, 40, 10**6])]
    return raw


def check_file(raw: bytes) -> None:
    """A file is a table that can be learned from, or refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        path.write_bytes(raw)
        check_frame(read(str(path), Reading(max_bytes=20 << 20)))


def make_frame(draws: random.Random) -> pd.DataFrame:
    """A table of columns of any dtype."""
    n_rows = draws.choice([0, 1, 2, 3, 63, 64, 65, 5000])
    columns = [_make_column(draws, n_rows) for _ in range(draws.choice([0, 1, 2, 4]))]
    names = [draws.choice([f"c{i}", i, "\ud800", "x", None, 1.5, ("a", i), ""]) for i in range(len(columns))]
    frame = pd.DataFrame(dict(enumerate(columns)), index=range(n_rows))
    if draws.random() < 0.7:
        frame.columns = pd.Index([f"c{i}" for i in range(len(columns))])
    elif draws.random() < 0.7:
        frame.columns = pd.Index(names, dtype=object, tupleize_cols=draws.random() < 0.5)
    return frame


def _make_column(draws: random.Random, n_rows: int):
    dtype = draws.choice(DTYPES)
    numbers = np.array([draws.choice([0, 1, 2, 3, 100]) for _ in range(n_rows)])
    try:
        if dtype == "object":
            some = draws.sample(CELLS, draws.choice([1, 2, 4]))
            return pd.Series([draws.choice(some) for _ in range(n_rows)], dtype=object)
        if dtype == "broken category":
            return pd.Series(pd.Categorical.from_codes(numbers - 1, ["a", "b"], validate=False))
        if dtype == "interval":
            return pd.Series(pd.IntervalIndex.from_breaks(np.arange(n_rows + 1)))
        if dtype in ("S3", "V4", "str"):
            return pd.Series(list(numbers.astype("S3").astype(dtype)))
        column = pd.Series(numbers).astype(dtype)
        return column.mask(pd.Series(numbers == 3)) if draws.random() < 0.3 else column
    except (TypeError, ValueError, NotImplementedError):  # no such column: another dtype has its turn
        return pd.Series(numbers)


def check_frame(frame: pd.DataFrame) -> None:
    """A table is learned from and encoded, the same at once and one after the other, or refused."""
    encoding, words = Encoding.learn_encode(frame)
    assert np.array_equal(encoding.encode(frame), words)
    assert encoding.codes(frame).shape == (len(frame), len(encoding.attributes))
    assert json.dumps([str(condition) for condition in encoding.conditions])
