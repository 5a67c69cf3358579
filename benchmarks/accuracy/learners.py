"""Ours and the peers, all with their defaults unless the name says otherwise; each takes a seed."""

from collections.abc import Callable
from functools import cache, partial
from time import perf_counter
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from benchmarks.accuracy.names import (
    AND_OR_DEEP,
    AND_OR_FLAT,
    BOOSTING,
    CART,
    COUNTING_DEEP,
    COUNTING_FLAT,
    DEEP,
    DISTILLED,
    FLAT,
    FOREST,
    HERE,
    HISTOGRAMS,
    LARGER,
    LOSSES,
    OURS,
    PER_CLASS,
    RIPPER_PEER,
    UNDISTILLED,
    in_time_of,
)
from rulenet import Anneal, Count, DeepCount, RuleNetworkClassifier
from rulenet.datasets import make_monk
from rulenet.experiments import peers
from rulenet.experiments.paper.learners import to_literals
from rulenet.experiments.paper.ripper import Ripper
from rulenet.experiments.study import Learner

N_THREADS = 2


def ours(seed: int, **parameters: Any) -> RuleNetworkClassifier:
    """The default classifier; what a first fit compiles and loads is not timed."""
    warm_up()
    return RuleNetworkClassifier(random_state=seed, n_jobs=N_THREADS, **parameters)


@cache
def warm_up() -> None:
    X, y = make_monk(1)
    for search in (Anneal(max_time=0.2), Count(max_time=0.2)):
        RuleNetworkClassifier(search=search, random_state=0, n_jobs=N_THREADS).fit(X, y)


