"""`RuleNetworkClassifier`: what scikit-learn asks of a classifier that learns rule networks."""

import copy
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rulenet import model_file, parameters
from rulenet.anneal.anneal import Anneal
from rulenet.auto import Auto
from rulenet.capped import Capped
from rulenet.conditions import Condition
from rulenet.count.count import Count
from rulenet.count.deep import DeepCount
from rulenet.exceptions import ModelFileError, ParameterError
from rulenet.going_on import Memory, as_part, check_first, named_part
from rulenet.greedy.greedy import Greedy
from rulenet.labels import check_known, several_targets, warn_of_other_order
from rulenet.learner import Learner
from rulenet.network import Gate, Network
from rulenet.predicting import Predicting
from rulenet.readable import target_name
from rulenet.search import interrupts
from rulenet.search.around import Limits
from rulenet.search.locks import Lock
from rulenet.search.protocol import Init, Search, defaults_of
from rulenet.shards.partitions import is_partitioned
from rulenet.shards.sources import is_source
from rulenet.starts.names import INITS
from rulenet.starts.one_vs_rest import OneVsRestInit

SEARCHES: dict[str, type] = {
    "auto": Auto,
    "anneal": Anneal,
    "count": Count,
    "deep-count": DeepCount,
    "greedy": Greedy,
}


