"""The file of results: a line a finished fit, which outlives any crash.

A line is written whole, with its line end last, and flushed to the disk before the next one. A process
killed at any moment leaves at most one line without its end, which the next session cuts off.
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pandas as pd

from rulenet.exceptions import RuleNetError
from rulenet.experiments.environment import describe_environment
from rulenet.experiments.scores import SCORES
from rulenet.experiments.study import Fit, Study
from rulenet.replacing import replacing

KEY = ("dataset", "learner", "seed", "fold")
COLUMNS = (
    *KEY,
    *SCORES,
    *("train_accuracy", "train_majority", "fit_seconds", "memory", "n_train", "n_test", "session", "error"),
)


class ResultsError(RuleNetError, ValueError):
    """A file of results that another study wrote, or another process is writing."""


class ResultsFile:
    """An open file of results that takes one line a fit; use :func:`open_results`."""

    def __init__(self, path: Path, columns: Sequence[str], descriptor: int) -> None:
        self.path, self.columns, self._descriptor = path, tuple(columns), descriptor

    @classmethod
    def start(cls, path: Path, columns: Sequence[str], descriptor: int) -> Self:
        """Cut off a torn last line; write the header into an empty file, check it in another."""
        results = cls(path, columns, descriptor)
        whole = path.read_bytes().rpartition(b"\n")[0]
        os.ftruncate(descriptor, len(whole) + 1 if whole else 0)
        header = whole.split(b"\n", 1)[0].decode()
        if not whole:
            results._write(columns)
        elif header.split(",") != list(columns):
            raise ResultsError(f"{path} has the columns {header}, but this study writes {','.join(columns)}")
        return results

    def append(self, row: Mapping[str, object]) -> None:
        """Add a line, on the disk when this returns."""
        self._write([row.get(name, "") for name in self.columns])

    def _write(self, values: Sequence[object]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        size = os.fstat(self._descriptor).st_size
        try:
            rest = memoryview(line.getvalue().encode())
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, size)  # a full disk takes part of a line
            raise

    def finished(self) -> set[Fit]:
        """The fits that the file holds."""
        rows = read_results(self.path)
        return {Fit(*row) for row in rows[list(KEY)].itertuples(index=False, name=None)}


@contextmanager
def open_results(path: Path, study: Study) -> Iterator[tuple[ResultsFile, int]]:
    """The file at ``path``, locked for this process, and the number of this session.

    Beside it, ``path`` with the suffix .json, stand the study's protocol and the environment of every session.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        _lock(descriptor, path)
        session = _record_session(path.with_suffix(".json"), study)
        yield ResultsFile.start(path, (*COLUMNS, *study.measures), descriptor), session
    finally:
        os.close(descriptor)


def read_results(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The results at ``path``, a row a fit; a torn last line is left out.

    The columns are dataset, learner, seed, fold; accuracy, balanced_accuracy, auc, log_loss on the test rows and size;
    train_accuracy, train_majority (the share of the larger class among the training rows), fit_seconds, memory (the
    peak of its process in megabytes, where each fit has its own), n_train, n_test, session (its number in the .json
    file beside), error, and the study's own measures.
    """
    whole = Path(path).read_bytes().rpartition(b"\n")[0]
    return pd.read_csv(io.BytesIO(whole), dtype={"dataset": str, "learner": str, "error": str})


def read_sessions(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The environment of every session that wrote to the results at ``path``."""
    record: dict[str, Any] = json.loads(Path(path).with_suffix(".json").read_text())
    return list(record["sessions"])


def forget_results(path: str | os.PathLike[str], learners: Iterable[str] | None = None) -> None:
    """Drop the results of some learners, or all, so that the next run of the study fits them again."""
    path = Path(path)
    if not path.exists():
        return
    if learners is None:
        path.unlink()
        path.with_suffix(".json").unlink(missing_ok=True)
        return
    forgotten, whole = set(learners), path.read_text().rpartition("\n")[0]
    header, *rows = csv.reader(io.StringIO(whole))
    with replacing(path) as place, place.open("w", newline="") as file:
        kept_rows = [row for row in rows if row[header.index("learner")] not in forgotten]
        csv.writer(file, lineterminator="\n").writerows([header, *kept_rows])
    record = json.loads(path.with_suffix(".json").read_text())
    kept = {name: text for name, text in record["protocol"]["learners"].items() if name not in forgotten}
    record["protocol"]["learners"] = kept
    _replace_text(path.with_suffix(".json"), json.dumps(record, indent=2))


def _replace_text(path: Path, text: str) -> None:
    with replacing(path) as place:
        place.write_text(text)


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such locks on this system: two sessions at once are the user's to avoid
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ResultsError(f"another process is writing to {path}") from error


def _record_session(path: Path, study: Study) -> int:
    """Append this session's environment to the record; returns its number."""
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"sessions": []}
    record["protocol"] = _joined(record.get("protocol"), study.protocol(), path)
    record["sessions"].append(describe_environment())
    _replace_text(path, json.dumps(record, indent=2))
    return len(record["sessions"]) - 1


def _joined(before: dict[str, Any] | None, now: dict[str, Any], path: Path) -> dict[str, Any]:
    """The protocol of both; learners may be added, the rest must agree."""
    if before is None:
        return now
    for name in ("n_splits", "fold_seed", "measures"):
        if before[name] != now[name]:
            raise ResultsError(f"{path} was begun with {name} = {before[name]}, but this study has {now[name]}")
    for name, learner in now["learners"].items():
        if before["learners"].get(name, learner) != learner:
            raise ResultsError(f"{path}: {name} was {before['learners'][name]}, but is {learner} in this study")
    return {
        **now,
        "learners": before["learners"] | now["learners"],
        "splitters": before.get("splitters", {}) | now["splitters"],
    }
