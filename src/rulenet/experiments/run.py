"""Running a study: in parallel, with progress, resumable."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score

from rulenet.experiments.confusion import count_pairs
from rulenet.experiments.progress import show_progress
from rulenet.experiments.results import open_results, read_results
from rulenet.experiments.scores import judge
from rulenet.experiments.study import Fit, Measure, Study, Table


def run_study(
    study: Study,
    path: str | os.PathLike[str],
    n_jobs: int | None = None,
    progress: bool = False,
    prefer: Literal["processes", "threads"] = "processes",
    patience: float | None = None,
) -> pd.DataFrame:
    """The results of ``study``: those in the file at ``path``, and those still missing there.

    Every finished fit is on the disk before the next one is. A study that was stopped, even by ``kill -9``, is
    resumed by the same call: fits in the file are not repeated. A fit that raises an error is a row with the error.

    Parameters
    ----------
    study : Study
    path : path of a CSV file
        Begun if absent. The versions of all sessions stand in the file of the same name that ends in .json.
    n_jobs : int, optional
        As joblib has it; within ``joblib.parallel_config`` the fits run on the backend chosen there, such as "dask".
    progress : bool
        Show a bar with the time left, on standard error.
    prefer : {"processes", "threads"}
        Threads start at once, which counts where all fits together take seconds; rule networks run well in them.
    patience : float, optional
        Give every fit a process of its own, note the memory that it takes at most, and stop it after so many seconds.
        What learners and measures are made of must then be importable, so no lambdas.
    """
    path = Path(path)
    with open_results(path, study) as (results, session):
        finished = results.finished()
        missing = [fit for fit in study.fits() if fit not in finished]
        n_fits = len(missing) + sum(fit in finished for fit in study.fits())
        with show_progress(path.stem, n_fits - len(missing), n_fits) if progress else nullcontext(_ignore) as advance:
            for row in run_fits(study, missing, n_jobs, prefer, patience):
                results.append({**row, "session": session})
                advance(row)
    return read_results(path)


def _ignore(row: dict[str, object]) -> None:
    pass


def run_fits(
    study: Study,
    fits: Iterable[Fit] | None = None,
    n_jobs: int | None = None,
    prefer: Literal["processes", "threads"] = "processes",
    patience: float | None = None,
) -> Iterator[dict[str, object]]:
    """The row of results of every fit, by default all of the study, in the order in which they finish; no file."""
    load = lru_cache(maxsize=1)(lambda dataset: study.datasets[dataset]())
    split = lru_cache(maxsize=1)(lambda dataset, seed: list(study.splitter(dataset, seed).split(*load(dataset))))
    run = execute if patience is None else partial(execute_alone, patience=patience)

    def tasks() -> Iterator[Any]:
        for fit in study.fits() if fits is None else fits:
            train, test = split(fit.dataset, fit.seed if study.fold_seed is None else 0)[fit.fold]
            learner = study.learners[fit.learner]
            yield delayed(run)(fit, learner, load(fit.dataset), train, test, dict(study.measures), study.confusion)

    rows: Iterator[dict[str, object]] = Parallel(n_jobs, prefer=prefer, return_as="generator_unordered")(tasks())
    return rows


def execute(
    fit: Fit,
    learner: Callable[[int], Any],
    table: Table,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    measures: dict[str, Measure],
    confusion: bool = False,
) -> dict[str, object]:
    """The row of results of one fit; making the learner is not timed."""
    X, y = table
    row: dict[str, object] = {
        "dataset": fit.dataset,
        "learner": fit.learner,
        "seed": fit.seed,
        "fold": fit.fold,
        "train_majority": y.iloc[train].value_counts(normalize=True).max(),
        "n_train": len(train),
        "n_test": len(test),
    }
    try:
        model = learner(fit.seed)
        start = perf_counter()
        model.fit(X.iloc[train], y.iloc[train])
        row["fit_seconds"] = round(perf_counter() - start, 6)
        row |= judge(model, X.iloc[test], y.iloc[test])
        if confusion:
            row["confusion"] = count_pairs(y.iloc[test], model.predict(X.iloc[test]))
        row["train_accuracy"] = accuracy_score(y.iloc[train], model.predict(X.iloc[train]))
        return row | {name: measure(model) for name, measure in measures.items()}
    except Exception as error:  # a study of days goes on when one learner fails on one fold
        return row | {"error": f"{type(error).__name__}: {error}".replace("\n", " ")}


def execute_alone(fit: Fit, *rest: Any, patience: float) -> dict[str, object]:
    """As `execute`, in a process of its own that is stopped after ``patience`` seconds."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, fit, *rest))
    process.start()
    there.close()
    try:
        if here.poll(patience):
            row: dict[str, object] = here.recv()
            return row
        error = f"stopped after {patience:.0f} s"
    except EOFError:
        process.join()
        error = f"the process ended with code {process.exitcode}"
    finally:
        process.kill()
        process.join()
    return {"dataset": fit.dataset, "learner": fit.learner, "seed": fit.seed, "fold": fit.fold, "error": error}


def _answer(pipe: Connection, *arguments: Any) -> None:
    row = execute(*arguments)
    try:
        import resource
    except ImportError:  # not on this system
        megabytes = np.nan
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        megabytes = peak / (1 << 10 if sys.platform == "linux" else 1 << 20)
    pipe.send(row | {"memory": round(megabytes, 1)})
