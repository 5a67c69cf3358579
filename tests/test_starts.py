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
    LayersInit,
    Network,
    ParameterError,
    QuineMcCluskeyInit,
    RandomInit,
    RipperInit,
    RuleNetworkClassifier,
    TreeInit,
    bits,
)
from rulenet.conditions import Attribute
from rulenet.relations import relations_of
from rulenet.search.problem import Problem, Source
from rulenet.search.structure import trim, widen
from rulenet.starts.given import GivenInit
from rulenet.starts.learned import find_deniable
from rulenet.starts.mixed import MixedInit
from rulenet.starts.names import INITS, init_of
from rulenet.starts.tree import start_from_leaves

VALUES = {"a": (0, 1), "b": ("x", "y", "z"), "c": (0, 1), "d": (1, 2, 3)}
ATTRIBUTES = tuple(Attribute(name, values) for name, values in VALUES.items())
EQUAL = [[a.equal(value) for value in a.values] for a in ATTRIBUTES]
CONDITIONS = [x for equal in EQUAL for x in (equal if len(equal) == 2 else [*equal, *(~x for x in equal)])]
NAMES = [str(j) for j in range(len(CONDITIONS))]


def all_rows():
    """Every row without missing values, as literals."""
    values = np.stack(np.meshgrid(*(np.arange(len(a.values)) for a in ATTRIBUTES), indexing="ij"), axis=-1)
    values = values.reshape(-1, len(ATTRIBUTES))
    place = {a: i for i, a in enumerate(ATTRIBUTES)}
    columns = [[x.holds(x.attribute.values[row[place[x.attribute]]]) for row in values] for x in CONDITIONS]
    return np.array(columns).T


ROWS = all_rows()


def make_problem(target, rows=ROWS):
    return Problem.of(bits.pack(np.ascontiguousarray(rows.T)), target, relations_of(CONDITIONS))


def concept(seed):
    rng = np.random.default_rng(seed)
    noise = rng.random(len(ROWS)) < rng.choice([0.1, 0.4])
    return ROWS[:, rng.integers(len(CONDITIONS), size=3)].all(axis=1) | noise


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_network_of_a_tree_predicts_what_the_tree_does(seed):
    target = concept(seed)
    train = np.random.default_rng(seed).random(len(ROWS)) < 0.6
    train[:2] = True
    network = TreeInit(max_leaf_nodes=12).learn(make_problem(target[train], ROWS[train]), CONDITIONS, 0)
    tree = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0).fit(ROWS[train], target[train])
    assert (network.predict(ROWS) == tree.predict(ROWS)).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_network_of_ripper_predicts_what_ripper_does(seed):
    target = concept(seed)
    network = RipperInit().learn(make_problem(target), CONDITIONS, seed)
    model = RIPPER(random_state=seed)
    model.fit(ROWS, y=target, pos_class=True, feature_names=NAMES)
    assert (network.predict(ROWS) == np.array(model.predict(ROWS, feature_names=NAMES))).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([EspressoInit(), QuineMcCluskeyInit()]))
@settings(max_examples=15)
def test_a_cover_makes_no_error_on_its_rows(seed, init):
    target = concept(seed)
    assert (init.learn(make_problem(target), CONDITIONS, 0).predict(ROWS) == target).all()


def test_the_fewest_rules_are_no_more_than_those_of_espresso():
    problem = make_problem(concept(5))
    sizes = [len(init.learn(problem, CONDITIONS, 0).weights[0]) for init in (QuineMcCluskeyInit(), EspressoInit())]
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize("init", ["tree", "ripper", "espresso", "quine-mccluskey", "layers"])
def test_every_start_can_be_named_and_searched_on_from(init):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"u": rng.choice(["p", "q", "r"], 200), "v": rng.choice([True, False], 200)})
    y = (X["u"] == "p") | X["v"]
    search = Anneal(n_restarts=2, n_folds=2, n_proposals=5_000)
    assert RuleNetworkClassifier(init=init, search=search, random_state=0).fit(X, y).score(X, y) == 1


def test_a_constant_target_gives_a_constant_start():
    network = TreeInit().learn(make_problem(np.ones(len(ROWS), bool)), CONDITIONS, 0)
    assert network.predict(ROWS).all()


def test_widening_and_trimming_change_no_prediction():
    rng = np.random.default_rng(1)
    for first_gate in ("and", "or"):
        weights = [rng.random(shape) < 0.3 for shape in ((6, len(CONDITIONS)), (4, 6), (1, 4))]
        network = Network(weights, first_gate)
        expected = network.predict(ROWS)
        assert (widen(network, 3).predict(ROWS) == expected).all()
        assert (trim(widen(network, 3)).predict(ROWS) == expected).all()
        assert trim(widen(network, 3)).n_edges <= network.n_edges


@pytest.mark.parametrize("gate", ["and", "or"])
def test_the_leaves_of_a_tree_fill_a_network_of_any_shape(gate):
    target = (ROWS[:, 0] & ROWS[:, 2]) | ROWS[:, 9]
    for sizes in ((32,), (32, 8, 2), (32, 16, 8, 4, 2)):
        network = start_from_leaves(make_problem(target), CONDITIONS, sizes, gate, 3)
        assert network.hidden_layer_sizes == sizes
        assert network.first_gate == gate
        assert (network.predict(ROWS) == target).all()


def test_mixed_starts_cycle_through_shapes_and_gates_and_are_learned_from_the_rows_at_hand():
    problem = make_problem(concept(2))
    start = MixedInit().start_for(problem, CONDITIONS, [(8, 2), (4, 4, 2)], ["and", "or"])
    seen = {(network.hidden_layer_sizes, network.first_gate) for network in map(start, range(4))}
    assert len(seen) == 4
    fewer = problem.take(np.arange(10))
    assert start.on(fewer).problem is fewer
    assert start.may_widen
    assert start.another(0) == start_from_leaves(problem, CONDITIONS, (8, 2), "and", 0)


