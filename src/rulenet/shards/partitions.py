"""Dask collections: partitions are looked at and packed where they are, and packed shards stay there.

Dask builds a shard again where its worker was lost.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from rulenet.exceptions import ParameterError, TableError, TableTypeError
from rulenet.fitted import Fitted
from rulenet.labels import is_other_order
from rulenet.search.problem import Problem
from rulenet.shards.cluster import compute, delayed, persist
from rulenet.shards.data import Mass
from rulenet.shards.pack import Joined, Recipe, Shard, pack
from rulenet.shards.parts import Part
from rulenet.shards.shards import Block, Shards
from rulenet.shards.streams import known_columns
from rulenet.shards.survey import Listed, Survey, count_rows, limit_of, look, n_kept

Result = TypeVar("Result")


def is_partitioned(table: object) -> bool:
    """Whether a table is a collection of Dask."""
    return hasattr(table, "__dask_graph__") and hasattr(table, "to_delayed")


class Partitions:
    """The rows of a Dask DataFrame, with a series of labels, and one of weights if any."""

    def __init__(self, table: Any, labels: Any, weights: Any = None) -> None:
        for said, what in ((labels, "y"), (weights, "sample_weight")):
            if not is_partitioned(said) and not (said is None and what == "sample_weight"):
                raise ParameterError(
                    f"{what} is a {type(said).__name__}, but X is a Dask DataFrame: {what} must be a Dask series with "
                    "the same partitions"
                )
        if getattr(table, "ndim", 2) != 2 or not hasattr(table, "columns"):
            raise TableTypeError(
                f"X is a Dask {type(table).__name__}, but expected a Dask DataFrame: use dask.dataframe"
            )
        for said, what in ((labels, "y"), (weights, "sample_weight")):
            if said is not None and said.ndim != 1:
                raise ParameterError(
                    f"{what} is a Dask {type(said).__name__} of {said.ndim} dimensions, but must be a Dask series: "
                    "choose one column"
                )
        self.weighted = weights is not None
        self._empty: pd.DataFrame = table._meta
        columns = _aligned_parts([x for x in (table, labels, weights) if x is not None])
        if len({len(parts) for parts in columns}) > 1:
            numbers = " and ".join(str(len(parts)) for parts in columns)
            raise TableError(f"X, y and weights have {numbers} partitions, but must be divided alike: repartition them")
        self._parts = [delayed(_part, *pieces) for pieces in zip(*columns, strict=True)]
        self._firsts: list[int] = []

    def survey(self, listed: Listed, class_weight: Mapping[Any, float]) -> Survey:
        """Count the rows of all partitions, then look at them."""
        n_rows = compute([delayed(count_rows, part, class_weight) for part in self._parts])
        self._firsts = np.cumsum([0, *n_rows[:-1]]).tolist()
        found = Survey(n_kept(self._empty.shape[1]))
        limit, columns = limit_of(sum(n_rows), found.n_most), listed(self._empty)
        calls = [
            delayed(look, part, columns, class_weight, first, limit)
            for part, first in zip(self._parts, self._firsts, strict=True)
        ]
        for seen in compute(calls):
            found.add(seen)
        if found.n_rows != sum(n_rows):
            raise TableError(
                f"the table had {sum(n_rows)} rows at first, but {found.n_rows} when it was read again: let Dask keep "
                "it (.persist())"
            )
        return found

    def pack(self, recipe: Recipe, n_rows: int, n_jobs: int | None) -> tuple[Problem, Mass, Shards | None]:
        """The rows that a search sees; all of them stay in shards where they are."""
        shared = delayed(_itself, recipe)
        calls = [delayed(pack, part, shared, first) for part, first in zip(self._parts, self._firsts, strict=True)]
        calls = persist(calls)
        samples = compute([delayed(_sample, call) for call in calls])
        room = Joined(recipe, sum(sample.problem.n_rows for sample in samples))
        for sample in samples:
            room.add(sample)
        return room.problem, room.mass, None if room.n_rows == n_rows else DaskShards(calls, n_rows)


class DaskShards:
    """Packed rows that are kept by Dask, a block a partition."""

    def __init__(self, calls: Sequence[Any], n_rows: int) -> None:
        self._calls, self.n_rows = calls, n_rows
        self.total_weight = sum(self.each(_total_weight))

    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        """What ``function`` makes of every block."""
        return compute([delayed(_on_shard, call, function, *args) for call in self._calls])


def predict_partitions(fitted: Fitted, table: Any, proba: bool, abstain: bool = False) -> Any:
    """The class of every row as a Dask series, or the probability of every class as a Dask DataFrame."""
    if proba:
        names = [str(label) for label in fitted.classes]
        meta = pd.DataFrame({name: np.zeros(0) for name in names})
        return table.map_partitions(_probabilities, fitted, names, meta=meta)
    classes = fitted.classes.astype(object) if abstain else fitted.classes
    nothing = pd.Series(classes, name="prediction")[:0]  # of the type that pandas gives to these classes
    return table.map_partitions(_predictions, fitted, abstain, nothing, meta=nothing)


def _predictions(rows: pd.DataFrame, fitted: Fitted, abstain: bool, nothing: "pd.Series[Any]") -> "pd.Series[Any]":
    if not len(rows):
        return nothing.set_axis(rows.index)
    found = fitted.predict(known_columns(fitted, rows), abstain=abstain)
    return pd.Series(found, index=rows.index, name="prediction", dtype=nothing.dtype)


def _probabilities(rows: pd.DataFrame, fitted: Fitted, names: list[str]) -> pd.DataFrame:
    found = fitted.probabilities(known_columns(fitted, rows)) if len(rows) else np.zeros((0, len(names)))
    return pd.DataFrame(found, index=rows.index, columns=names)


def _aligned_parts(collections: Sequence[Any]) -> list[list[Any]]:
    """The partitions of collections, as they are divided: Dask joins small files, more of them for fewer columns.

    Where that happened, partitions are asked for one by one.
    """
    found = [_delayed_parts(collection) for collection in collections]
    if all(len(parts) == collection.npartitions for parts, collection in zip(found, collections, strict=True)):
        return found
    return [[x for i in range(c.npartitions) for x in _delayed_parts(c.partitions[i])] for c in collections]


def _delayed_parts(collection: Any) -> list[Any]:
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def _part(table: pd.DataFrame, labels: Any, weights: Any = None) -> Part:
    for name, column in (("y", labels), ("sample_weight", weights)):
        if is_other_order(table, column):
            raise TableError(
                f"X and {name} have the same index in another order, but rows are matched by their position: divide "
                "and order both alike, best as columns of one Dask DataFrame"
            )
    return Part.of(table, labels, weights)


def _itself(value: Result) -> Result:
    return value


def _sample(shard: Shard) -> Shard:
    return shard.sample


def _on_shard(shard: Shard, function: Callable[..., Result], *args: Any) -> Result:
    return function(Block(shard.problem, 0, shard.problem.planes.shape[-1]), *args)


def _total_weight(block: Block) -> int:
    return block.problem.total_weight
