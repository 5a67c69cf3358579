"""A search around what is locked or forbidden, as a search for another problem."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Anneal, FormulaError, Greedy, Network, ParameterError, RandomInit, TreeInit, bits
from rulenet.anneal.distil import add_rows
from rulenet.anneal.schedule import SCHEDULE
from rulenet.conditions import Attribute, Condition
from rulenet.formulas.equivalence import equivalent
from rulenet.formulas.expressions import FALSE, TRUE, And, Concept, Formula, Or, walk
from rulenet.formulas.to_network import to_network
from rulenet.relations import relations_of
from rulenet.search.around import Around, Limits, search_around
from rulenet.search.generate import generate_rows
from rulenet.search.locks import Lock, restored
from rulenet.search.problem import Problem
from rulenet.search.protocol import Found
from rulenet.starts.names import init_of

SHAPE = Attribute("shape", ("disc", "ring", "star"))
LIT = Attribute("lit", ("no", "yes"))
AGE = Attribute("age", kind="numeric", cuts=(10, 20, 30))
ATTRIBUTES = (SHAPE, LIT, AGE)
EQUAL = [SHAPE.equal(value) for value in SHAPE.values]
CONDITIONS = (
    *EQUAL,
    *(~x for x in EQUAL),
    LIT.equal("no"),
    LIT.equal("yes"),
    *(AGE.at_most(cut) for cut in AGE.cuts),
    *(AGE.above(cut) for cut in AGE.cuts),
)
BRIGHT = And((~SHAPE.equal("disc"), LIT.equal("yes")))
FORMULA = Formula(Or((Concept("bright"), And((SHAPE.equal("disc"), AGE.at_most(10))))), {"bright": BRIGHT}, ATTRIBUTES)
QUICK = Anneal(n_restarts=2, n_folds=0, n_proposals=5_000, distil=False)


def make_problem(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    codes = {a: rng.integers(-1, a.n_cells, n_rows) for a in ATTRIBUTES}
    literals = np.array([x.table[codes[x.attribute]] for x in CONDITIONS])
    target = (literals[7] & literals[3]) | (codes[AGE] == 0) ^ (rng.random(n_rows) < 0.05)
    return Problem.of(bits.pack(literals), target, relations_of(CONDITIONS)), literals.T, target


def around(lock=(), forbid=()):
    return Around(FORMULA, CONDITIONS, Limits.of(lock, forbid))


@pytest.mark.parametrize("forbid", [(), ["lit"], ["!=", "shape = star"]])
@given(st.integers(0, 2**31), st.sampled_from([0.1, 0.5, 1.0]))
@settings(max_examples=20)
def test_generated_rows_never_contradict_a_locked_concept(forbid, seed, exchanged):
    problem = make_problem(seed=seed)[0]
    inner = around(["bright"], forbid).apply(problem).take(np.arange(0, 200, 2))
    n_rows = 300
    generated = bits.unpack(generate_rows(inner, n_rows, np.random.RandomState(seed), exchanged), n_rows)
    whole = problem.take(np.arange(0, 200, 2))
    base = bits.unpack(generate_rows(whole, n_rows, np.random.RandomState(seed), exchanged), n_rows)
    assert (generated[-1] == base[7] & base[3]).all()
    assert (generated[:-1] == base[Limits.of(forbid=forbid).allowed(CONDITIONS)]).all()


def test_what_is_taught_has_all_inputs():
    inner = around(["bright"], ["age"]).apply(make_problem()[0])
    generated = generate_rows(inner, 64, np.random.RandomState(0), SCHEDULE.vote_exchanged)
    assert add_rows(inner, generated, np.linspace(0, 1, 64)).n_rows == inner.n_rows + 64


def test_a_locked_concept_is_an_input_and_a_locked_rule_settles_rows():
    problem, rows, _ = make_problem()
    reduction = around(["bright", 2])
    inner = reduction.apply(problem)
    assert len(inner.literals) == len(CONDITIONS) + 1 == len(reduction.inputs)
    settled = rows[:, 0] & rows[:, 8]
    assert (inner.weights == ~settled).all()
    assert (bits.unpack(inner.literals, 200)[-1] == rows[:, 7] & rows[:, 3]).all()
    assert inner.relations.owner.max() == len(ATTRIBUTES)


@given(st.integers(0, 2**31))
@settings(max_examples=20)
def test_the_formula_says_what_the_network_says_and_what_is_locked(seed):
    problem, rows, _ = make_problem(seed=1)
    reduction = around(["bright", 2], ["lit"])
    inner = reduction.apply(problem)
    network = RandomInit().start(inner.relations, (4, 2), "and", seed)
    formula = reduction.invert(network)
    expected = bits.unpack(network.evaluate(inner.literals), 200) | rows[:, 0] & rows[:, 8]
    assert (to_network(formula, CONDITIONS).predict(rows) == expected).all()
    assert formula.concepts.get("bright", BRIGHT) == BRIGHT


def test_relations_are_those_of_the_conditions_left():
    inner = around(forbid=[AGE.at_most(20), "shape = ring"]).apply(make_problem()[0])
    left = [x for x in CONDITIONS if x not in (AGE.at_most(20), SHAPE.equal("ring"))]
    for found, expected in zip(inner.relations, relations_of(left), strict=True):
        assert found.tolist() == expected.tolist()
    assert inner.relations.up[left.index(AGE.at_most(10))] == left.index(AGE.at_most(30))


@pytest.mark.parametrize(
    ("forbid", "gone"),
    [
        (["shape"], range(6)),
        ([SHAPE.equal("ring")], [1]),
        (["shape = ring", "shape == star"], [1, 2]),
        (["!="], [3, 4, 5]),
        (["shape != disc"], [3]),
        (["lit != no"], [7]),
        (["age <= 20", "age > 30"], [9, 13]),
        ([], []),
    ],
)
def test_columns_conditions_and_their_texts_can_be_forbidden(forbid, gone):
    allowed = Limits.of((), forbid).allowed(CONDITIONS)
    assert sorted({*range(len(CONDITIONS))} - {*allowed.tolist()}) == list(gone)


@pytest.mark.parametrize("forbid", [["sex"], ["shape = cube"], ["age <= 11"], [SHAPE.is_missing]])
def test_what_is_not_known_cannot_be_forbidden(forbid):
    with pytest.raises(ParameterError, match=r"which is neither a column nor a condition .* columns are \['shape'"):
        around(forbid=forbid).apply(make_problem()[0])


@pytest.mark.parametrize(
    ("lock", "forbid", "message"),
    [
        ("bright", (), r"lock is 'bright', but must be a list; write \['bright'\]"),
        ((), "age", "forbid is 'age', but must be a list"),
        ([1.5], (), "lock has 1.5"),
        ([True], (), "lock has True"),
        ((), [3], "forbid has 3, but takes names of columns"),
    ],
)
def test_limits_of_other_types_are_refused(lock, forbid, message):
    with pytest.raises(ParameterError, match=message):
        Limits.of(lock, forbid)


def test_what_does_not_exist_cannot_be_locked():
    problem = make_problem()[0]
    with pytest.raises(FormulaError, match="no concept is called 'dark'"):
        around(["dark"]).apply(problem)
    with pytest.raises(ParameterError, match="rule 3 cannot be locked; the formula has rules 1 to 2"):
        around([3]).apply(problem)
    with pytest.raises(ParameterError, match="everything is forbidden"):
        around((), ["shape", "lit", "age"]).apply(problem)


@pytest.mark.parametrize("search", [QUICK, Greedy(n_epochs=1)])
@pytest.mark.parametrize("init", ["auto", "random", "tree", "espresso", "layers"])
def test_every_start_works_where_every_equal_is_forbidden(search, init):
    problem, rows, target = make_problem()
    banned = [*EQUAL, LIT.equal("no"), LIT.equal("yes")]
    formula, _ = search_around(
        search, init_of(init, mixed=True), problem, around(["bright"], banned), [(8, 2)], ["and", "or"], 0
    )
    allowed = [x for x in CONDITIONS if x not in banned]
    assert (to_network(formula, CONDITIONS).predict(rows) == target).mean() > 0.7
    free = {x for name, e in formula.definitions if name != "bright" for x in _conditions(e)}
    assert free <= {x | y for x in allowed for y in allowed if x.attribute == y.attribute} | _ranges(allowed)


def _conditions(expression):
    return {x for x in walk(expression) if isinstance(x, Condition)}


def _ranges(conditions):
    return {x & y for x in conditions for y in conditions if x.attribute == y.attribute}


class Spy:
    """A search that notes what it is given, and finds what it starts from."""

    def __init__(self):
        self.starts = []

    def search(self, problem, start, seed, n_jobs=None, report=None):
        self.starts = [start(seed) for seed in range(4)]
        return Found(self.starts[0], (0.5,))


def test_shapes_gates_and_init_are_respected():
    problem = make_problem()[0]
    spy = Spy()
    search_around(spy, init_of("random"), problem, around(["bright"]), [(5, 3), (7,)], ["or"], 0)
    assert [n.hidden_layer_sizes for n in spy.starts] == [(5, 3), (7,), (5, 3), (7,)]
    assert {n.first_gate for n in spy.starts} == {"or"}
    search_around(spy, TreeInit(max_leaf_nodes=4), problem, around(["bright"]), [(5,)], ["and"], 0)
    assert spy.starts[0].hidden_layer_sizes != (5,)
    given_network = Network([np.eye(len(CONDITIONS))[:2], [[1, 1]]], "or")
    search_around(spy, init_of(given_network), problem, around(["bright"], ["age"]), [(5,)], ["and"], 0)
    assert spy.starts[0] == Network([np.eye(9)[:2], [[1, 1]]], "or")


@pytest.mark.parametrize(
    ("concepts", "name", "n_new"),
    [
        ({"old": AGE.above(20), "bright": BRIGHT, "far": Or((Concept("old"), Concept("bright")))}, "far", 0),
        ({}, "far", 3),
        ({"bright": LIT.equal("no"), "old": Or((Concept("bright"), AGE.at_most(30)))}, "far", 3),
        ({"far": BRIGHT, "c1": FALSE, "c2": TRUE}, "c3", 2),
    ],
)
def test_what_is_locked_is_found_again_whatever_names_mean_by_then(concepts, name, n_new):
    far = Or((Concept("bright"), Concept("old")))
    rule = And((Concept("far"), Concept("bright"), AGE.above(10)))
    known = {"bright": BRIGHT, "old": AGE.above(20), "far": far, "other": EQUAL[0]}
    was = Formula(rule, known, ATTRIBUTES)
    now = Formula(FALSE, concepts, ATTRIBUTES)
    said, names, rules = restored(now, [Lock.of(was, far, "far"), Lock.of(was, rule)])
    assert names == (name,)
    assert {n: said.concepts[n] for n in concepts} == concepts
    assert len(said.concepts) == len(concepts) + n_new
    for expected, found in ((Concept("far"), Concept(name)), (rule, rules[0])):
        assert equivalent(replace(was, output=expected), replace(said, output=found))


def test_where_locked_rules_settle_all_rows_nothing_is_searched():
    problem = make_problem()[0]
    everything = Formula(Or((SHAPE.is_known, LIT.is_known, AGE.is_known, SHAPE.equal("disc"))), {}, ATTRIBUTES)
    rows = problem.take(np.flatnonzero(bits.unpack(problem.literals, 200)[:6].any(axis=0)))
    reduction = Around(everything, CONDITIONS, Limits.of([1]))
    formula, history = search_around(Spy(), init_of("random"), rows, reduction, [(5,)], ["and"], 0)
    assert history == (1.0,)
    assert formula == reduction.settled