def test_every_start_comes_through_one_protocol():
    problem = make_problem(concept(1))
    network = Network([np.eye(len(CONDITIONS))[:2], [[1, 1]]])
    for init in (*INITS, "auto", network, LayersInit((4,)), MixedInit()):
        start = init_of(init, mixed=True).start_for(problem, CONDITIONS, [(8, 2), (4, 2)], ["or"])
        found = start.on(problem.take(np.arange(30)))(3)
        assert found.n_literals == len(CONDITIONS)
        assert found == start.on(problem.take(np.arange(30)))(3)
        assert isinstance(start.may_widen, bool)
        assert start.another(3) is None or start.another(3).n_literals == len(CONDITIONS)


def test_random_starts_have_the_shapes_and_gates_in_turn():
    start = RandomInit().start_for(make_problem(concept(1)), CONDITIONS, [(8, 2), (4, 4)], ["or"])
    assert [start(seed).hidden_layer_sizes for seed in range(3)] == [(8, 2), (4, 4), (8, 2)]
    assert start(0).first_gate == "or"


@pytest.mark.parametrize("init", ["forest", 3, None])
def test_an_unknown_init_is_refused(init):
    with pytest.raises(ParameterError, match=f"init is {init!r}, but must be 'auto' or 'random'"):
        init_of(init)


def test_a_given_network_must_read_the_literals_of_the_table():
    problem = make_problem(concept(1))
    with pytest.raises(ParameterError, match=f"init reads 2 literals but the table has {len(CONDITIONS)}"):
        GivenInit(Network([[[1, 1]]])).start_for(problem, CONDITIONS, [(2,)], ["and"])


def test_a_given_network_is_carried_to_a_derived_problem():
    problem = make_problem(concept(1))
    network, kept = Network([np.ones((1, len(CONDITIONS)))]), np.array([3, 0])
    source = Source(problem.literals, problem.relations, kept, (network,))
    derived = Problem(source.derive(problem.literals), problem.target, problem.planes, problem.relations, 36, source)
    start = GivenInit(network).start_for(derived, (), [(2,)], ["and"])
    assert start(0) == Network([[[1, 1, 0]]])


@pytest.mark.parametrize("init", [TreeInit(1), RipperInit(0), EspressoInit(0.5), QuineMcCluskeyInit("x")])
def test_parameters_out_of_range_are_refused(init):
    (name, value), *_ = [item for item in init.get_params().items() if item[1] != 8192]
    with pytest.raises(ParameterError, match=f"{name} is {value!r}, but must be "):
        init.start_for(make_problem(concept(1)), CONDITIONS, [(2,)], ["and"])


AGE = Attribute("age", kind="numeric", cuts=(10, 20, 30, 40))
SIZE = Attribute("size", ("S", "M", "L"), kind="ordinal")
ORDERED = [
    *(AGE.at_most(cut) for cut in AGE.cuts),
    *(AGE.above(cut) for cut in AGE.cuts),
    *(SIZE.equal(v) for v in SIZE.values),
    SIZE.at_most("M"),
    SIZE.above("S"),
]


def ordered_problem(conditions, seed=0):
    rng = np.random.default_rng(seed)
    codes = {AGE: rng.integers(-1, 5, 300), SIZE: rng.integers(0, 3, 300)}
    literals = np.array([x.table[codes[x.attribute]] for x in conditions])
    target = ((codes[AGE] >= 1) & (codes[AGE] < 3)) | (codes[SIZE] == 2)
    return Problem.of(bits.pack(literals), target, relations_of(conditions)), literals.T, target


@pytest.mark.parametrize("init", [TreeInit(), RipperInit(), EspressoInit(), QuineMcCluskeyInit(), LayersInit((16,))])
def test_starts_learn_from_ordered_attributes(init):
    problem, rows, target = ordered_problem(ORDERED)
    network = init.learn(problem, ORDERED, 0)
    # Rows without an age are covered by a tree's "not age <= 10", for which there is no literal.
    known = rows[:, : 2 * len(AGE.cuts)].any(axis=1)
    assert (network.predict(rows) == target)[known].mean() > 0.95


@pytest.mark.parametrize("init", [*INITS, "auto"])
@pytest.mark.parametrize(
    "conditions",
    [[~x for x in EQUAL[1]], [x for x in CONDITIONS if x not in EQUAL[3]], EQUAL[1][:2], [AGE.at_most(20)]],
)
def test_starts_work_with_any_conditions_that_are_left(init, conditions):
    rng = np.random.default_rng(0)
    codes = {a: rng.integers(0, a.n_cells, 200) for a in (*ATTRIBUTES, AGE)}
    literals = np.array([x.table[codes[x.attribute]] for x in conditions])
    target = literals[0] ^ (rng.random(200) < 0.1)
    problem = Problem.of(bits.pack(literals), target, relations_of(conditions))
    start = init_of(init, mixed=True).start_for(problem, conditions, [(8, 2)], ["and", "or"])
    for seed in (0, 4):
        assert start.on(problem)(seed).n_literals == len(conditions)


def test_conditions_can_be_denied_by_several_others():
    assert find_deniable(ORDERED).tolist() == list(range(len(ORDERED)))
    middle = AGE.between(10, 30)
    assert find_deniable([middle, AGE.at_most(10), AGE.above(20)]).tolist() == [1]
    assert find_deniable([middle, AGE.at_most(10), AGE.above(30)]).tolist() == [0, 1, 2]