class RuleNetworkClassifier(Predicting, BaseEstimator):  # type: ignore[misc]
    """A deep rule network learned from a table.

    Parameters
    ----------
    hidden_layer_sizes : "auto" or sequence of int, default="auto"
        The number of units of every hidden layer, the one next to the literals first. "auto" leaves it to the search:
        `Anneal` tries (32, 8, 2), (64, 16, 4) and (32, 16, 8, 4, 2), `Greedy` takes the last.
    first_gate : {"auto", "and", "or"}, default="auto"
        The gate of the first hidden layer; gates alternate from there. "auto" leaves it to the search: `Anneal` tries
        both, `Greedy` takes "and".
    init : "auto", "current", "random", "tree", "ripper", "espresso", "quine-mccluskey", "layers", an init strategy or \
Network, default="auto"
        What the search starts from: a random network, what another learner finds (then the shape is that of the start,
        with some units to spare), or any network; its outputs stand for several classes with the most frequent first.
        Where networks count, walks begin at the empty network, at the leaves of a tree, at a `OneVsRestInit`, or at a
        network whose outputs count units of conditions; a shape is not theirs to choose. "current" goes on from the
        network that is there, like ``warm_start``, and is "auto" where there is none. "auto" leaves it to the search:
        with `Anneal` most walks start at random and some from the leaves of a decision tree, `Greedy` starts at random.
    search : "auto", "anneal", "count", "deep-count", "greedy" or a search strategy, default="auto"
        How weights are found: deep AND/OR networks by `Anneal`, networks that count by `Count`, or with concepts below
        them by `DeepCount`, the paper's way by `Greedy`; `Auto` tries the first two and keeps what errs less on rows
        left out.
    max_size : int or None, default=None
        The largest size that the network, and every one in ``pareto_``, may have: about as many conditions and joints
        as a reader sees. It is found by choosing among what the search offers and by cutting that back. Of several
        columns of labels each has such a network, in which a label that it reads counts as one condition.
    positive_class : "auto", "majority", "minority" or a class label, default="auto"
        The class that the rules describe. With "auto", `Anneal` describes the minority, by either gate; `Greedy`
        searches for both and keeps what is more accurate on the training rows (on a tie, the majority).
    class_weight : dict, "balanced", list of dicts or None, default=None
        Weights of the classes, multiplied with ``sample_weight``; where ``y`` has several columns, a dict for each.
        ``predict`` goes by them, ``predict_proba`` stays on the scale of the data.
    nominal : "auto", "all" or list of column names or positions, default="auto"
        The columns whose numbers, or whose many different words, are names of categories. Other numbers are measured;
        text, categories and Booleans are nominal anyway.
    ordinal : dict from column to list of values, or None, default=None
        The columns whose values have an order, from low to high. Ordered categories are ordinal anyway.
    cuts : dict from column to list of numbers or dates, or None, default=None
        Where the columns may be cut; all others are cut where it pays.
    monotonic_cst : dict from column to {-1, 0, 1}, list with a number for every column, or None, default=None
        1 if the probability of the second class may only grow with a column, -1 if it may only fall, 0 if it may do
        both. It holds by construction: the rules ask for one direction only.
    forbid : list of columns, conditions, texts of conditions or "!=", default=()
        What the rules may not ask.
    missing : bool or "auto", default="auto"
        Whether "is missing" is a condition, for columns with gaps. "auto" leaves it to the search: with `Anneal` it is
        where at least 5 rows and 1% of all are missing, with `Greedy` it is not.
    not_equal : bool or "auto", default="auto"
        Whether columns of more than two values also give conditions of the form "is known, and differs from".
        "auto" leaves it to the search: yes with `Anneal`, no with `Greedy`.
    max_values : int, default=1000
        The most values that a nominal column may have, and the most classes.
    max_search_rows : int, default=262144
        The most rows that a search sees. Of more it sees a sample, the same wherever the rows are; what it finds is
        then polished, pruned and judged by all rows.
    on_conflict : {"largest", "abstain"}, default="largest"
        What to answer where several of more than two classes fire, that is reach their need, or none does: the class
        with the largest margin (of equal ones the most frequent), or None. ``decision_path`` tells which fired.
    chain : bool, default=True
        Whether, of several columns of labels, those of two classes may be concepts of others: "A if B and ...".
    warm_start : bool, default=False
        Whether ``fit`` goes on from the network that is there, if any, as ``partial_fit`` does, with the rows given.
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
    classes_ : array of shape (n_classes,)
    positive_class_ : label
        The class that a true output stands for.
    formula_ : Formula
        What the network says, with named concepts.
    size_ : int
        The size of the network: what the search paid for, what ``pareto_`` shows.
    history_ : array of float
        The accuracy on the training rows before, during and after the search.
    pareto_ : DataFrame
        The best network for every price of an edge, with size, accuracy on the training rows and, where the search
        used them, accuracy by inner folds. `choose` takes one of them. Empty for a search that finds one network only.
    fitted_ : Fitted
        All of this as one frozen value.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the table had column names.

    Notes
    -----
    Weights are honoured as integers of at most 16 bits. They keep their proportions exactly where they are multiples
    of a common unit (integers below 65536; "balanced" class weights, as a rule); otherwise they are rounded to
    1/65535 of the largest. Rows of weight zero count as absent.

    A missing value makes every condition on its column false but "is missing"; a value of a nominal column that was not
    there in ``fit`` makes all of them false.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"], "degrees": [21, 23, 9, 11]})
    >>> y = ["go", "stay", "stay", "stay"]
    >>> model = RuleNetworkClassifier(random_state=1).fit(X, y)
    >>> print(*model.predict(X))
    go stay stay stay
    """

    # Rows that were learned on from, and what stays as it is.
    _memory: Memory = Memory()
    _locked: tuple[Lock, ...] = ()

    constraints: ClassVar[Mapping[str, tuple[parameters.Constraint, ...]]] = {
        "hidden_layer_sizes": (parameters.options("auto"), parameters.list_of(parameters.integer(1), least=1)),
        "first_gate": (parameters.options("auto", "and", "or"),),
        "init": (
            parameters.options("auto", "current", *INITS),
            parameters.having("an init strategy", "start_for"),
            parameters.instance("a Network", Network),
        ),
        "search": (parameters.options(*SEARCHES), parameters.having("a search strategy", "search")),
        "max_size": (parameters.options(None), parameters.integer(1)),
        "class_weight": (
            parameters.options("balanced", None),
            parameters.mapping("a dict from label to weight"),
            parameters.list_of(parameters.mapping("such dicts"), least=2),
        ),
        "nominal": (parameters.options("auto", "all"), parameters.list_of(parameters.COLUMN, sets=True)),
        "ordinal": (
            parameters.options(None),
            parameters.mapping("a dict from column to list of values", parameters.several),
        ),
        "cuts": (
            parameters.options(None),
            parameters.mapping("a dict from column to list of cuts", parameters.several),
        ),
        "monotonic_cst": (
            parameters.options(None),
            parameters.mapping("a dict from column to -1, 0 or 1", parameters.integer(-1, 1).accepts),
            parameters.list_of(parameters.integer(-1, 1)),
        ),
        "forbid": (
            parameters.list_of(
                parameters.instance("columns or conditions", str, int, np.integer, Condition), sets=True
            ),
        ),
        "missing": (parameters.options("auto"), parameters.boolean()),
        "not_equal": (parameters.options("auto"), parameters.boolean()),
        "max_values": (parameters.integer(1),),
        "max_search_rows": (parameters.integer(2),),
        "on_conflict": (parameters.options("largest", "abstain"),),
        "chain": (parameters.boolean(),),
        "warm_start": (parameters.boolean(),),
        "n_jobs": (parameters.options(None), parameters.integer(1), parameters.integer(-(1 << 20), -1)),
        "verbose": (parameters.boolean(), parameters.integer(0)),
    }

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] | Literal["auto"] = "auto",
        *,
        first_gate: Gate | Literal["auto"] = "auto",
        init: str | Init | Network = "auto",
        search: Literal["auto", "anneal", "count", "greedy"] | Search = "auto",
        max_size: int | None = None,
        positive_class: Hashable = "auto",
        class_weight: dict[Any, float] | Literal["balanced"] | Sequence[dict[Any, float]] | None = None,
        nominal: Literal["auto", "all"] | Sequence[str | int] = "auto",
        ordinal: Mapping[str | int, Sequence[Hashable]] | None = None,
        cuts: Mapping[str | int, Sequence[Any]] | None = None,
        monotonic_cst: Mapping[str | int, int] | Sequence[int] | None = None,
        forbid: Sequence[str | int | Condition] = (),
        missing: bool | Literal["auto"] = "auto",
        not_equal: bool | Literal["auto"] = "auto",
        max_values: int = 1000,
        max_search_rows: int = 1 << 18,
        on_conflict: Literal["largest", "abstain"] = "largest",
        chain: bool = True,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.first_gate = first_gate
        self.init = init
        self.search = search
        self.max_size = max_size
        self.positive_class = positive_class
        self.class_weight = class_weight
        self.nominal = nominal
        self.ordinal = ordinal
        self.cuts = cuts
        self.monotonic_cst = monotonic_cst
        self.forbid = forbid
        self.missing = missing
        self.not_equal = not_equal
        self.max_values = max_values
        self.max_search_rows = max_search_rows
        self.on_conflict = on_conflict
        self.chain = chain
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a network for the rows of ``X`` with labels ``y``.

        Parameters
        ----------
        X : DataFrame, 2-d array or list of rows; or a table that is read in batches
            Columns of numbers, dates, text, categories, Booleans; missing values are allowed. Read in batches, twice,
            are the path of a Parquet file or of a folder of such files, an Arrow dataset, a DuckDB relation, a function
            that returns an iterator of DataFrames, and an iterator of DataFrames (kept in a temporary file meanwhile).
            A Dask DataFrame stays where it is: its partitions are looked at and packed by the workers.
        y : array of shape (n_rows,), or DataFrame or array of shape (n_rows, n_targets)
            Labels of two classes or more. Several columns, Boolean or nominal, are learned as one network. It is the
            name of a column of ``X`` where that is read in batches, a Dask series
            where it is a Dask DataFrame.
        sample_weight : array of shape (n_rows,), optional
            Like ``y``, the name of a column or a Dask series.

        Returns
        -------
        self
        """
        self._check()
        warn_of_other_order(X, y=y, sample_weight=sample_weight)
        learner = self._learner()
        columns = None if is_partitioned(X) or is_source(X) else several_targets(X, y)
        if columns is not None:
            with interrupts.heeded() as interrupted:
                targets = learner.fit_targets(X, columns, sample_weight, interrupted)
                self.fitted_, self._memory, self._locked = targets, Memory(), ()
            return self
        if hasattr(self, "fitted_") and (self.warm_start or self.init == "current"):
            base = self.one_target("learning on")
            self.fitted_ = learner.learn_on(learner.rows(X, y, sample_weight, base), base, self._locked)
            return self
        rows = learner.rows(X, y, sample_weight)
        with interrupts.heeded() as interrupted:
            best = learner.fit(rows, interrupted)
            fitted = replace(best, target=target_name(y, best.classes, best.outputs))
            # Kept before it is told that an interrupt came, since another one of the same wish must not undo it.
            self.fitted_, self._memory, self._locked = fitted, Memory(), ()
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn on from new rows; the first time it is ``fit``.

        The network goes on from where it is: it is carried over to the new values and cuts of the columns, and changed
        where that pays on the rows that are remembered and the new ones. At most ``max_search_rows`` rows are
        remembered, with the classifier but not in model files, and forgotten where new rows clearly tell another story.
        Where a search is due, since many more rows are remembered than at the last, its network is taken if it is the
        cheaper one. What was locked in ``refit`` stays.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``, in memory. A column may have new values; a new class is refused.
        classes : array, optional
            All classes, to be sure that the first rows have them.
        """
        self._check()
        if not hasattr(self, "fitted_"):
            part = as_part(X, y, sample_weight)
            check_first(part.labels, classes)
            self.fit(X, y, sample_weight)
            first = named_part(part, self.one_target("partial_fit").encoding)
            self._memory = Memory().with_rows(first, None, self.max_search_rows).searched()
            return self
        base = self.one_target("partial_fit")
        warn_of_other_order(X, y=y, sample_weight=sample_weight)
        part = named_part(as_part(X, y, sample_weight), base.encoding)
        check_known(part.labels, base.classes)
        n_wrong = int((base.predict(part.table) != part.labels).sum())
        memory = self._memory.with_rows(part, n_wrong, self.max_search_rows)
        is_first, rows = self._memory.rows is None, memory.rows
        due = memory.is_due and not is_first  # a few new rows alone are no reason to begin anew
        assert rows is not None
        learner = self._learner()
        data = learner.rows(rows.table, rows.labels, rows.weights, base)
        self.fitted_ = learner.learn_on(data, base, self._locked, due)
        self._memory = memory.searched() if due or is_first else memory
        return self

    def refit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        lock: Iterable[str | int] = (),
        forbid: Iterable[str | Condition] = (),
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """A new classifier for the same classes, learned around what is locked.

        It is `fit`, with the same search, start and shapes, for a problem in which locked concepts are conditions.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``; columns also keep the values and cuts that the classifier knows.
        lock : names of concepts and numbers of rules of ``formula_``
            A concept keeps its meaning and may be used; a rule, counted from 1, stays in the result. Several classes
            have no numbered rules.
        forbid : columns, conditions, texts of conditions or "!="
            What the result may not ask, besides locked parts.
        """
        check_is_fitted(self)
        self._check()
        warn_of_other_order(X, y=y, sample_weight=sample_weight)
        new, base = copy.copy(self), self.one_target("refit")
        new.fitted_, new._locked = self._learner().refit(X, y, sample_weight, base, Limits.of(lock, forbid))
        return new

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The classifier in a file that ``save`` wrote; safe for files from anyone."""
        return cls._restored(
            model_file.read(path, {c.__name__: c for c in (*SEARCHES.values(), *INITS.values(), OneVsRestInit)})
        )

    @classmethod
    def _restored(cls, state: model_file.State) -> Self:
        unknown = sorted(set(state.parameters) - set(cls._get_param_names()))
        if unknown:
            raise ModelFileError(f"parameters has {unknown}, which {cls.__name__} does not take")
        new = cls(**state.parameters)
        try:
            new._check()
        except ParameterError as error:
            raise ModelFileError(f"parameters has what fit would refuse: {error}") from error
        new.fitted_ = state.fitted
        return new

    def _check(self) -> None:
        parameters.check({name: getattr(self, name) for name in self.constraints}, self.constraints)

    def _search(self) -> Search:
        search: Search = SEARCHES[self.search]() if isinstance(self.search, str) else self.search
        return search if self.max_size is None else Capped(search, self.max_size)

    def _learner(self) -> Learner:
        """What learns from rows as the parameters say."""
        derived: dict[str, Any] = {"search": self._search(), "seed": _seed(self.random_state)}
        others = (field.name for field in fields(Learner) if field.name not in derived)
        return Learner(**derived, **{name: getattr(self, name) for name in others})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = defaults_of(self._search()).several_classes
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """An integer that stands for ``random_state``; an integer stands for itself."""
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
