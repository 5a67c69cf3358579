"""Networks in scikit-learn's ensembles, as docs/votes.md says."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier

from rulenet import Anneal, RuleNetworkClassifier

RNG = np.random.default_rng(0)
COLOURS = pd.DataFrame(RNG.choice(["red", "green", "blue"], (200, 4)), columns=list("abcd"))
IS_WARM = ((COLOURS["a"] == "red") | (COLOURS["b"] == "red")).to_numpy()


def make_small():
    search = Anneal(price=0.5, n_restarts=1, n_folds=0, n_proposals=2_000)
    return RuleNetworkClassifier(search=search, nominal="all", random_state=0)


@pytest.mark.parametrize("ensemble", [AdaBoostClassifier, BaggingClassifier])
def test_words_are_learned(ensemble):
    model = ensemble(make_small(), n_estimators=3, random_state=0).fit(COLOURS, IS_WARM)
    assert model.score(COLOURS, IS_WARM) == 1
    assert "= red" in model.estimators_[0].export("text")


def test_bagging_takes_missing_values():
    holed = COLOURS.mask(RNG.random(COLOURS.shape) < 0.1)
    model = BaggingClassifier(make_small(), n_estimators=5, random_state=0).fit(holed, IS_WARM)
    assert model.score(holed, IS_WARM) > 0.9


def test_boosted_networks_count_better_than_one():
    X = pd.DataFrame(RNG.integers(0, 2, (1200, 9)))
    y = X.sum(axis=1) >= 5
    one = make_small().fit(X[:200], y[:200])
    many = AdaBoostClassifier(make_small(), n_estimators=15, random_state=0).fit(X[:200], y[:200])
    assert many.score(X[200:], y[200:]) > one.score(X[200:], y[200:]) + 0.02
