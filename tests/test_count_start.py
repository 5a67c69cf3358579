"""Where walks over networks that count begin: at a tree, at one network a class, at any network that they can say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from rulenet import Network, NetworkError, OneVsRestInit, ParameterError, RuleNetworkClassifier, TreeInit, bits
from rulenet.conditions import Attribute
from rulenet.count.count import Count
from rulenet.count.kernels import MAX_NEED
from rulenet.count.schedule import Law
from rulenet.count.scoring import opposites
from rulenet.count.start import scoring_of
from rulenet.count.walk import Walker, rows_of
from rulenet.encoding import Encoding
from rulenet.search.problem import Problem, decide
from rulenet.search.structure import side_by_side, widen
from test_count import GO_ON, NO_START, make_problem, scorings

QUICK = Count(n_walks=1, n_folds=0, n_proposals=1_000)


def walk_at(network, problem):
    """The scores of a walk that begins at a network, before and after it went somewhere and was put back together."""
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    weights = np.eye(problem.n_classes, dtype=np.int64)[problem.codes]
    rows = rows_of(problem.literals, weights, problem.relations, opposite)
    law, begin = Law(0.5, 0.75, 0.3), scoring_of(network, opposite)
    walker = Walker.of(rows, law, 1.0, 3, 8, begin)
    return walker, begin, opposite


def say(margins):
    return margins - margins.max(axis=1, keepdims=True) if margins.shape[1] > 1 else margins


@st.composite
def networks(draw, n_outputs, n_literals):
    """Two layers of any gates and needs; some units read much, some nothing, and some stand there twice."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gate = draw(st.sampled_from(["and", "or"]))
    first = np.array([rng.permutation(n_literals) < rng.integers(0, 9) for _ in range(rng.integers(1, 7))])
    # Only literals with an opposite where many may fail.
    first = np.vstack([first, first[:1]])
    needs = np.array([rng.integers(1, max(2, min(4, row.sum()) + 1)) for row in first])
    needs[-1] = needs[0]
    if gate == "or":
        first[:, 12:] = False
    last = rng.random((n_outputs, len(first))) < 0.6
    return Network([first, last], gate, [needs, rng.integers(1, 5, n_outputs)])


@pytest.mark.parametrize("n_classes", [2, 3])
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_walk_begins_by_saying_what_the_network_says(n_classes, data):
    problem = make_problem(n_classes)
    network = data.draw(networks(1 if n_classes == 2 else n_classes, len(problem.literals)))
    walker, begin, opposite = walk_at(network, problem)
    margins = network.margins(problem.literals, problem.n_rows)
    assert np.array_equal(begin.scores(problem.literals, problem.n_rows), margins)
    assert np.array_equal(walker.walk.scores.T[: problem.n_rows], margins)
    again = walker.best().network(len(problem.literals), opposite)
    assert np.array_equal(say(again.margins(problem.literals, problem.n_rows)), say(margins))
    walker.anneal(500, 2.0, 0.5, 0.75, GO_ON)
    now = walker.now().scores(problem.literals, problem.n_rows)
    assert np.array_equal(walker.walk.scores.T[: problem.n_rows], now)


@given(st.integers(1, 3).flatmap(scorings))
@settings(deadline=None)
def test_what_a_walk_found_is_a_start(scoring):
    assume(all(need <= MAX_NEED for need in scoring.needs))
    problem = make_problem(3)
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    network = widen(scoring.network(len(problem.literals), opposite), 3)
    found = scoring_of(network, opposite).scores(problem.literals, problem.n_rows)
    assert np.array_equal(found, network.margins(problem.literals, problem.n_rows))


def test_layers_that_only_pass_on_or_join_alike_are_no_layers():
    joined, passed = [[1, 1, 0, 0], [0, 0, 1, 0]], np.eye(2)
    deep = Network([np.eye(4), joined, passed, [[1, 1]], [[1]]], "or")
    found = scoring_of(deep, np.full(4, -1))
    assert (found.inputs, found.needs, found.bias.tolist()) == (((0, 1, 2),), (1,), [-1])
    dual = scoring_of(Network(deep.weights, "and"), np.full(4, -1))
    assert (dual.inputs, dual.needs, dual.bias.tolist()) == (((0, 1, 2),), (3,), [-1])


