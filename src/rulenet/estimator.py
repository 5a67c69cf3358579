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
from rulenet.readable import Readable, target_name
from rulenet.training.anneal import Anneal
from rulenet.training.around import Limits, search_around
from rulenet.training.greedy import Greedy
from rulenet.training.initialise import RandomInit
from rulenet.training.layers import LayersInit
from rulenet.training.problem import Problem
from rulenet.training.search import Choice, Defaults, Found, Search, Start
from rulenet.training.starts import DataStart, EspressoInit, MixedStart, QuineMcCluskeyInit, RipperInit, TreeInit

SEARCHES: dict[str, type] = {"anneal": Anneal, "greedy": Greedy}
Shapes = Sequence[tuple[int, ...]]
INITS: dict[str, type] = {
    "auto": RandomInit,
    "random": RandomInit,
    "tree": TreeInit,
    "ripper": RipperInit,
    "espresso": EspressoInit,
    "quine-mccluskey": QuineMcCluskeyInit,
    "layers": LayersInit,
}


class RuleNetworkClassifier(Readable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A deep rule network learned from a table of nominal columns.

    Parameters
    ----------
    hidden_layer_sizes : "auto" or sequence of int, default="auto"
        The number of units of every hidden layer, the one next to the literals first. "auto" leaves it to the search:
        `Anneal` tries (32, 8, 2), (64, 16, 4) and (32, 16, 8, 4, 2), `Greedy` takes the last.
    first_gate : {"auto", "and", "or"}, default="auto"
        The gate of the first hidden layer; gates alternate from there. "auto" leaves it to the search: `Anneal` tries
        both, `Greedy` takes "and".
    init : "auto", "random", "tree", "ripper", "espresso", "quine-mccluskey", "layers", an init strategy or \
Network, default="auto"
        What the search starts from: a random network, what another learner finds (then the shape is that of the start,
        with some units to spare), or any network. "auto" leaves it to the search: with `Anneal` most walks start at
        random and some from the leaves of a decision tree, `Greedy` starts at random.
    search : "anneal", "greedy", Anneal or Greedy, default="anneal"
        How weights are found.
    positive_class : "auto", "majority", "minority" or a class label, default="auto"
        The class that the rules describe. With "auto", `Anneal` describes the minority, by either gate; `Greedy`
        searches for both and keeps what is more accurate on the training rows (on a tie, the majority).
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    nominal : "auto", "all" or list of column names or positions, default="auto"
        Which numeric columns hold names of categories. Text, category and Boolean columns always do.
    not_equal : bool or "auto", default="auto"
        Whether columns of more than two values also give conditions of the form "is known, and differs from".
        "auto" leaves it to the search: yes with `Anneal`, no with `Greedy`.
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
    pareto_ : DataFrame
        The best network for every price of an edge, with edges, accuracy on the training rows and, where the search
        used them, accuracy by inner folds. `choose` takes one of them. Empty for a search that finds one network only.
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
        hidden_layer_sizes: Sequence[int] | Literal["auto"] = "auto",
        *,
        first_gate: Gate | Literal["auto"] = "auto",
        init: str | RandomInit | TreeInit | RipperInit | EspressoInit | LayersInit | Network = "auto",
        search: Literal["anneal", "greedy"] | Search = "anneal",
        positive_class: Hashable = "auto",
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        nominal: Literal["auto", "all"] | Sequence[str | int] = "auto",
        not_equal: bool | Literal["auto"] = "auto",
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
        self.not_equal = not_equal
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
        search = _strategy("search", self.search, SEARCHES)
        defaults = getattr(search, "defaults", Defaults())
        shapes, gates = self._shapes(defaults), self._gates(defaults)
        labels = _checked_labels(X, y)
        weights = self._weights(X, labels, sample_weight)
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            X, labels, weights = _safe_indexing(X, kept), labels[kept], weights[kept]
        classes, codes = np.unique(labels, return_inverse=True)
        _check_two(classes)
        encoding, literals = Encoding.learn_encode(
            X,
            nominal=self.nominal,
            not_equal=defaults.not_equal if self.not_equal == "auto" else self.not_equal,
            max_values=self.max_values,
            n_jobs=self.n_jobs,
        )
        seed = _seed(self.random_state)
        tries = {}
        for positive in self._candidates(classes, codes, weights, defaults.both_classes):
            problem = Problem.of(literals, codes == positive, encoding.groups, weights)
            start = self._start(problem, encoding, defaults, shapes, gates)
            with progress.shown(self.verbose, f"{classes[positive]}") as report:
                tries[positive] = search.search(problem, start, seed, self.n_jobs, report)
        best = max(tries, key=lambda positive: tries[positive].history[-1])
        self._keep(encoding, classes, best, tries[best])
        self._count(literals, codes == best, weights)
        self.target_name_, self.named_ = target_name(y, self.positive_class_), None
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
        search = _strategy("search", self.search, SEARCHES)
        defaults = getattr(search, "defaults", Defaults())
        sizes, first_gate = self._shapes(defaults)[0], self._gates(defaults)[0]
        labels = _checked_labels(X, y)
        weights = self._weights(X, labels, sample_weight)
        literals = self.encoding_.encode(X, n_jobs=self.n_jobs)
        problem = Problem.of(literals, labels == self.positive_class_, self.encoding_.groups, weights)
        named = None if isinstance(self.init, Network) else _strategy("init", self.init, INITS)
        init: Any = named if hasattr(named, "start") else RandomInit()
        with progress.shown(self.verbose, f"{self.positive_class_}") as report:
            formula, history = search_around(
                search,
                lambda groups, seed: init.start(groups, sizes, first_gate, seed),
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
        if not weights.any():
            raise ParameterError("sample_weight is zero for every row, but some row must count")
        return np.asarray(weights * compute_sample_weight(self.class_weight, labels))

    def choose(self, row: int) -> Self:
        """Make the network in ``row`` of ``pareto_`` the one that predicts.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        try:
            self.network_, self.rule_counts_ = self._choices[row].network, self._choice_counts[row]
        except IndexError:
            raise ParameterError(f"row is {row}, but pareto_ has {len(self._choices)} rows") from None
        return self

    def _count(self, literals: bits.Words, positive: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> None:
        """Keep how often each class is met where the rules fire, for every network that may predict."""
        self.rule_counts_ = count_classes(self.network_, literals, positive, weights)
        self._choice_counts = tuple(count_classes(c.network, literals, positive, weights) for c in self._choices)

    def _shapes(self, defaults: Defaults) -> tuple[tuple[int, ...], ...]:
        if isinstance(self.hidden_layer_sizes, str) and self.hidden_layer_sizes == "auto":
            return defaults.shapes
        return (_checked_sizes(self.hidden_layer_sizes),)

    def _gates(self, defaults: Defaults) -> tuple[Gate, ...]:
        if self.first_gate == "auto":
            return defaults.first_gates
        if self.first_gate not in ("and", "or"):
            raise ParameterError(f"first_gate is {self.first_gate!r}, but a gate is 'and' or 'or'")
        return (self.first_gate,)

    def _start(
        self, problem: Problem, encoding: Encoding, defaults: Defaults, shapes: Shapes, gates: Sequence[Gate]
    ) -> Start:
        if isinstance(self.init, Network):
            network, n_literals = self.init, len(encoding.literals)
            if network.n_literals != n_literals:
                raise ParameterError(f"init reads {network.n_literals} literals but the table has {n_literals}")
            return lambda seed: network
        init = _strategy("init", self.init, INITS)
        if hasattr(init, "learn"):
            return DataStart(init, problem, encoding.literals)
        if self.init == "auto" and defaults.mixed:
            return MixedStart(init, problem, encoding.literals, shapes, gates)
        variants = [(sizes, gate) for sizes in shapes for gate in gates]

        def start(seed: int) -> Network:
            sizes, gate = variants[seed % len(variants)]
            if len(gates) == 1:
                return init.start(encoding.groups, sizes, gate, seed)  # type: ignore[no-any-return]
            return Network(init.start(encoding.groups, sizes, "and", seed).weights, gate)

        return start

    def _candidates(
        self, classes: NDArray[Any], codes: NDArray[np.int64], weights: NDArray[np.float64] | None, both: bool
    ) -> list[int]:
        """The positions of the classes to describe, in order of preference; rows count by their weights."""
        share = np.average(codes, weights=weights)
        majority = int(share > 0.5)
        match self.positive_class:
            case "auto":
                return [majority, 1 - majority] if both else [1 - majority]
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
        self._choices = _worth_keeping(found)
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


def _worth_keeping(found: Found) -> tuple[Choice, ...]:
    """The networks that no other one beats in size and accuracy, and the one that predicts; the smallest first."""
    kept: list[Choice] = []
    for choice in sorted(found.choices, key=lambda c: (c.network.n_edges, -c.accuracy, -c.price)):
        beaten = any(c.network.n_edges <= choice.network.n_edges and c.accuracy >= choice.accuracy for c in kept)
        known = any(c.network == choice.network for c in kept)
        if not beaten or (choice.network == found.network and not known):
            kept.append(choice)
    return tuple(kept)


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
    labels = np.asarray(y if getattr(y, "ndim", 0) == 1 else column_or_1d(y, warn=True))
    check_consistent_length(X, labels)
    if labels.dtype.kind in "biuU":  # nothing can be missing or continuous
        return labels
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise TableError(f"y has a missing label (NaN) in row {missing.argmax()}, but every row needs one")
    check_classification_targets(labels)
    return labels


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
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
