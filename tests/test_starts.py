import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier
from wittgenstein import RIPPER

from rulenet import (
    Anneal,
    EspressoInit,
    Network,
    QuineMcCluskeyInit,
    RandomInit,
    RipperInit,
    RuleNetworkClassifier,
    TreeInit,
    bits,
)
from rulenet.literals import Attribute, literals_of, sibling_groups
from rulenet.training.problem import Problem
from rulenet.training.starts import MixedStart, rules_start
from rulenet.training.structure import trim, widen

VALUES = {"a": (0, 1), "b": ("x", "y", "z"), "c": (0, 1), "d": (1, 2, 3)}
ATTRIBUTES = tuple(Attribute(name, values) for name, values in VALUES.items())
LITERALS = literals_of(ATTRIBUTES, not_equal=True)
NAMES = [str(j) for j in range(len(LITERALS))]


def all_rows():
    """Every row without missing values, as literals."""
    values = np.stack(np.meshgrid(*(np.arange(len(a.values)) for a in ATTRIBUTES), indexing="ij"), axis=-1)
    values = values.reshape(-1, len(ATTRIBUTES))
    place = {a: i for i, a in enumerate(ATTRIBUTES)}
    columns = [[x.holds(x.attribute.values[row[place[x.attribute]]]) for row in values] for x in LITERALS]
    return np.array(columns).T


ROWS = all_rows()


def make_problem(target, rows=ROWS):
    return Problem.of(bits.pack(np.ascontiguousarray(rows.T)), target, sibling_groups(LITERALS))


def concept(seed):
    rng = np.random.default_rng(seed)
    return (ROWS[:, rng.integers(len(LITERALS), size=3)].all(axis=1)) | (rng.random(len(ROWS)) < rng.choice([0.1, 0.4]))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_network_of_a_tree_predicts_what_the_tree_does(seed):
    target = concept(seed)
    train = np.random.default_rng(seed).random(len(ROWS)) < 0.6
    train[:2] = True
    network = TreeInit(max_leaf_nodes=12).learn(make_problem(target[train], ROWS[train]), LITERALS, 0)
    tree = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0).fit(ROWS[train], target[train])
    assert (network.predict(ROWS) == tree.predict(ROWS)).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_network_of_ripper_predicts_what_ripper_does(seed):
    target = concept(seed)
    network = RipperInit().learn(make_problem(target), LITERALS, seed)
    model = RIPPER(random_state=seed)
    model.fit(ROWS, y=target, pos_class=True, feature_names=NAMES)
    assert (network.predict(ROWS) == np.array(model.predict(ROWS, feature_names=NAMES))).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([EspressoInit(), QuineMcCluskeyInit()]))
@settings(max_examples=15)
def test_a_cover_makes_no_error_on_its_rows(seed, init):
    target = concept(seed)
    assert (init.learn(make_problem(target), LITERALS, 0).predict(ROWS) == target).all()


def test_the_fewest_rules_are_no_more_than_those_of_espresso():
    problem = make_problem(concept(5))
    sizes = [len(init.learn(problem, LITERALS, 0).weights[0]) for init in (QuineMcCluskeyInit(), EspressoInit())]
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize("init", ["tree", "ripper", "espresso", "quine-mccluskey", "layers"])
def test_every_start_can_be_named_and_searched_on_from(init):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"u": rng.choice(["p", "q", "r"], 200), "v": rng.choice([True, False], 200)})
    y = (X["u"] == "p") | X["v"]
    search = Anneal(n_restarts=2, n_folds=2, n_proposals=5_000)
    assert RuleNetworkClassifier(init=init, search=search, random_state=0).fit(X, y).score(X, y) == 1


def test_a_constant_target_gives_a_constant_start():
    network = TreeInit().learn(make_problem(np.ones(len(ROWS), bool)), LITERALS, 0)
    assert network.predict(ROWS).all()


def test_widening_and_trimming_change_no_prediction():
    rng = np.random.default_rng(1)
    for first_gate in ("and", "or"):
        weights = [rng.random(shape) < 0.3 for shape in ((6, len(LITERALS)), (4, 6), (1, 4))]
        network = Network(weights, first_gate)
        expected = network.predict(ROWS)
        assert (widen(network, 3).predict(ROWS) == expected).all()
        assert (trim(widen(network, 3)).predict(ROWS) == expected).all()
        assert trim(widen(network, 3)).n_edges <= network.n_edges


@pytest.mark.parametrize("gate", ["and", "or"])
def test_the_leaves_of_a_tree_fill_a_network_of_any_shape(gate):
    target = (ROWS[:, 0] & ROWS[:, 2]) | ROWS[:, 9]
    for sizes in ((32,), (32, 8, 2), (32, 16, 8, 4, 2)):
        network = rules_start(make_problem(target), LITERALS, sizes, gate, 3)
        assert network.hidden_layer_sizes == sizes
        assert network.first_gate == gate
        assert (network.predict(ROWS) == target).all()


def test_mixed_starts_cycle_through_shapes_and_gates_and_are_learned_from_the_rows_at_hand():
    problem = make_problem(concept(2))
    start = MixedStart(RandomInit(), problem, LITERALS, [(8, 2), (4, 4, 2)], ["and", "or"])
    seen = {(network.hidden_layer_sizes, network.first_gate) for network in map(start, range(4))}
    assert len(seen) == 4
    fewer = problem.take(np.arange(10))
    assert start.on(fewer).problem is fewer