class InTime(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ours within the seconds that a rival takes now, on the machine as warm as it is."""

    def __init__(self, rival: Any, random_state: int = 0) -> None:
        self.rival = rival
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        begin = perf_counter()
        self.rival.fit(X, y)
        self.limit_ = perf_counter() - begin
        self.model_ = ours(self.random_state, nominal="all", search=Anneal(max_time=self.limit_))
        begin = perf_counter()
        self.model_.fit(X, y)
        self.seconds_ = perf_counter() - begin
        self.classes_, self.size_, self.network_ = self.model_.classes_, self.model_.size_, self.model_.network_
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model_.predict(X)

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.model_.predict_proba(X)


def in_time(seed: int, rival: Learner) -> InTime:
    warm_up()
    return InTime(rival(0), seed)


def on_literals(seed: int, make: Callable[..., Any], **parameters: Any) -> Pipeline:
    """A learner on a Boolean column for every value."""
    return make_pipeline(FunctionTransformer(to_literals), make(random_state=seed, **parameters))


def on_numbers(seed: int, make: Callable[[int], Any]) -> Pipeline:
    """A learner on numbers and categories, for tables as they are read."""
    return make_pipeline(FunctionTransformer(peers.typed), make(seed))


def per_class(seed: int, **parameters: Any) -> Any:
    """One network for every class against the rest."""
    return OneVsRestClassifier(ours(seed, **parameters))


def as_codes(X: pd.DataFrame) -> pd.DataFrame:
    return X.apply(lambda column: column.astype("category").cat.codes)


def small(seed: int, price: float) -> RuleNetworkClassifier:
    """A network for an ensemble: two walks at a fixed price instead of twenty."""
    return ours(seed, nominal="all", search=Anneal(price=price, n_restarts=2, n_folds=0))


def bagged(seed: int, n: int) -> Pipeline:
    model = BaggingClassifier(small(seed, 0.5), n_estimators=n, random_state=seed)
    return make_pipeline(FunctionTransformer(as_codes), model)


def boosted(seed: int, n: int) -> Pipeline:
    model = AdaBoostClassifier(small(seed, 2.0), n_estimators=n, random_state=seed)
    return make_pipeline(FunctionTransformer(as_codes), model)


ENSEMBLES: dict[str, Learner] = {
    "10 networks, bagged": partial(bagged, n=10),
    "25 networks, bagged": partial(bagged, n=25),
    "10 networks, AdaBoost": partial(boosted, n=10),
    "25 networks, AdaBoost": partial(boosted, n=25),
}

# Short searches that take about as long as each other: few restarts, three folds that choose the price.
SHORT_ANNEAL = Anneal(n_restarts=6, n_folds=3, n_proposals=400_000, distil=False)
SHORT_COUNT = {"n_restarts": 4, "n_folds": 3}
KINDS_OF_NETWORKS: dict[str, Learner] = {
    AND_OR_FLAT: partial(ours, hidden_layer_sizes=(43,), search=SHORT_ANNEAL),
    AND_OR_DEEP: partial(ours, search=SHORT_ANNEAL),
    # The walks of a flat network are as long as all those of a path to a deep one.
    COUNTING_FLAT: partial(ours, search=DeepCount(n_layers=1, n_proposals=400_000, **SHORT_COUNT)),
    COUNTING_DEEP: partial(ours, search=DeepCount(n_layers=2, n_proposals=80_000, **SHORT_COUNT)),
    DISTILLED: partial(ours, search=Count(n_walks=4, n_folds=0, n_proposals=300_000)),
}

BY_LOSS: dict[str, Learner] = {name: partial(ours, search=Count(loss=loss)) for loss, name in LOSSES.items()}  # type: ignore[arg-type]

LEARNERS: dict[str, Learner] = {
    OURS: partial(ours, nominal="all"),
    CART: partial(on_literals, make=DecisionTreeClassifier),
    RIPPER_PEER: partial(on_literals, make=Ripper),
    FOREST: partial(on_literals, make=RandomForestClassifier),
    BOOSTING: partial(on_literals, make=GradientBoostingClassifier, n_estimators=300, max_depth=4),
    HISTOGRAMS: partial(on_literals, make=HistGradientBoostingClassifier),
    DEEP: partial(ours, nominal="all", hidden_layer_sizes=(32, 8, 2), search=Anneal(distil=False)),
    FLAT: partial(ours, nominal="all", hidden_layer_sizes=(43,), search=Anneal(distil=False)),
    UNDISTILLED: partial(ours, nominal="all", search=Anneal(distil=False)),
    LARGER: partial(ours, nominal="all", search=Count(price=0.25, n_proposals=400_000)),
    PER_CLASS: partial(per_class, nominal="all"),
    **ENSEMBLES,
}
LEARNERS |= {in_time_of(rival): partial(in_time, rival=LEARNERS[rival]) for rival in (RIPPER_PEER, BOOSTING)}

ON_TABLES_PER_CLASS: dict[str, Learner] = {OURS: ours, PER_CLASS: per_class}

ON_TABLES: dict[str, Learner] = {
    HERE["CART"]: partial(on_numbers, make=peers.cart),
    HERE["forest"]: partial(on_numbers, make=partial(peers.forest, n_jobs=N_THREADS)),
    HERE["boosting"]: partial(on_numbers, make=peers.boosting),
}


def count_units(model: Any) -> float:
    """The units of a network that read something, the output included; the rules of RIPPER."""
    network = getattr(model, "network_", None)
    if network is not None:
        return float(sum(int(weights.any(axis=1).sum()) for weights in network.weights))
    return float(getattr(_last(model), "n_rules_", np.nan))


def count_conditions(model: Any) -> float:
    """The edges of a network from literals, units that stand there for several points once; those of RIPPER's rules."""
    if isinstance(model, OneVsRestClassifier):
        return sum(count_conditions(one) for one in model.estimators_)
    network = getattr(model, "network_", None)
    if network is not None:
        units = np.column_stack([network.needs[0], network.weights[0]])
        return float(np.unique(units, axis=0)[:, 1:].sum())
    last = _last(model)
    return float(last.size_) if isinstance(last, Ripper) else np.nan


def _last(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def limit_of(model: Any) -> float:
    """The seconds that the model was allowed."""
    return float(getattr(model, "limit_", np.nan))


def own_seconds(model: Any) -> float:
    """The seconds that it took of them."""
    return float(getattr(model, "seconds_", np.nan))


MEASURES: dict[str, Callable[[Any], float]] = {
    "units": count_units,
    "conditions": count_conditions,
    "limit": limit_of,
    "own_seconds": own_seconds,
}
