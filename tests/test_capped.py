import numpy as np
import pandas as pd
import pytest

from rulenet import Anneal, Count, Network, ParameterError, RuleNetworkClassifier
from rulenet.bits import pack
from rulenet.capped import shrink
from rulenet.relations import Relations
from rulenet.search.problem import Problem

SMALL = Count(n_walks=2, n_folds=0, n_proposals=2000)
QUICK = Anneal(n_restarts=2, n_folds=0, n_proposals=2000, distil=False)


@pytest.fixture(scope="module")
def noisy():
    """Rows whose class depends on four numbers, more or less."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    return X, (X.sum(axis=1) + rng.normal(size=200) > 0).map({True: "high", False: "low"})


@pytest.mark.parametrize("search", [SMALL, QUICK], ids=["count", "anneal"])
@pytest.mark.parametrize("max_size", [1, 4, 9])
def test_no_network_is_larger_than_allowed(noisy, search, max_size):
    model = RuleNetworkClassifier(search=search, max_size=max_size, random_state=0).fit(*noisy)
    assert model.size_ <= max_size
    assert model.pareto_["size"].max() <= max_size
    assert model.pareto_["chosen"].sum() == 1
    assert model.score(*noisy) > 0.5


def test_more_room_is_no_worse_on_the_training_rows(noisy):
    scores = [
        RuleNetworkClassifier(search=SMALL, max_size=size, random_state=0).fit(*noisy).score(*noisy) for size in (1, 12)
    ]
    assert scores[0] <= scores[1]


def test_a_network_within_the_cap_stays_as_it_is(noisy):
    free = RuleNetworkClassifier(search=SMALL, random_state=0).fit(*noisy)
    capped = RuleNetworkClassifier(search=SMALL, max_size=free.size_, random_state=0).fit(*noisy)
    assert capped.size_ == free.size_
    assert str(capped.formula_) == str(free.formula_)


def test_several_classes_are_capped_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    model = RuleNetworkClassifier(search=SMALL, max_size=8, random_state=0).fit(X, X.to_numpy().argmax(axis=1))
    assert model.size_ <= 8


def test_a_cap_of_nothing_is_refused(noisy):
    with pytest.raises(ParameterError, match="max_size is 0, but must be None or an integer of at least 1"):
        RuleNetworkClassifier(max_size=0).fit(*noisy)


def test_shrinking_takes_the_edge_that_costs_nothing_first():
    rows = np.random.default_rng(1).random((64, 3)) < 0.5
    problem = Problem.of(pack(rows.T.copy()), rows[:, 0] & rows[:, 1], Relations.of([0, 1, 2], [0, 0, 0]))
    network = Network([[[1, 1, 0], [1, 1, 1]], [[1, 1]]], "and")  # (a and b) or (a and b and c)
    assert problem.errors(shrink(network, problem, 3)) == 0
