"""What a fitted classifier says of rows, also of tables in batches and partitions: classes, probabilities, margins."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rulenet.fitted_targets import FittedTargets
from rulenet.labels import labels_of, targets_of
from rulenet.readable import Readable
from rulenet.shards.partitions import is_partitioned, predict_partitions
from rulenet.shards.sources import is_source, open_source
from rulenet.shards.streams import each_batch, types_with_predictions, with_predictions, write_parquet


class Predicting(Readable, ClassifierMixin):  # type: ignore[misc]
    """Methods that predict, of a classifier whose ``fitted_`` is a `Fitted`."""

    n_jobs: int | None

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row of ``X``; for several targets, (n_rows, n_targets).

        With ``on_conflict="abstain"`` it may be None.
        """
        check_is_fitted(self)
        if is_partitioned(X):
            fitted = self.one_target("a partitioned table")
            return predict_partitions(fitted, X, proba=False, abstain=self._abstains)  # type: ignore[no-any-return]
        return self._each(X, lambda rows: self.fitted_.predict(rows, self.n_jobs, self._abstains))

    def _each(self, X: Any, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """What ``function`` says of every row, which may come in batches."""
        if is_source(X):
            return each_batch(self.one_target("a table in batches"), open_source(X), function)
        return function(X)

    def predict_to(self, X: Any, path: str | os.PathLike[str], *, proba: bool = False, name: str = "prediction") -> int:
        """Write ``X`` with its predictions to a Parquet file, batch by batch, and return the number of rows.

        Parameters
        ----------
        X : path, Arrow dataset, DuckDB relation, function or iterator of DataFrames, DataFrame
            Columns that were not there in ``fit``, such as the target, are kept and not read.
        path : path
            The file to write; it is there once it is complete.
        proba : bool
            Whether to write a column with the probability of every class too.
        name : str
            The name of the column with the predicted classes.
        """
        check_is_fitted(self)
        source = open_source(X if is_source(X) else [X])
        fitted = self.one_target("predict_to")
        frames = with_predictions(fitted, source, self.n_jobs, proba, name, self._abstains)
        return write_parquet(frames, path, types_with_predictions(fitted, source, name))

    def predict_proba(self, X: Any) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """The probability of each class: the more rules hold, or the fewer, the surer.

        For several targets a list with the probabilities of each, as forests give it.
        """
        check_is_fitted(self)
        if isinstance(self.fitted_, FittedTargets):
            return self.fitted_.probabilities(X, self.n_jobs)
        fitted = self.fitted_
        if is_partitioned(X):
            return predict_partitions(fitted, X, proba=True)  # type: ignore[no-any-return]
        return self._each(X, lambda rows: fitted.probabilities(rows, self.n_jobs))

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows whose class is right; for several targets, of rows in which all of them are.

        A row without an answer is not right.
        """
        check_is_fitted(self)
        if isinstance(self.fitted_, FittedTargets):
            columns = targets_of(X, y, self.fitted_.classes_of)
        elif self._abstains:
            columns = {"": labels_of(X, y, self.classes_)}
        else:
            return float(super().score(X, y, sample_weight))
        known = np.column_stack([labels.astype(object) for labels in columns.values()])
        right = np.all(self.predict(X).reshape(known.shape) == known, axis=1)
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    @available_if(lambda self: not isinstance(getattr(self, "fitted_", None), FittedTargets))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """By how much classes are preferred.

        For two classes it is the margin of the output plus one half, negated if the output describes the first class;
        for several, the margin of every class, (n_rows, n_classes), with up to a half more for the more frequent ones,
        which win ties. Where ``y`` had several columns there is none, as forests have none: ``decision_path`` has all
        margins.
        """
        check_is_fitted(self)
        fitted = self.one_target("decision_function")
        margins, n = fitted.margins(X, self.n_jobs), len(fitted.outputs)
        if n > 1:
            return np.asarray((margins - np.arange(n) / (2 * n))[:, np.argsort(fitted.outputs)])
        return np.asarray((margins[:, 0] + 0.5) * (1 if fitted.outputs[0] == 1 else -1))
