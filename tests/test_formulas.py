"""Formulas say exactly what networks do."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formula_strategies import formulas, networks_with_literals
from rulenet.exceptions import FormulaError
from rulenet.formulas import (
    And,
    Concept,
    Formula,
    Not,
    Or,
    difference,
    equivalence,
    equivalent,
    factor,
    from_network,
    measure,
    minimise,
    simplify,
    to_dnf,
    to_network,
)
from rulenet.formulas.cubes import absorb
from rulenet.formulas.expressions import walk
from rulenet.formulas.truth import Codes, all_rows, holds, holds_in
from rulenet.literals import Attribute, Literal, literals_of
from rulenet.network import Network


def fires(network, literals, rows):
    """The network's output on coded rows, found from the definition of literals."""
    inputs = np.array([rows.truth(x).true for x in literals]).T
    return network.predict(inputs)


def same(first, second, **options):
    return difference(first, second, **options) is None


def equation_1():
    names = {n: Attribute(n, (False, True)) for n in "bcdfhij"}
    rules = "b ~d i, b h i, b d f h, ~b c i, ~b i j, c h, c ~d, ~d j, h j"
    parts = [And(tuple(Literal(names[x[-1]], x[0] != "~") for x in rule.split())) for rule in rules.split(",")]
    return Formula(Or(tuple(parts)), {}, tuple(names.values()))


def parity(n):
    attributes = tuple(Attribute(f"x{i}", (False, True)) for i in range(1, n + 1))
    odd = [v for v in product((False, True), repeat=n) if sum(v) % 2 == 1]
    rules = [And(tuple(Literal(a, x) for a, x in zip(attributes, v, strict=True))) for v in odd]
    return Formula(Or(tuple(rules)), {}, attributes)


@given(networks_with_literals())
def test_a_formula_holds_exactly_where_its_network_fires(drawn):
    network, literals = drawn
    formula = from_network(network, literals)
    rows = all_rows(formula.attributes)
    assert np.array_equal(holds(formula, rows), fires(network, literals, rows))


@given(networks_with_literals(), st.sampled_from(("auto", "and", "or")))
def test_a_formula_goes_back_to_a_network_that_fires_alike(drawn, first_gate):
    network, literals = drawn
    formula = from_network(network, literals)
    rows = all_rows(formula.attributes)
    back = to_network(formula, literals, first_gate=first_gate)
    assert np.array_equal(fires(back, literals, rows), fires(network, literals, rows))
    assert first_gate in ("auto", back.first_gate)


@given(networks_with_literals(), st.randoms())
def test_the_order_of_units_does_not_change_the_formula(drawn, random):
    network, literals = drawn
    orders = [list(range(len(w))) for w in network.weights]
    for order in orders[:-1]:
        random.shuffle(order)
    weights = [w[order] for w, order in zip(network.weights, orders, strict=True)]
    weights[1:] = [w[:, order] for w, order in zip(weights[1:], orders, strict=False)]
    assert from_network(Network(weights, network.first_gate), literals) == from_network(network, literals)


@given(networks_with_literals())
def test_a_formula_has_no_dead_or_single_parts_and_names_only_what_is_shared(drawn):
    formula = from_network(*drawn)
    nodes = [x for _, e in formula.definitions for x in walk(e)]
    assert all(len(x.parts) > 1 for x in nodes if isinstance(x, And | Or))
    assert all(nodes.count(Concept(name)) > 1 for name in formula.concepts)


@given(formulas())
def test_simplifying_preserves_truth(formula):
    assert same(simplify(formula), formula)


@given(formulas())
def test_multiplying_out_preserves_truth(formula):
    assert same(to_dnf(formula).formula(), formula)


@given(formulas(), st.sampled_from(("exact", "espresso")), st.booleans(), st.booleans())
def test_minimising_preserves_truth(formula, method, complete, not_equal):
    smallest = minimise(formula, method=method, assume_complete=complete, not_equal=not_equal)
    assert same(smallest.formula(), formula, assume_complete=complete)
    if not not_equal:
        assert all(x.operator == "==" for rule in smallest.rules for x in rule)


@given(formulas(), st.booleans())
def test_the_heuristic_never_beats_the_exact_minimum(formula, complete):
    exact, heuristic = (minimise(formula, method=m, assume_complete=complete) for m in ("exact", "espresso"))
    assert len(exact.rules) <= len(heuristic.rules)
    assert len(exact.rules) <= len(to_dnf(formula, assume_complete=complete).rules)


