"""Tables that are read in batches: folders of Parquet files, and Parquet files of many rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from rulenet.cli.tables import check_columns, masked
from rulenet.exceptions import ParameterError, TableError
from rulenet.shards.arrow import needed
from rulenet.shards.sources import Source, open_source

if TYPE_CHECKING:
    from rulenet.cli.options import Files

#: Rows from which on a Parquet file is read in batches.
MANY_ROWS = 1 << 18


def is_large(path: str) -> bool:
    """Whether a table is read in batches."""
    if path == "-":
        return False
    if Path(path).is_dir():
        return True
    if not path.endswith((".parquet", ".pq")) or not Path(path).is_file():
        return False
    try:
        return int(needed("pyarrow.parquet").ParquetFile(path).metadata.num_rows) > MANY_ROWS
    except (ValueError, OSError):  # whoever reads it will say what is wrong
        return False


class Large:
    """A table in batches, as the options of the command say."""

    def __init__(self, path: str, files: "Files", drop: Sequence[str] = ()) -> None:
        for option in ("sep", "encoding", "decimal"):
            if getattr(files, option) is not None:
                raise ParameterError(f"--{option} is for text, but {path} is read as Parquet")
        self.path, self._drop, self._na = path, list(drop), files.na
        self._source = open_source(path)
        for frame in self._source.read(None):
            self.columns = [str(name) for name in frame.columns]
            break
        else:
            raise TableError(f"{path}: has no rows")

    @property
    def source(self) -> Source:
        """The batches."""
        return Source(self.path, self.read, types=self._source.types)

    def read(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """All batches, or some columns of them."""
        for frame in self._source.read(columns):
            yield masked(frame.drop(columns=self._drop, errors="ignore"), self._na)

    def counts(self, target: str) -> "pd.Series[int]":
        """How many rows every class has, as text."""
        check_columns([target], self.columns, self.path)
        total: pd.Series[int] = pd.Series(dtype=int)
        for n_before, frame in enumerate(self.read([target])):
            labels = frame[target]
            if labels.isna().any():
                raise TableError(f"{self.path}: column {target!r} is missing in batch {n_before}; remove such rows")
            total = total.add(labels.map(str).value_counts(), fill_value=0).astype(int)
        return total.rename(target)
