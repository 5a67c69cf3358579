"""Ours and the peers, all with their defaults unless the name says otherwise; each fits, times itself and is judged."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier
from wittgenstein import RIPPER

from benchmarks.accuracy.names import BOOSTING, CART, DEEP, FLAT, FOREST, HISTOGRAMS, OURS, RIPPER_PEER, UNDISTILLED
from benchmarks.accuracy.tasks import Data
from rulenet import Anneal, Network, RuleNetworkClassifier

N_THREADS = 2


@dataclass(frozen=True)
class Outcome:
    """``size`` counts edges of networks, conditions of rules, splits of trees."""

    accuracy: float
    seconds: float
    size: float = np.nan
    units: float = np.nan
    conditions: float = np.nan


Learner = Callable[[Data, int], Outcome]


def fit_rulenet(data: Data, seed: int, **parameters: Any) -> Outcome:
    model = RuleNetworkClassifier(random_state=seed, n_jobs=N_THREADS, nominal="all", **parameters)
    begin = perf_counter()
    model.fit(data.X.iloc[data.train], data.y[data.train])
    seconds = perf_counter() - begin
    accuracy = model.score(data.X.iloc[data.test], data.y[data.test])
    return Outcome(accuracy, seconds, model.network_.n_edges, *count_parts(model.network_))


def count_parts(network: Network) -> tuple[int, int]:
    """The units that read something, the output included, and the conditions: edges from literals."""
    return sum(int(w.any(axis=1).sum()) for w in network.weights), int(network.weights[0].sum())


def fit_within(data: Data, seed: int, seconds: float) -> Outcome:
    return fit_rulenet(data, seed, search=Anneal(max_time=seconds))


def one_hot(X: pd.DataFrame) -> pd.DataFrame:
    return pd.get_dummies(X.astype("category"), dtype=bool)


def as_codes(X: pd.DataFrame) -> pd.DataFrame:
    return X.apply(lambda column: column.astype("category").cat.codes)


def fit_model(
    data: Data,
    seed: int,
    make: Callable[[int], Any],
    encode: Callable[[pd.DataFrame], pd.DataFrame] = one_hot,
    count: Callable[[Any], float] = lambda model: np.nan,
) -> Outcome:
    """Encoding is not timed."""
    X, model = encode(data.X).to_numpy(), make(seed)
    begin = perf_counter()
    model.fit(X[data.train], data.y[data.train])
    seconds = perf_counter() - begin
    return Outcome(model.score(X[data.test], data.y[data.test]), seconds, count(model))


def fit_ripper(data: Data, seed: int) -> Outcome:
    X, model = one_hot(data.X), RIPPER(random_state=seed)
    begin = perf_counter()
    model.fit(X.iloc[data.train], y=data.y[data.train], pos_class=True)
    seconds = perf_counter() - begin
    predicted = np.asarray(model.predict(X.iloc[data.test]), dtype=bool)
    n_conditions = sum(len(rule.conds) for rule in model.ruleset_.rules)
    accuracy = float(np.mean(predicted == data.y[data.test]))
    return Outcome(accuracy, seconds, n_conditions, len(model.ruleset_.rules), n_conditions)


def count_splits(model: Any) -> float:
    trees = getattr(model, "estimators_", [model])
    return float(sum((tree.tree_.node_count - 1) / 2 for tree in np.ravel(trees)))


def count_edges(ensemble: Any) -> float:
    return float(sum(model.network_.n_edges for model in ensemble.estimators_))


def _small(seed: int, price: float) -> RuleNetworkClassifier:
    """A network for an ensemble: two walks at a fixed price instead of twenty."""
    search = Anneal(price=price, n_restarts=2, n_folds=0)
    return RuleNetworkClassifier(search=search, nominal="all", n_jobs=N_THREADS, random_state=seed)


def _bagging(n: int) -> Learner:
    def make(seed: int) -> BaggingClassifier:
        return BaggingClassifier(_small(seed, 0.5), n_estimators=n, random_state=seed)

    return partial(fit_model, make=make, encode=as_codes, count=count_edges)


def _boosting(n: int) -> Learner:
    def make(seed: int) -> AdaBoostClassifier:
        return AdaBoostClassifier(_small(seed, 2.0), n_estimators=n, random_state=seed)

    return partial(fit_model, make=make, encode=as_codes, count=count_edges)


ENSEMBLES: dict[str, Learner] = {
    "10 networks, bagged": _bagging(10),
    "25 networks, bagged": _bagging(25),
    "10 networks, AdaBoost": _boosting(10),
    "25 networks, AdaBoost": _boosting(25),
}

LEARNERS: dict[str, Learner] = {
    OURS: fit_rulenet,
    CART: partial(fit_model, make=lambda seed: DecisionTreeClassifier(random_state=seed), count=count_splits),
    RIPPER_PEER: fit_ripper,
    FOREST: partial(fit_model, make=lambda seed: RandomForestClassifier(random_state=seed), count=count_splits),
    BOOSTING: partial(
        fit_model,
        make=lambda seed: GradientBoostingClassifier(n_estimators=300, max_depth=4, random_state=seed),
        count=count_splits,
    ),
    HISTOGRAMS: partial(fit_model, make=lambda seed: HistGradientBoostingClassifier(random_state=seed)),
    DEEP: partial(fit_rulenet, hidden_layer_sizes=(32, 8, 2), search=Anneal(distil=False)),
    FLAT: partial(fit_rulenet, hidden_layer_sizes=(43,), search=Anneal(distil=False)),
    UNDISTILLED: partial(fit_rulenet, search=Anneal(distil=False)),
    **ENSEMBLES,
}
