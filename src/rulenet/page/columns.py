"""Columns of a table as packed codes and the few values that they stand for."""

import base64
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import MISSING, UNKNOWN, Attribute
from rulenet.encoding import Encoding
from rulenet.encoding.measures import NAT
from rulenet.encoding.tables import Table, read_table
from rulenet.formulas.export.values import EXACT

#: The most characters of texts that no cell holds: names, identifiers, comments.
MAX_TEXT = 60
MAX_TEXTS = 300_000
WIDTHS = (1, 2, 4, 8, 16, 32)


def columns_of(encoding: Encoding, table: Any, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Every column of some rows of a table: codes in as few bits as they need, and what the codes stand for.

    Codes of a measured column count its distinct ``values``, rising; those of others its cells, then ``others``,
    texts that no cell holds. The code after all of these is a missing value.
    """
    codes = encoding.codes(table)[rows]
    numbers = encoding.measured(table, [a.name for a in encoding.attributes if a.measured])
    source = read_table(table)
    whole = source.n_columns == len(encoding.attributes)
    places = {name: i for i, name in enumerate(source.names)}
    found, room = list[dict[str, Any]](), MAX_TEXTS
    for i, attribute in enumerate(encoding.attributes):
        if attribute.measured:
            found.append(_measured(attribute, numbers[attribute.name][rows]))
            continue
        at = i if whole else places[attribute.name]
        column = _listed(attribute, codes[:, i], partial(_cells, source, at, rows), room)
        room -= sum(map(len, column["others"]))
        found.append(column)
    return found


def _cells(source: Table, at: int, rows: NDArray[np.int64]) -> NDArray[Any]:
    return np.asarray(source.column(at), object)[rows]


def packed(codes: NDArray[np.int64], most: int) -> dict[str, Any]:
    """Codes from 0 to ``most`` in as few bits each as 1, 2, 4, 8, 16 or 32, the first in the lowest bits.

    >>> packed(np.array([1, 0, 3, 2]), 3)
    {'bits': 2, 'codes': 'sQ=='}
    """
    width = next(w for w in WIDTHS if most < 1 << w)
    if width >= 8:
        data = codes.astype(f"<u{width // 8}").tobytes()
    else:
        planes = (codes[:, np.newaxis] >> np.arange(width)) & 1
        data = np.packbits(planes.astype(np.uint8).ravel(), bitorder="little").tobytes()
    return {"bits": width, "codes": base64.b64encode(data).decode("ascii")}


def _measured(attribute: Attribute, values: NDArray[Any]) -> dict[str, Any]:
    missing = np.isnan(values) if attribute.kind == "numeric" else values == NAT
    distinct, places = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), len(distinct), np.int64)
    codes[~missing] = places
    return {"values": [exact(v) for v in distinct.tolist()], **packed(codes, len(distinct))}


def exact(value: float) -> float | str:
    """A number as JSON holds it; text where JavaScript would round it, and for infinity."""
    kept = abs(value) < EXACT if isinstance(value, int) else np.isfinite(value)
    return value if kept else str(value)


def _listed(
    attribute: Attribute, codes: NDArray[np.int64], texts: Callable[[], NDArray[Any]], room: int
) -> dict[str, Any]:
    n_cells = attribute.n_cells
    unknown = codes == UNKNOWN
    others, mine = list[str](), np.zeros(0, np.int64)
    if unknown.any():
        shown = np.array([_shown(v) for v in texts()[unknown]], dtype=object)
        others, mine = [x.tolist() for x in np.unique(shown.astype(str), return_inverse=True)]
        if sum(map(len, others)) > room:
            others, mine = ["(another value)"], np.zeros(int(unknown.sum()), np.int64)
    new = np.where(codes == MISSING, n_cells + len(others), codes)
    new[unknown] = n_cells + np.asarray(mine, np.int64)
    return {"others": others, **packed(new, n_cells + len(others))}


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
