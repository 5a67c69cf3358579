"""An experiment as a declaration: which learners on which data sets, which folds, which seeds."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sklearn.model_selection import StratifiedKFold

from rulenet.exceptions import ParameterError

Table = tuple[pd.DataFrame, pd.Series]
Loader = Callable[[], Table]
Learner = Callable[[int], Any]
Measure = Callable[[Any], object]


@dataclass(frozen=True, slots=True, order=True)
class Fit:
    """One cell of a study: a learner with a seed, trained on all folds but one, tested on that one."""

    dataset: str
    learner: str
    seed: int
    fold: int


@dataclass(frozen=True, slots=True)
class Study:
    """Every learner, with every seed, on every fold of every data set.

    Parameters
    ----------
    datasets : mapping of names to functions that return ``(X, y)``
    learners : mapping of names to functions that take a seed and return a scikit-learn classifier
    seeds : sequence of int, or a mapping of the names of data sets to such sequences
    n_splits : int
        Folds are stratified and shuffled.
    folds : sequence of int, optional, or a mapping of the names of data sets to such sequences
        The folds that are tested on, by default all: for one fold of many data sets rather than all folds of a few.
    fold_seed : int, optional
        The seed of the folds; without it the folds follow the learner's seed.
    splitters : mapping of names of data sets to scikit-learn splitters
        The folds of data sets that have their own, such as ``PredefinedSplit`` for one training and one test part.
    measures : mapping of names to functions of the fitted classifier
        Further columns of the results.
    confusion : bool
        Whether rows of results tell how often each class was given to rows of each; files of results do not hold that.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from rulenet.datasets import make_monk
    >>> study = Study(
    ...     datasets={"monk-1": lambda: make_monk(1)},
    ...     learners={"CART": lambda seed: DecisionTreeClassifier(random_state=seed)},
    ...     seeds=(0, 1),
    ... )
    >>> [(fit.seed, fit.fold) for fit in study.fits()]
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    datasets: Mapping[str, Loader]
    learners: Mapping[str, Learner]
    seeds: Sequence[int] | Mapping[str, Sequence[int]] = (0,)
    n_splits: int = 2
    folds: Sequence[int] | Mapping[str, Sequence[int]] | None = None
    fold_seed: int | None = 0
    splitters: Mapping[str, Any] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    confusion: bool = False

    def __post_init__(self) -> None:
        if self.n_splits < 2:
            raise ParameterError(f"n_splits is {self.n_splits}, but a test fold and a training fold need at least 2")
        for dataset in self.datasets:
            if not set(self.folds_of(dataset)) <= set(range(n_splits := self.splitter(dataset).get_n_splits())):
                raise ParameterError(f"folds is {self.folds!r}, but with n_splits={n_splits} they count from 0")
        if isinstance(self.seeds, Mapping) and (missing := set(self.datasets) - set(self.seeds)):
            raise ParameterError(f"seeds has no entry for the data set {min(missing)!r}")

    def seeds_of(self, dataset: str) -> Sequence[int]:
        """The learners' seeds on ``dataset``."""
        return self.seeds[dataset] if isinstance(self.seeds, Mapping) else self.seeds

    def splitter(self, dataset: str, seed: int = 0) -> Any:
        """What divides ``dataset`` into folds, for a learner with this seed."""
        if dataset in self.splitters:
            return self.splitters[dataset]
        fold_seed = seed if self.fold_seed is None else self.fold_seed
        return StratifiedKFold(self.n_splits, shuffle=True, random_state=fold_seed)

    def folds_of(self, dataset: str) -> Sequence[int]:
        """The folds of ``dataset`` that are tested on."""
        chosen = self.folds.get(dataset) if isinstance(self.folds, Mapping) else self.folds
        return range(self.splitter(dataset).get_n_splits()) if chosen is None else chosen

    def fits(self) -> Iterator[Fit]:
        """Every fit of the study, data set by data set."""
        for dataset in self.datasets:
            for learner in self.learners:
                for seed in self.seeds_of(dataset):
                    for fold in self.folds_of(dataset):
                        yield Fit(dataset, learner, seed, fold)

    def protocol(self) -> dict[str, Any]:
        """What must not change when a study is resumed; data sets, learners, seeds and folds may be added."""
        return {
            "n_splits": self.n_splits,
            "fold_seed": self.fold_seed,
            "splitters": {name: type(splitter).__name__ for name, splitter in self.splitters.items()},
            "measures": sorted(self.measures),
            "learners": {name: _describe(learner(0)) for name, learner in self.learners.items()},
        }


def _describe(estimator: Any) -> str:
    """The class and the parameters of an estimator, the same in every process: no addresses of functions."""
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    shown = sorted((name, value) for name, value in parameters.items() if not hasattr(value, "get_params"))
    text = f"{type(estimator).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"
    return re.sub(r" at 0x[0-9a-f]+", "", text)