def test_what_one_hidden_layer_cannot_say_is_refused():
    deep = Network([[[1, 1, 0, 0], [0, 0, 1, 1]], [[1, 1]], [[1]]], "or", [[1, 1], [1], [1]])
    assert scoring_of(Network([[[1, 1, 0, 0]], [[1]]], "or"), np.full(4, -1)).needs == (2,)
    with pytest.raises(ParameterError, match="one hidden layer"):
        scoring_of(deep, np.full(4, -1))
    wide = Network([np.ones((1, 9)), [[1]]], "or")
    with pytest.raises(ParameterError, match="walks count to 3"):
        scoring_of(wide, np.full(9, -1))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shape": rng.choice(["disc", "ring", "star"], 150), "weight": rng.integers(0, 9, 150)})
    y = np.where(X["shape"] == "disc", "red", np.where(X["weight"] > 4, "grey", "white"))
    return X, np.where(rng.random(150) < 0.1, rng.permutation(y), y)


def as_problem(X, y):
    classes, codes = np.unique(y, return_inverse=True)
    encoding = Encoding.learn(X, codes, not_equal=True)
    return encoding, Problem.of_classes(encoding.encode(X), codes, len(classes), encoding.relations)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_tree_starts_as_the_tree_predicts(table, n_classes):
    X, y = table
    encoding, problem = as_problem(X, y if n_classes == 3 else y == "grey")
    network = TreeInit(max_leaf_nodes=8).learn_counting(problem, encoding.conditions, 0)
    place = {x: j for j, x in enumerate(encoding.conditions)}
    asked = [j for x, j in place.items() if ~x in place]
    plain = bits.unpack(problem.literals, problem.n_rows).T[:, asked]
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(plain, problem.codes)
    walker, *_ = walk_at(network, problem)
    assert np.array_equal(decide(walker.walk.scores.T[: problem.n_rows].astype(int)), tree.predict(plain))
    assert len(walker.now().inputs) <= 8


def test_a_tree_of_one_class_or_without_conditions_is_a_start():
    problem = make_problem(3)
    conditions = [Attribute(f"a{j}", (0, 1)).equal(1) for j in range(len(problem.literals))]
    network = TreeInit().learn_counting(problem, conditions, 0)
    assert set(decide(network.margins(problem.literals, problem.n_rows))) == {np.bincount(problem.codes).argmax()}


def test_one_network_a_class_stands_beside_the_others(table):
    encoding, problem = as_problem(*table)
    network = OneVsRestInit(QUICK).learn(problem, encoding.conditions, 0)
    margins = network.margins(problem.literals, problem.n_rows)
    for k, target in enumerate(problem.target):
        alone = Problem(problem.literals, target, problem.planes, problem.relations, problem.n_rows)
        found = QUICK.search(alone, NO_START, 0).network
        assert np.array_equal(found.margins(problem.literals, problem.n_rows)[:, 0], margins[:, k])
    with pytest.raises(NetworkError, match="same literals and gates"):
        side_by_side([network, Network(network.weights, "or")])


@pytest.mark.parametrize("init", ["tree", TreeInit(4), OneVsRestInit(QUICK)])
def test_every_start_leads_somewhere_and_is_saved(table, init, tmp_path):
    X, y = table
    search = Count(n_walks=1, n_folds=2, n_proposals=2_000)
    models = [RuleNetworkClassifier(search=search, init=init, random_state=0).fit(X, y) for _ in range(2)]
    assert models[0].network_ == models[1].network_
    assert models[0].score(X, y) > 0.8
    models[0].save(tmp_path / "model.json")
    assert RuleNetworkClassifier.load(tmp_path / "model.json").network_ == models[0].network_


def test_a_short_walk_stays_near_the_network_that_was_given(table):
    X, y = table
    known = RuleNetworkClassifier(
        search=Count(n_walks=1, n_folds=0, n_proposals=10_000), nominal="all", random_state=0
    ).fit(X, y)
    short = Count(n_walks=1, n_folds=0, n_proposals=10)
    started = RuleNetworkClassifier(search=short, init=known.network_, nominal="all", random_state=0).fit(X, y)
    alone = RuleNetworkClassifier(search=short, nominal="all", random_state=0).fit(X, y)
    assert started.score(X, y) > known.score(X, y) - 0.05
    assert alone.score(X, y) < known.score(X, y) - 0.1
    with pytest.raises(ParameterError, match="init has 3 outputs, but the classes of y take 1"):
        RuleNetworkClassifier(search=short, init=known.network_, nominal="all").fit(X, y == "red")
    with pytest.raises(ParameterError, match="EspressoInit, which describes one of two classes"):
        RuleNetworkClassifier(init="espresso").fit(X, y)