@given(formulas(max_attributes=3), st.sampled_from(("exact", "espresso")), st.randoms(use_true_random=False))
def test_minimising_on_seen_rows_agrees_on_these(formula, method, random):
    rows = all_rows(formula.attributes)
    seen = Codes(rows.attributes, rows.codes[sorted(random.sample(range(len(rows)), len(rows) // 2))])
    smallest = minimise(formula, rows=seen, method=method)
    assert np.array_equal(holds(smallest.formula(), seen), holds(formula, seen))
    assert len(smallest.rules) <= len(minimise(formula, method=method).rules) or method == "espresso"


@given(formulas(max_attributes=3, negation=False))
def test_no_smaller_rule_set_exists_than_the_exact_one(formula):
    """Tried by hand: all sets with one rule fewer, over all conjunctions that imply the formula."""
    exact = len(minimise(formula).rules)
    if not 1 < exact <= 3:
        return
    rows = all_rows(formula.attributes)
    target = holds(formula, rows)
    options = [[(), *(tuple(s) for s in _literal_sets(a))] for a in formula.attributes]
    inside = []
    for rule in product(*options):
        held = np.all([rows.truth(x).true for part in rule for x in part] or [np.ones(len(rows), bool)], axis=0)
        if held.any() and not (held & ~target).any():
            inside.append(held)
    inside = list({h.tobytes(): h for h in inside}.values())
    smaller = [(h,) for h in inside] if exact == 2 else product(inside, repeat=2)
    assert not any(np.array_equal(np.any(pair, axis=0), target) for pair in smaller)


def _literal_sets(attribute):
    yield from ([Literal(attribute, v)] for v in attribute.values)
    yield from ([Literal(attribute, v, "!=")] for v in attribute.values if len(attribute.values) > 2)


@given(formulas(), st.booleans())
def test_factoring_preserves_truth_and_never_adds_aggregations(formula, negation):
    flat = minimise(formula)
    deep = factor(flat, negation=negation)
    assert same(deep, formula)
    assert measure(deep).aggregations <= measure(flat.formula()).aggregations
    assert negation or not any(isinstance(x, Not) for _, e in deep.definitions for x in walk(e))


@settings(max_examples=30)
@given(formulas(), formulas())
def test_the_sat_solver_agrees_with_trying_all_rows(first, second):
    pytest.importorskip("pysat")
    second = (
        Formula(first.output, first.concepts, first.attributes) if second.attributes != first.attributes else second
    )
    for other in (simplify(first), second, Formula(Not(first.output), first.concepts, first.attributes)):
        if other.attributes == first.attributes:
            tried = equivalence._by_trying(first, other, first.attributes, False)
            solved = equivalence._by_sat(first, other, first.attributes, False)
            assert (tried is None) == (solved is None)
            assert solved is None or holds_in(first, solved) != holds_in(other, solved)


def test_large_networks_are_compared_by_sat():
    pytest.importorskip("pysat")
    rng = np.random.default_rng(0)
    attributes = [Attribute(f"a{i}", (0, 1, 2)) for i in range(20)]
    literals = literals_of(attributes)
    network = Network([rng.random((30, 60)) < 0.05, rng.random((10, 30)) < 0.2, rng.random((5, 10)) < 0.3, [[1] * 5]])
    formula = from_network(network, literals)
    assert equivalent(formula, from_network(to_network(formula, literals), literals))
    flat = to_dnf(formula)
    fewer = type(flat)(flat.space, flat.cubes[:-1], flat.attributes)
    row = difference(fewer.formula(), formula)
    assert holds_in(formula, row)
    assert not holds_in(fewer.formula(), row)


def test_equation_1_of_the_paper_needs_nine_aggregations_where_the_paper_needs_eleven():
    flat = equation_1()
    assert (measure(flat).aggregations, measure(flat).edges, measure(flat).rules) == (23, 33, 9)
    deep = factor(minimise(flat))
    assert equivalent(deep, flat)
    assert measure(deep).aggregations == 9


def test_equation_2_of_the_paper_is_measured_as_printed():
    names = {n: Attribute(n, (False, True)) for n in "bcdfhij"}
    on, off = ({n: Literal(a, v) for n, a in names.items()} for v in (True, False))
    left = Or((And((on["b"], on["i"])), on["c"], on["j"]))
    right = Or((And((off["b"], on["i"])), off["d"], on["h"]))
    deep = Formula(Or((And((left, right)), And(tuple(on[x] for x in "bdfh")))), {}, tuple(names.values()))
    assert measure(deep).aggregations == 11
    assert equivalent(deep, equation_1())


def test_the_sixteen_rules_of_parity_become_eight():
    flat = parity(5)
    assert measure(flat).rules == 16
    deep = factor(minimise(flat))
    assert equivalent(deep, flat)
    assert measure(deep).rules == 8
    assert measure(factor(minimise(flat), negation=False)).rules == 14


def test_complementary_rules_merge_only_if_nothing_is_missing():
    a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    both = Formula(Or(tuple(And((Literal(a, v), Literal(b, 1))) for v in (0, 1))), {}, (a, b))
    assert len(minimise(both).rules) == 2
    assert minimise(both, assume_complete=True).rules == ((Literal(b, 1),),)


def test_not_equal_replaces_many_rules():
    a = Attribute("a", tuple("uvwxyz"))
    formula = Formula(Or(tuple(Literal(a, v) for v in "uvwxy")), {}, (a,))
    assert minimise(formula).rules == ((Literal(a, "z", "!="),),)
    assert len(minimise(formula, not_equal=False).rules) == 5


def test_large_formulas_are_minimised_by_the_heuristic():
    rng = np.random.default_rng(1)
    attributes = tuple(Attribute(f"a{i}", (0, 1, 2, 3)) for i in range(14))
    rules = [rng.choice(14, 4, replace=False) for _ in range(40)]
    parts = [And(tuple(Literal(attributes[i], int(rng.integers(4)), "!=") for i in rule)) for rule in rules]
    formula = Formula(Or(tuple(parts)), {}, attributes)
    with pytest.raises(FormulaError, match="too large to prove"):
        minimise(formula, method="exact")
    found = minimise(formula)
    assert len(found.rules) <= 40
    assert equivalent(found.formula(), formula)


def test_a_formula_with_too_many_flat_rules_is_refused():
    attributes = tuple(Attribute(f"a{i}", (0, 1)) for i in range(40))
    pairs = [Or((Literal(a, 1), Literal(b, 1))) for a, b in zip(attributes[::2], attributes[1::2], strict=True)]
    with pytest.raises(FormulaError, match="more than 1000 flat rules"):
        to_dnf(Formula(And(tuple(pairs)), {}, attributes), max_rules=1000)


@given(st.lists(st.integers(0, 2**70), min_size=100, max_size=200, unique=True))
def test_many_cubes_are_absorbed_as_few_are(cubes):
    small = [c & 0xFF00000000000000F for c in cubes] + cubes
    wanted = {c for c in small if not any(c | k == k and c != k for k in small)}
    assert set(absorb(small)) == wanted


def test_renaming_keeps_the_meaning():
    a, b = (Literal(Attribute(n, (0, 1)), 1) for n in "ab")
    formula = Formula(Or((a, Not(Concept("c1")))), {"c1": And((a, b))}, (a.attribute, b.attribute))
    renamed = formula.rename({"c1": "both", "positive": "accepted"})
    assert renamed.target == "accepted"
    assert list(renamed.concepts) == ["both"]
    assert equivalent(formula, renamed)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"c9": "x"}, "no concept is called 'c9'"),
        ({"c1": "c2"}, "two concepts one name"),
        ({"c1": "positive"}, "both the target and a concept"),
        ({"c1": " "}, "at least one visible character"),
    ],
)
def test_bad_names_are_refused_with_the_reason(names, message):
    a, b = (Literal(Attribute(n, (0, 1)), 1) for n in "ab")
    concepts = {"c1": And((a, b)), "c2": Or((a, b))}
    formula = Formula(Or((Concept("c1"), Concept("c2"))), concepts, (a.attribute, b.attribute))
    with pytest.raises(FormulaError, match=message):
        formula.rename(names)


def test_concept_names_stay_clear_of_attribute_names():
    a, c1 = Attribute("a", (0, 1, 2)), Attribute("c1", (0, 1))
    literals = literals_of([a, c1])
    shared = [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0]]
    network = Network([shared, [[1, 1]]], "or")
    deep = Network([shared, [[1, 1], [1, 0]], [[1, 1]]], "or")
    assert from_network(network, literals).concepts == {}
    assert "c1" not in from_network(deep, literals).concepts


def test_espresso_reduces_to_escape_a_poor_cover():
    space_rows = all_rows((Attribute("x", (0, 1)), Attribute("y", (0, 1)), Attribute("z", (0, 1))), missing=False)
    cyclic = [(0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 1, 0), (1, 0, 0), (1, 0, 1)]
    rules = [And(tuple(Literal(a, v) for a, v in zip(space_rows.attributes, p, strict=True))) for p in cyclic]
    formula = Formula(Or(tuple(rules)), {}, space_rows.attributes)
    found = minimise(formula, assume_complete=True, method="espresso")
    assert len(found.rules) <= 4
    assert len(minimise(formula, assume_complete=True, method="exact").rules) == 3
