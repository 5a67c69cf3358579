"""Running a study: in parallel, with progress, resumable."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold

from rulenet.experiments.progress import show_progress
from rulenet.experiments.results import open_results, read_results
from rulenet.experiments.study import Fit, Measure, Study, Table


def run_study(
    study: Study,
    path: str | os.PathLike[str],
    n_jobs: int | None = None,
    progress: bool = False,
    prefer: Literal["processes", "threads"] = "processes",
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
    """
    path = Path(path)
    with open_results(path, study) as (results, session):
        finished = results.finished()
        missing = [fit for fit in study.fits() if fit not in finished]
        n_fits = len(missing) + sum(fit in finished for fit in study.fits())
        with show_progress(path.stem, n_fits - len(missing), n_fits) if progress else nullcontext(_ignore) as advance:
            for row in _rows(study, missing, Parallel(n_jobs, prefer=prefer, return_as="generator_unordered")):
                results.append({**row, "session": session})
                advance(row)
    return read_results(path)


def _ignore(row: dict[str, object]) -> None:
    pass


def _rows(study: Study, fits: Iterable[Fit], parallel: Parallel) -> Iterator[dict[str, object]]:
    """A row for every fit, in the order in which they finish."""
    load = lru_cache(maxsize=1)(lambda dataset: study.datasets[dataset]())
    split = lru_cache(maxsize=1)(lambda dataset, seed: _split(load(dataset), study.n_splits, seed))

    def tasks() -> Iterator[Any]:
        for fit in fits:
            train, test = split(fit.dataset, fit.seed if study.fold_seed is None else study.fold_seed)[fit.fold]
            learner = study.learners[fit.learner]
            yield delayed(execute)(fit, learner, load(fit.dataset), train, test, dict(study.measures))

    rows: Iterator[dict[str, object]] = parallel(tasks())
    return rows


def _split(table: Table, n_splits: int, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    return list(folds.split(*table))


def execute(
    fit: Fit,
    learner: Callable[[int], Any],
    table: Table,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    measures: dict[str, Measure],
) -> dict[str, object]:
    """The row of results of one fit."""
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
        model, start = learner(fit.seed), perf_counter()
        model.fit(X.iloc[train], y.iloc[train])
        row["fit_seconds"] = round(perf_counter() - start, 6)
        row["accuracy"] = accuracy_score(y.iloc[test], model.predict(X.iloc[test]))
        row["train_accuracy"] = accuracy_score(y.iloc[train], model.predict(X.iloc[train]))
        return row | {name: measure(model) for name, measure in measures.items()}
    except Exception as error:  # a study of days goes on when one learner fails on one fold
        return row | {"error": f"{type(error).__name__}: {error}".replace("\n", " ")}
