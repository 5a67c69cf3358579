"""Predictions for rows that are read in batches, as an array or as a Parquet file."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.exceptions import TableError
from rulenet.fitted import Fitted
from rulenet.replacing import replacing
from rulenet.shards.arrow import needed
from rulenet.shards.sources import Source, Types


def known_columns(fitted: Fitted, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of a batch that were there in fit, in their order; others, such as the target, are left out."""
    if not fitted.encoding.named:
        return frame
    names = [a.name for a in fitted.encoding.attributes if a.name in frame.columns]
    return frame if list(frame.columns) == names else frame[names]


def each_batch(fitted: Fitted, source: Source, function: Callable[[pd.DataFrame], NDArray[Any]]) -> NDArray[Any]:
    """What ``function`` says of the rows of every batch, one after the other."""
    found = [function(known_columns(fitted, frame)) for frame in source.rows()]
    if not found:
        raise TableError(f"{source.name}: has no rows, but at least one is required")
    return np.concatenate(found)


def with_predictions(
    fitted: Fitted, source: Source, n_jobs: int | None, proba: bool, name: str, abstain: bool = False
) -> Iterator[pd.DataFrame]:
    """Every batch with a column of predicted classes and, if wished, one for the probability of every class."""
    for frame in source.read(None):
        rows = known_columns(fitted, frame)
        new = {name: fitted.predict(rows, n_jobs, abstain)}
        if proba:
            labels = [f"probability_{label}" for label in fitted.classes]
            new |= dict(zip(labels, fitted.probabilities(rows, n_jobs).T, strict=True))
        taken = [column for column in new if column in frame.columns]
        if taken:
            raise TableError(f"{source.name}: has a column {taken[0]!r} already; give the predictions another name")
        yield frame.assign(**new)


def types_with_predictions(fitted: Fitted, source: Source, name: str) -> Types:
    """The types of the columns to write, as far as they are known: a first batch may have no value, nor an answer."""
    return {**source.types(), name: needed("pyarrow").array(fitted.classes).type}


def write_parquet(frames: Iterator[pd.DataFrame], path: str | os.PathLike[str], types: Types | None = None) -> int:
    """Write batches to one Parquet file, and return how many rows there were; without any there is no file.

    Columns have the ``types`` that are known, others that of the first batch, whose index is kept if it has labels.
    """
    arrow, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        writer, n_rows = None, 0
        try:
            for frame in frames:
                if writer is None:
                    writer = parquet.ParquetWriter(file, _schema_of(arrow, frame, types or {}))
                writer.write_table(_table_like(arrow, frame, writer.schema))
                n_rows += len(frame)
        finally:
            if writer is not None:
                writer.close()
        if writer is None:
            raise TableError("there are no rows to predict, but at least one is required")
    return n_rows


def _schema_of(arrow: Any, frame: pd.DataFrame, types: Types) -> Any:
    labelled = not isinstance(frame.index, pd.RangeIndex)
    found = arrow.Schema.from_pandas(frame, preserve_index=labelled)
    return arrow.schema([field.with_type(types.get(field.name, field.type)) for field in found], found.metadata)


def _table_like(arrow: Any, frame: pd.DataFrame, schema: Any) -> Any:
    labelled = len(schema) > frame.shape[1]
    unknown = [name for name in map(str, frame.columns) if name not in schema.names]
    if unknown:
        raise TableError(f"a later batch has the column {unknown[0]!r}, but the first one, which was written, has not")
    try:
        return arrow.Table.from_pandas(frame, schema=schema, preserve_index=labelled)
    except (arrow.ArrowException, KeyError, ValueError) as error:
        raise TableError(f"a later batch has other types than the first, which Parquet cannot hold: {error}") from error
