"""Runs the fits of a part and appends each to a file; what the file holds already is not run again."""

import hashlib
import multiprocessing
import resource
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

import pandas as pd

import rulenet
from benchmarks.accuracy.learners import ENSEMBLES, LEARNERS, fit_within
from benchmarks.accuracy.names import OURS, PEERS, in_time_of
from benchmarks.accuracy.plan import Part
from benchmarks.accuracy.tasks import Data, Task, artificial_tasks

KEY = ["part", "group", "task", "fold", "learner", "seed"]
FIGURES = ["accuracy", "seconds", "size", "units", "conditions"]
# Seconds allowed, peak megabytes of the process, which version of our code, and what went wrong.
COLUMNS = [*KEY, *FIGURES, "limit", "memory", "code", "error"]
Row = dict[str, object]


def measure(parts: Mapping[str, Part], path: Path, n_seeds: int, quick: bool = False) -> None:
    """Run what ``path`` lacks of the ``parts``."""
    warm_up({name for part in parts.values() if part.patience is None for name in (*part.peers, *part.rivals)})
    for name, part in parts.items():
        for seed in range(n_seeds):
            for row in run_part(part, seed, quick, finished(path, name)):
                append(path, {"part": name, "code": code_version(), **row})


def read(path: Path) -> pd.DataFrame:
    """The results; of a fit that was run twice the later one. A line cut short by a kill counts as absent."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    frame = pd.read_csv(path, on_bad_lines="skip", dtype={"error": object, "code": object})
    return frame.dropna(subset=["code"]).drop_duplicates(KEY, keep="last").reset_index(drop=True)


def finished(path: Path, part: str) -> set[tuple[object, ...]]:
    frame = read(path)
    return set(frame.loc[frame["part"] == part, KEY[1:]].itertuples(index=False, name=None))


def append(path: Path, row: Row) -> None:
    line = pd.DataFrame([row], columns=COLUMNS).to_csv(index=False, header=not path.exists())
    with path.open("a") as file:
        file.write(line)
    print(*(row.get(c, "") for c in [*KEY, *FIGURES, "error"]), sep="\t", file=sys.stderr, flush=True)


def tidy(path: Path, forget: Iterable[str] = (), keep_peers: bool = False) -> None:
    """Rewrite the file without torn lines and without the results of the parts to ``forget``, peers' or not."""
    if path.exists():
        frame = read(path)
        dropped = frame["part"].isin(list(forget))
        if keep_peers:
            dropped &= ~frame["learner"].isin(PEERS)
        frame[~dropped].to_csv(path, index=False)


def run_part(part: Part, seed: int, quick: bool, done: set[tuple[object, ...]]) -> Iterator[Row]:
    for task in part.tasks(quick):
        learners = [*part.ours, *(part.peers if seed == 0 and task.with_peers else ())]
        learners += [in_time_of(rival) for rival in part.rivals]
        missing = [name for name in learners if (task.group, task.name, task.fold, name, seed) not in done]
        data = task.load() if missing else None
        for name in missing:
            assert data is not None
            rival = next((rival for rival in part.rivals if in_time_of(rival) == name), None)
            if rival is None:
                yield _key(task, name, seed) | run(name, data, seed, part.patience)
            else:
                yield from _run_against(rival, task, data, seed)


def _run_against(rival: str, task: Task, data: Data, seed: int) -> Iterator[Row]:
    """The rival now, on the machine as warm as it is, and ours within the seconds it took."""
    theirs = run(rival, data, 0)
    yield _key(task, rival, seed) | theirs
    if "seconds" in theirs:
        limit = float(str(theirs["seconds"]))
        yield _key(task, in_time_of(rival), seed) | {"limit": limit} | asdict(fit_within(data, seed, limit))


def _key(task: Task, learner: str, seed: int) -> Row:
    return {"group": task.group, "task": task.name, "fold": task.fold, "learner": learner, "seed": seed}


def run(learner: str, data: Data, seed: int, patience: float | None = None) -> Row:
    """The figures of one fit, or the error that ended it: one learner that fails does not end the report."""
    try:
        return asdict(LEARNERS[learner](data, seed)) if patience is None else run_alone(learner, data, seed, patience)
    except Exception as error:
        return {"error": repr(error)}


def run_alone(learner: str, data: Data, seed: int, patience: float) -> Row:
    """The fit in a process of its own, so that its memory can be told and its time bounded."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, learner, data, seed))
    process.start()
    there.close()
    try:
        answer: Row = here.recv() if here.poll(patience) else {"error": f"stopped after {patience:.0f} s"}
    except EOFError:
        process.join()
        answer = {"error": f"the process ended with code {process.exitcode}"}
    finally:
        process.kill()
        process.join()
    return answer


def _answer(pipe: Connection, learner: str, data: Data, seed: int) -> None:
    warm_up([learner])
    row = run(learner, data, seed)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20)
    pipe.send(row | {"memory": megabytes})


def warm_up(learners: Iterable[str]) -> None:
    """Load and compile what a first fit would."""
    data = next(iter(artificial_tasks(True))).load()
    fit_within(data, 0, 0.2)
    for name in set(learners) - {OURS, *ENSEMBLES}:
        LEARNERS[name](data, 0)


@cache
def code_version() -> str:
    """A short digest of our sources, so that a report tells when it mixes versions."""
    folder = Path(str(rulenet.__file__)).parent
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]
