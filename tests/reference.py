"""Slow, obvious versions of what rulenet computes; imports nothing from rulenet."""

import numbers

import pandas as pd


def encode(rows, values, not_equal=False):
    """For every row the truth of every literal, where ``values`` are those of every column."""
    return [
        [truth for cell, known in zip(row, values, strict=True) for truth in encode_cell(cell, known, not_equal)]
        for row in rows
    ]


def encode_cell(cell, known, not_equal=False):
    equal = [is_same(cell, value) for value in known]
    if not_equal and len(known) > 2:
        return equal + [any(equal) and not truth for truth in equal]
    return equal


def is_same(cell, value):
    return not pd.isna(cell) and kind(cell) == kind(value) and bool(cell == value)


def kind(cell):
    if type(cell).__name__ in ("bool", "bool_"):
        return "Boolean"
    if isinstance(cell, str):
        return "text"
    return "numeric" if isinstance(cell, numbers.Number) else type(cell).__name__


def values_of(cells):
    """The different values of a column without declared ones, in order."""
    found = []
    for cell in cells:
        if not pd.isna(cell) and not any(is_same(cell, value) for value in found):
            found.append(cell)
    return sorted(found, key=lambda cell: (kind(cell), cell))
