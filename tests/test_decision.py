"""Decisions keep the margins of their network exactly, on all rows, missing and unknown values included."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formula_strategies import attribute_lists, conditions_of, formulas
from rulenet import Network, bits
from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas import And, AtLeast, Concept, Formula, Not, Or, ScoreCard, from_network, to_network
from rulenet.formulas.decision import Decision, Score, simplify_decision
from rulenet.formulas.from_network import decision_from_network
from rulenet.formulas.truth import all_rows, encode, holds


@st.composite
def several_outputs(draw, max_attributes=3, max_layers=4, max_outputs=4, only_or=False):
    """A network with several outputs that count, the conditions it reads, and labels."""
    attributes = draw(attribute_lists(max_attributes))
    conditions = conditions_of(attributes, not_equal=draw(st.booleans()), missing=draw(st.booleans()))
    n_outputs = draw(st.integers(2, max_outputs))
    hidden = draw(st.lists(st.integers(1, 5), max_size=max_layers - 1))
    sizes = [len(conditions), *hidden, n_outputs]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.2, 0.5, 0.8]))
    weights = [rng.random((n, m)) < density for m, n in pairwise(sizes)]
    needs = [rng.integers(1, 4, len(w)) for w in weights]
    gates = ("and", "or")
    gate = gates[len(weights) % 2] if only_or else draw(st.sampled_from(gates))
    return Network(weights, gate, needs), conditions, [f"k{i}" for i in range(n_outputs)]


def margins_of(network, conditions, rows):
    literals = bits.pack(np.array([rows.truth(x).true for x in conditions]))
    return network.margins(literals, len(rows))


def attributes_of(conditions):
    return tuple(dict.fromkeys(x.attribute for x in conditions))


@given(several_outputs())
def test_margins_are_those_of_the_network_on_all_rows(case):
    network, conditions, labels = case
    decision = decision_from_network(network, conditions, labels)
    rows = all_rows(attributes_of(conditions))
    expected = margins_of(network, conditions, rows)
    assert np.array_equal(decision.margins(rows), expected)
    assert decision.decide(rows).tolist() == [labels[k] for k in expected.argmax(axis=1)]
    for k, label in enumerate(labels):
        assert np.array_equal(holds(decision.formula(label), rows), expected[:, k] >= 0)


@given(several_outputs())
def test_the_way_back_gives_a_network_with_the_same_margins(case):
    network, conditions, labels = case
    decision = decision_from_network(network, conditions, labels)
    rows = all_rows(attributes_of(conditions))
    again = to_network(decision, conditions)
    assert again.gates[-1] == "or"
    assert np.array_equal(margins_of(again, conditions, rows), decision.margins(rows))
    read_again = decision_from_network(again, conditions, labels)  # concepts may have other numbers
    assert np.array_equal(read_again.margins(rows), decision.margins(rows))
    assert len(read_again.concepts) == len(decision.concepts)


@given(several_outputs())
def test_simplifying_keeps_margins_and_names(case):
    network, conditions, labels = case
    decision = decision_from_network(network, conditions, labels)
    assert simplify_decision(decision) == decision
    named = decision.rename({name: f"the {name}" for name in decision.concepts})
    assert simplify_decision(named) == named
    assert decision_from_network(network, conditions, labels, named=named) == named
    rows = all_rows(attributes_of(conditions))
    assert np.array_equal(named.margins(rows), decision.margins(rows))


@given(formulas(), st.data())
def test_negated_parts_keep_their_margins(formula, data):
    parts = [Not(formula.output), *map(Concept, formula.concepts), formula.output]
    scores = [Score(k, data.draw(st.integers(-1, 3)), tuple((1 + k, p) for p in parts[k:])) for k in range(3)]
    decision = Decision(tuple(scores), formula.concepts, formula.attributes)
    rows = all_rows(formula.attributes)
    assert np.array_equal(simplify_decision(decision).margins(rows), decision.margins(rows))


@given(several_outputs())
def test_one_output_decides_between_two_classes(case):
    network, conditions, _ = case
    weights, needs = network.weights, network.needs
    network = Network([*weights[:-1], weights[-1][:1]], network.first_gate, [*needs[:-1], needs[-1][:1]])
    rows = all_rows(attributes_of(conditions))
    expected = margins_of(network, conditions, rows)[:, 0] >= 0
    decision = decision_from_network(network, conditions, ["yes", "no"])
    assert np.array_equal(decision.decide(rows) == "yes", expected)
    of_formula = Decision.of_formula(from_network(network, conditions), "yes", "no")
    assert np.array_equal(of_formula.decide(rows) == "yes", expected)


A, B, C = (Attribute(n, ("no", "yes")).equal("yes") for n in "abc")
ATTRIBUTES = tuple(x.attribute for x in (A, B, C))


def test_what_classes_share_is_named_once_and_equal_units_are_points():
    both, either = [1, 1, 0], [0, 1, 1]
    hidden = [both, both, either, [0, 0, 1], [0, 0, 0]]
    network = Network([hidden, [[1, 1, 0, 1, 0], [1, 0, 1, 0, 1]]], needs=[[1] * 5, [3, 2]])
    decision = decision_from_network(network, [A, B, C], ["x", "y"], attributes=ATTRIBUTES)
    assert decision.concepts == {"c1": And((A, B))}
    assert decision.outputs == (
        Score("x", 3, ((2, Concept("c1")), (1, C))),
        Score("y", 1, ((1, Concept("c1")), (1, And((B, C))))),  # the empty AND always holds
    )


def test_ties_go_to_the_first_and_missing_rows_get_an_answer():
    decision = Decision((Score("x", 1, ((1, A),)), Score("y", 1, ((1, B),)), Score("z", 2, ((3, C),))), {}, ATTRIBUTES)
    rows = encode(ATTRIBUTES, [{}, {"a": "yes", "b": "yes"}, {"b": "yes"}, {"b": "yes", "c": "yes"}, {"c": "other"}])
    assert decision.decide(rows).tolist() == ["x", "x", "y", "z", "x"]


def test_a_class_fires_where_it_reaches_its_need():
    decision = Decision((Score("x", 2, ((2, A), (2, B))), Score("y", 0), Score("z", 9, ((1, C),))), {}, ATTRIBUTES)
    assert decision.formula("x") == Formula(Or((A, B)), {}, ATTRIBUTES, "class = x")
    assert [str(decision.formula(k)) for k in "yz"] == ["class = y if always", "class = z if never"]


def test_a_formula_that_counts_is_a_score():
    formula = Formula(AtLeast(2, (A, A, B, C)), {}, ATTRIBUTES)
    assert Score.of_formula(formula, "ill") == Score("ill", 2, ((2, A), (1, B), (1, C)))
    assert Score.of_formula(Formula(Or((A, B)), {}, ATTRIBUTES)).need == 1
    assert Score.of_formula(Formula(A, {}, ATTRIBUTES)).parts == ((1, A),)


def test_a_class_is_a_score_card():
    decision = Decision((Score("x", 2, ((2, A), (1, Concept("c1")))), Score("y", 0)), {"c1": Or((B, C))}, ATTRIBUTES)
    card = ScoreCard.of(decision, "x")
    assert str(card) == "class = x from 2 points on\n    2 points if a = yes\n    1 point  if c1"
    rows = encode(ATTRIBUTES, [{"a": "yes", "c": "yes"}, {"b": "yes"}, {}])
    assert np.array_equal(card.scores(rows) - card.threshold, decision.margins(rows)[:, 0])


def test_mistakes_are_named():
    with pytest.raises(FormulaError, match="must all differ"):
        Decision((Score("x", 1), Score("x", 2)), {}, ())
    with pytest.raises(FormulaError, match="at least one class"):
        Decision((), {}, ())
    with pytest.raises(FormulaError, match="counts a part 0 times"):
        Decision((Score("x", 1, ((0, A),)),), {}, ATTRIBUTES)
    with pytest.raises(FormulaError, match="uses concept 'c9', which is not defined"):
        Decision((Score("x", 1, ((1, Concept("c9")),)),), {}, ATTRIBUTES)
    with pytest.raises(FormulaError, match="no class is called 'q'; the classes are"):
        Decision((Score("x", 1),), {}, ()).score("q")
    with pytest.raises(FormulaError, match="there are 1 labels, but a network with 2 outputs has 2"):
        decision_from_network(Network([[[1], [1]]], "or"), [A], ["x"])


def test_samples_keep_rows_of_rare_classes():
    from rulenet.search.folds import KEPT, sample_rows

    codes = np.array([0] * 9_000 + [1] * 990 + [2] * 8 + [3] * 2)
    for seed in range(20):
        chosen = sample_rows(np.arange(len(codes)), 100, seed, codes)
        counts = np.bincount(codes[chosen], minlength=4)
        assert len(set(chosen.tolist())) == 100
        assert (np.diff(chosen) > 0).all()
        assert counts[2] >= KEPT
        assert counts[3] == 2
