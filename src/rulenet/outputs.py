"""Which classes the outputs of a network describe: one of two, or all of several."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import ParameterError, TableError
from rulenet.search.protocol import Search, defaults_of
from rulenet.shards.data import Data

Outputs = tuple[int, ...]


def outputs_to_try(rows: Data, search: Search, positive_class: Hashable, max_values: int) -> list[Outputs]:
    """The classes to describe, in order of preference; rows count by their weights."""
    order = _most_frequent_first(rows)
    if len(order) > 2:
        _check_several(rows.classes.tolist(), search, positive_class, max_values)
        return [order]  # the most frequent first, which wins a tie
    majority = order[0]
    match positive_class:
        case "auto":
            return [(majority,), (1 - majority,)] if defaults_of(search).both_classes else [(1 - majority,)]
        case "majority":
            return [(majority,)]
        case "minority":
            return [(1 - majority,)]
    found = [i for i, label in enumerate(rows.classes.tolist()) if label == positive_class]
    if not found:
        known = " and ".join(map(repr, rows.classes.tolist()))
        raise ParameterError(f"positive_class is {positive_class!r}, but the classes are {known}")
    return [(found[0],)]


def _most_frequent_first(rows: Data) -> Outputs:
    """The classes by what they weigh; those that weigh the same but for how sums are rounded, by their rows."""
    shares = np.round(rows.class_mass / rows.class_mass.sum(), 9)
    return tuple(np.lexsort([-rows.class_rows, -shares]).tolist())


def what_is_described(classes: NDArray[Any], outputs: Outputs) -> str:
    """The class that the output describes, or how many there are.

    >>> what_is_described(np.array(["no", "yes"]), (1,)), what_is_described(np.array(["a", "b", "c"]), (2, 0, 1))
    ('yes', '3 classes')
    """
    return f"{classes[outputs[0]]}" if len(outputs) == 1 else f"{len(outputs)} classes"


def _check_several(classes: list[Any], search: Search, positive_class: Hashable, max_values: int) -> None:
    """Refuse more than two classes where they cannot all be described."""
    n_classes = len(classes)
    if not defaults_of(search).several_classes:
        name = type(getattr(search, "inner", search)).__name__
        raise TableError(
            f"Only binary classification is supported. y holds {n_classes} classes, but {name} describes one of "
            "two: take search='auto', or compare one class with the rest, for example "
            f"y == {classes[0]!r}"
        )
    if positive_class != "auto":
        raise ParameterError(
            f"positive_class is {positive_class!r}, but y holds {n_classes} classes, which are all described: "
            f"compare one with the rest, for example y == {classes[0]!r}"
        )
    if n_classes > max_values:
        raise TableError(
            f"y holds {n_classes} classes, but expected at most {max_values}: merge rare classes, or raise max_values"
        )
