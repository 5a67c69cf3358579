"""`RuleNetworkClassifier`: scikit-learn wiring of encoding, search and network."""

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, _safe_indexing, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from rulenet import bits, model_file, progress
from rulenet.encoding import Encoding
from rulenet.exceptions import ParameterError, TableError
from rulenet.frequencies import count_classes
from rulenet.literals import Literal as RuleLiteral
from rulenet.network import Gate, Network
from rulenet.readable import Readable
from rulenet.training.around import Limits, search_around
from rulenet.training.greedy import Greedy
from rulenet.training.initialise import RandomInit
from rulenet.training.problem import Problem
from rulenet.training.search import Found, Search, Start

SEARCHES: dict[str, type] = {"greedy": Greedy}
INITS: dict[str, type] = {"random": RandomInit}


class RuleNetworkClassifier(Readable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A deep rule network learned from a table of nominal columns.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(32, 16, 8, 4, 2)
        The number of units of every hidden layer, the one next to the literals first.
    first_gate : {"and", "or"}, default="and"
        The gate of the first hidden layer; gates alternate from there.
    init : "random", RandomInit or Network, default="random"
        What the search starts from.
    search : "greedy" or Greedy, default="greedy"
        How weights are found.
    positive_class : "auto", "majority", "minority" or a class label, default="auto"
        The class that the rules describe. "auto" searches for both and keeps what is more accurate on the training
        rows (on a tie, the majority).
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    nominal : "auto", "all" or list of column names or positions, default="auto"
        Which numeric columns hold names of categories. Text, category and Boolean columns always do.
    max_values : int, default=1000
        The most values that a column may have.
    random_state : int, RandomState or None, default=None
        The seed; the same integer gives the same network, whatever ``n_jobs``.
    n_jobs : int or None, default=None
        Threads; None means one, -1 one for every core.
    verbose : int, default=0
        1 shows a progress bar, 2 also keeps a line for every stage.

    Attributes
    ----------
    network_ : Network
        What was learned.
    encoding_ : Encoding
        How a table becomes the literals that the network reads.
    classes_ : array of shape (2,)
    positive_class_ : label
        The class that a true output stands for.
    history_ : array of float
        The accuracy on the training rows before, during and after the search.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the table had column names.

    Notes
    -----
    Weights are honoured as integers of at most 16 bits. They keep their proportions exactly where they are multiples
    of a common unit (integers below 65536; "balanced" class weights, as a rule); otherwise they are rounded to
    1/65535 of the largest. Rows of weight zero count as absent.

    A missing value makes every condition on its column false, and so does a value that was not there in ``fit``.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"], "warm": [True, True, False, False]})
    >>> y = ["go", "stay", "stay", "stay"]
    >>> model = RuleNetworkClassifier(random_state=1).fit(X, y)
    >>> print(*model.predict(X))
    go stay stay stay
    """

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (32, 16, 8, 4, 2),
        *,
        first_gate: Gate = "and",
        init: Literal["random"] | RandomInit | Network = "random",
        search: Literal["greedy"] | Search = "greedy",
        positive_class: Hashable = "auto",
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        nominal: Literal["auto", "all"] | Sequence[str | int] = "auto",
        max_values: int = 1000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.first_gate = first_gate
        self.init = init
        self.search = search
        self.positive_class = positive_class
        self.class_weight = class_weight
        self.nominal = nominal
        self.max_values = max_values
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a network for the rows of ``X`` with labels ``y``.

        Parameters
        ----------
        X : DataFrame, 2-d array or list of rows
            Nominal columns; see ``nominal`` for numbers.
        y : array of shape (n_rows,)
            Labels of two classes.
        sample_weight : array of shape (n_rows,), optional

        Returns
        -------
        self
        """
        sizes, search = _checked_sizes(self.hidden_layer_sizes), _strategy("search", self.search, SEARCHES)
        labels = _checked_labels(X, y)
        weights = self._weights(X, labels, sample_weight)
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            X, labels, weights = _safe_indexing(X, kept), labels[kept], weights[kept]
        classes, codes = np.unique(labels, return_inverse=True)
        _check_two(classes)
        encoding, literals = Encoding.learn_encode(
            X, nominal=self.nominal, max_values=self.max_values, n_jobs=self.n_jobs
        )
        start = self._start(encoding, sizes)
        seed = _seed(self.random_state)
        tries = {}
        for positive in self._candidates(classes, codes):
            problem = Problem.of(literals, codes == positive, encoding.groups, weights)
            with progress.shown(self.verbose, f"{classes[positive]}") as report:
                tries[positive] = search.search(problem, start, seed, self.n_jobs, report)
        best = max(tries, key=lambda positive: tries[positive].history[-1])
        self._keep(encoding, classes, best, tries[best])
        self.rule_counts_ = count_classes(self.network_, literals, codes == best, weights)
        self.named_ = None
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row of ``X``."""
        check_is_fitted(self)
        output = self.network_.evaluate(self.encoding_.encode(X, only=self.network_.reads, n_jobs=self.n_jobs))
        positive = int(np.flatnonzero(self.classes_ == self.positive_class_)[0])
        is_positive = bits.unpack(output, _num_samples(X))
        return np.asarray(self.classes_[np.where(is_positive, positive, 1 - positive)])

    def refit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        lock: Iterable[str | int] = (),
        forbid: Iterable[RuleLiteral | Literal["!="]] = (),
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """A new classifier for the same class and columns, learned around what is locked.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``; columns keep the values known from there.
        lock : names of concepts and numbers of rules of ``formula_``
            A concept keeps its meaning and may be used; a rule, counted from 1, stays in the result.
        forbid : literals, or "!="
            What the result may not ask, besides locked parts.
        """
        check_is_fitted(self)
        sizes, search = _checked_sizes(self.hidden_layer_sizes), _strategy("search", self.search, SEARCHES)
        labels = _checked_labels(X, y)
        weights = self._weights(X, labels, sample_weight)
        literals = self.encoding_.encode(X, n_jobs=self.n_jobs)
        problem = Problem.of(literals, labels == self.positive_class_, self.encoding_.groups, weights)
        init = RandomInit() if isinstance(self.init, Network) else _strategy("init", self.init, INITS)
        with progress.shown(self.verbose, f"{self.positive_class_}") as report:
            formula, history = search_around(
                search,
                lambda groups, seed: init.start(groups, sizes, self.first_gate, seed),
                problem,
                self.encoding_.literals,
                self.formula_,
                Limits.of(lock, forbid),
                _seed(self.random_state),
                self.n_jobs,
                report,
            )
        new = self.with_formula(formula)
        new.history_ = np.array(history)
        new.rule_counts_ = count_classes(new.network_, literals, labels == self.positive_class_, weights)
        return new

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The classifier in a file that ``save`` wrote; safe for files from anyone."""
        return cls._restored(model_file.read(path, {c.__name__: c for c in (*SEARCHES.values(), *INITS.values())}))

    def _weights(self, X: Any, labels: NDArray[Any], sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, labels, dtype=np.float64)
        return np.asarray(weights * compute_sample_weight(self.class_weight, labels))

    def _start(self, encoding: Encoding, sizes: tuple[int, ...]) -> Start:
        if isinstance(self.init, Network):
            network, n_literals = self.init, len(encoding.literals)
            if network.n_literals != n_literals:
                raise ParameterError(f"init reads {network.n_literals} literals but the table has {n_literals}")
            return lambda seed: network
        init = _strategy("init", self.init, INITS)
        first_gate = self.first_gate
        if first_gate not in ("and", "or"):
            raise ParameterError(f"first_gate is {first_gate!r}, but a gate is 'and' or 'or'")
        return lambda seed: init.start(encoding.groups, sizes, first_gate, seed)  # type: ignore[no-any-return]

    def _candidates(self, classes: NDArray[Any], codes: NDArray[np.int64]) -> list[int]:
        """The positions of the classes to describe, in order of preference."""
        majority = int(2 * codes.sum() > len(codes))
        match self.positive_class:
            case "auto":
                return [majority, 1 - majority]
            case "majority":
                return [majority]
            case "minority":
                return [1 - majority]
        found = [i for i, label in enumerate(classes.tolist()) if label == self.positive_class]
        if not found:
            raise ParameterError(
                f"positive_class is {self.positive_class!r}, but the classes are "
                f"{' and '.join(map(repr, classes.tolist()))}"
            )
        return found

    def _keep(self, encoding: Encoding, classes: NDArray[Any], positive: int, found: Found) -> None:
        self.encoding_ = encoding
        self.network_ = found.network
        self.classes_ = classes
        self.positive_class_ = classes[positive]
        self.history_ = np.array(found.history)
        self.n_features_in_ = len(encoding.attributes)
        if encoding.named:
            self.feature_names_in_ = np.array([attribute.name for attribute in encoding.attributes], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _strategy(parameter: str, value: Any, known: dict[str, type]) -> Any:
    """The strategy object that ``value`` is or names."""
    if not isinstance(value, str):
        return value
    if value not in known:
        raise ParameterError(f"{parameter} is {value!r}, but the names known are {', '.join(map(repr, known))}")
    return known[value]()


def _checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    try:
        sizes = tuple(sizes)
    except TypeError:
        raise ParameterError(f"hidden_layer_sizes is {sizes!r}, but must be a sequence of integers") from None
    if not sizes:
        raise ParameterError("hidden_layer_sizes is empty, but at least one hidden layer is needed")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise ParameterError(f"hidden_layer_sizes has {size!r}, but every size must be an integer of at least 1")
    return sizes


def _checked_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    if y is None:
        raise TableError("requires y to be passed, but the target y is None")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise TableError(f"y has a missing label (NaN) in row {missing.argmax()}, but every row needs one")
    check_classification_targets(labels)
    return np.asarray(labels)


def _check_two(classes: NDArray[Any]) -> None:
    if len(classes) == 1:
        raise TableError(f"y holds one class only, {classes.item()!r}, but two are needed to learn a difference")
    if len(classes) > 2:
        raise TableError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y holds {len(classes)} classes; compare one with the rest, for example y == {classes.tolist()[0]!r}"
        )


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """An integer that stands for ``random_state``; an integer stands for itself."""
    if isinstance(random_state, int | np.integer):
        check_random_state(random_state)
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
