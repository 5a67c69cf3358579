"""Formulas say exactly what networks do."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formula_strategies import (
    COUNTS,
    attribute_lists,
    conditions_of,
    formulas,
    networks_with_conditions,
)
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas import (
    FALSE,
    TRUE,
    And,
    AtLeast,
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
from rulenet.formulas.cells import pieces
from rulenet.formulas.cubes import absorb
from rulenet.formulas.expressions import walk
from rulenet.formulas.from_network import needs_of
from rulenet.formulas.score_card import ScoreCard
from rulenet.formulas.truth import Codes, all_rows, holds, holds_in, n_possible, truths
from rulenet.network import Network


def fires(network, conditions, rows):
    """The network's output on coded rows, found from the definition of conditions."""
    inputs = np.array([rows.truth(x).true for x in conditions]).T
    return network.predict(inputs)


def same(first, second, *, assume_complete=False):
    """Whether two formulas hold in the same rows: tried on all of them."""
    rows = all_rows(first.attributes, missing=not assume_complete)
    return np.array_equal(holds(first, rows), holds(second, rows))


def equation_1():
    names = {n: Attribute(n, (False, True)) for n in "bcdfhij"}
    rules = "b ~d i, b h i, b d f h, ~b c i, ~b i j, c h, c ~d, ~d j, h j"
    parts = [And(tuple(names[x[-1]].equal(x[0] != "~") for x in rule.split())) for rule in rules.split(",")]
    return Formula(Or(tuple(parts)), {}, tuple(names.values()))


def parity(n):
    attributes = tuple(Attribute(f"x{i}", (False, True)) for i in range(1, n + 1))
    odd = [v for v in product((False, True), repeat=n) if sum(v) % 2 == 1]
    rules = [And(tuple(a.equal(x) for a, x in zip(attributes, v, strict=True))) for v in odd]
    return Formula(Or(tuple(rules)), {}, attributes)


@given(networks_with_conditions())
def test_a_formula_holds_exactly_where_its_network_fires(drawn):
    network, conditions = drawn
    formula = from_network(network, conditions)
    rows = all_rows(formula.attributes)
    assert np.array_equal(holds(formula, rows), fires(network, conditions, rows))


@given(networks_with_conditions(), st.sampled_from(("auto", "and", "or")))
def test_a_formula_goes_back_to_a_network_that_fires_alike(drawn, first_gate):
    network, conditions = drawn
    formula = from_network(network, conditions)
    rows = all_rows(formula.attributes)
    back = to_network(formula, conditions, first_gate=first_gate)
    assert np.array_equal(fires(back, conditions, rows), fires(network, conditions, rows))
    assert first_gate in ("auto", back.first_gate)


@given(networks_with_conditions(), st.randoms())
def test_the_order_of_units_does_not_change_the_formula(drawn, random):
    network, conditions = drawn
    orders = [list(range(len(w))) for w in network.weights]
    for order in orders[:-1]:
        random.shuffle(order)
    weights = [w[order] for w, order in zip(network.weights, orders, strict=True)]
    weights[1:] = [w[:, order] for w, order in zip(weights[1:], orders, strict=False)]
    needs = [np.array(n)[order] for n, order in zip(needs_of(network), orders, strict=True)]
    shuffled = Network(weights, network.first_gate, *([needs] if COUNTS else []))
    assert from_network(shuffled, conditions) == from_network(network, conditions)


@given(networks_with_conditions())
def test_a_formula_has_no_dead_or_single_parts_and_names_only_what_is_shared(drawn):
    formula = from_network(*drawn)
    nodes = [x for _, e in formula.definitions for x in walk(e)]
    assert all(len(x.parts) > 1 for x in nodes if isinstance(x, And | Or | AtLeast))
    assert all(len(pieces(x)) == 1 for x in formula.conditions)
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
        assert all(pieces(x, not_equal=False) == (x,) for rule in smallest.rules for x in rule)


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


@given(formulas(max_attributes=2))
def test_no_smaller_rule_set_exists_than_the_exact_one(formula):
    """Tried by hand: all sets with one rule fewer, over all conjunctions that imply the formula."""
    exact = len(minimise(formula).rules)
    if not 1 < exact <= 3:
        return
    rows = all_rows(formula.attributes)
    target = holds(formula, rows)
    sets = [[Condition(a, cells) for cells in range(1, 2 * a.missing)] for a in formula.attributes]
    options = [[(), *((x,) for x in every if len(pieces(x)) == 1)] for every in sets]
    inside = []
    for rule in product(*options):
        held = np.all([rows.truth(x).true for part in rule for x in part] or [np.ones(len(rows), bool)], axis=0)
        if held.any() and not (held & ~target).any():
            inside.append(held)
    inside = list({h.tobytes(): h for h in inside}.values())
    smaller = [(h,) for h in inside] if exact == 2 else product(inside, repeat=2)
    assert not any(np.array_equal(np.any(pair, axis=0), target) for pair in smaller)


@given(formulas(), st.booleans())
def test_factoring_preserves_truth_and_never_adds_aggregations(formula, negation):
    flat = minimise(formula)
    deep = factor(flat, negation=negation)
    assert same(deep, formula)
    assert measure(deep).aggregations <= measure(flat.formula()).aggregations
    assert negation or not any(isinstance(x, Not) for _, e in deep.definitions for x in walk(e))


@settings(max_examples=30)
@given(attribute_lists(), st.data())
def test_the_sat_solver_agrees_with_trying_all_rows(attributes, data):
    pytest.importorskip("pysat")
    first, second = data.draw(formulas(attributes=attributes)), data.draw(formulas(attributes=attributes))
    for other in (simplify(first), second, Formula(Not(first.output), first.concepts, first.attributes)):
        if other.attributes == first.attributes:
            blocks = equivalence._blocks(first, other, False)
            tried = equivalence._by_trying(first, other, blocks)
            solved = equivalence._by_sat(first, other, blocks)
            assert (tried is None) == (solved is None) == same(first, other)
            assert solved is None or holds_in(first, solved) != holds_in(other, solved)
            assert tried is None or holds_in(first, tried) != holds_in(other, tried)


def test_large_networks_are_compared_by_sat():
    pytest.importorskip("pysat")
    rng = np.random.default_rng(0)
    attributes = [Attribute(f"a{i}", (0, 1, 2)) for i in range(20)]
    conditions = conditions_of(attributes)
    network = Network([rng.random((30, 60)) < 0.05, rng.random((10, 30)) < 0.2, rng.random((5, 10)) < 0.3, [[1] * 5]])
    formula = from_network(network, conditions)
    assert equivalent(formula, from_network(to_network(formula, conditions), conditions))
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
    on, off = ({n: a.equal(v) for n, a in names.items()} for v in (True, False))
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
    both = Formula(Or(tuple(And((a.equal(v), b.equal(1))) for v in (0, 1))), {}, (a, b))
    assert minimise(both).rules == ((a.is_known, b.equal(1)),)
    assert minimise(both, assume_complete=True).rules == ((b.equal(1),),)


def test_not_equal_replaces_many_rules():
    a = Attribute("a", tuple("uvwxyz"))
    formula = Formula(Or(tuple(a.equal(v) for v in "uvwxy")), {}, (a,))
    assert minimise(formula).rules == ((~a.equal("z"),),)
    assert len(minimise(formula, not_equal=False).rules) == 5


def test_large_formulas_are_minimised_by_the_heuristic():
    rng = np.random.default_rng(1)
    attributes = tuple(Attribute(f"a{i}", (0, 1, 2, 3)) for i in range(14))
    rules = [rng.choice(14, 4, replace=False) for _ in range(40)]
    parts = [And(tuple(~attributes[i].equal(int(rng.integers(4))) for i in rule)) for rule in rules]
    formula = Formula(Or(tuple(parts)), {}, attributes)
    with pytest.raises(FormulaError, match="too large to prove"):
        minimise(formula, method="exact")
    found = minimise(formula)
    assert len(found.rules) <= 40
    assert equivalent(found.formula(), formula)


def test_a_formula_with_too_many_flat_rules_is_refused():
    attributes = tuple(Attribute(f"a{i}", (0, 1)) for i in range(40))
    pairs = [Or((a.equal(1), b.equal(1))) for a, b in zip(attributes[::2], attributes[1::2], strict=True)]
    with pytest.raises(FormulaError, match="more than 1000 flat rules"):
        to_dnf(Formula(And(tuple(pairs)), {}, attributes), max_rules=1000)


@given(st.lists(st.integers(0, 2**70), min_size=100, max_size=200, unique=True))
def test_many_cubes_are_absorbed_as_few_are(cubes):
    small = [c & 0xFF00000000000000F for c in cubes] + cubes
    wanted = {c for c in small if not any(c | k == k and c != k for k in small)}
    assert set(absorb(small)) == wanted


def test_renaming_keeps_the_meaning():
    a, b = (Attribute(n, (0, 1)).equal(1) for n in "ab")
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
    a, b = (Attribute(n, (0, 1)).equal(1) for n in "ab")
    concepts = {"c1": And((a, b)), "c2": Or((a, b))}
    formula = Formula(Or((Concept("c1"), Concept("c2"))), concepts, (a.attribute, b.attribute))
    with pytest.raises(FormulaError, match=message):
        formula.rename(names)


def test_concept_names_stay_clear_of_attribute_names():
    a, c1 = Attribute("a", (0, 1, 2)), Attribute("c1", (0, 1))
    conditions = conditions_of([a, c1])
    shared = [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0]]
    network = Network([shared, [[1, 1]]], "or")
    deep = Network([shared, [[1, 1], [1, 0]], [[1, 1]]], "or")
    assert from_network(network, conditions).concepts == {}
    assert "c1" not in from_network(deep, conditions).concepts


def test_espresso_reduces_to_escape_a_poor_cover():
    space_rows = all_rows((Attribute("x", (0, 1)), Attribute("y", (0, 1)), Attribute("z", (0, 1))), missing=False)
    cyclic = [(0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 1, 0), (1, 0, 0), (1, 0, 1)]
    rules = [And(tuple(a.equal(v) for a, v in zip(space_rows.attributes, p, strict=True))) for p in cyclic]
    formula = Formula(Or(tuple(rules)), {}, space_rows.attributes)
    found = minimise(formula, assume_complete=True, method="espresso")
    assert len(found.rules) <= 4
    assert len(minimise(formula, assume_complete=True, method="exact").rules) == 3


AGE = Attribute("age", kind="numeric", cuts=tuple(range(10, 80, 5)))
COLOUR = Attribute("colour", ("blue", "green", "red", "white"))
YES = tuple(Attribute(n, ("no", "yes")).equal("yes") for n in "abcde")
NAMES = tuple(x.attribute for x in YES)


def text_of(expression, *attributes):
    return str(simplify(Formula(expression, {}, attributes))).removeprefix("positive if ")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (And((AGE.above(20), AGE.at_most(40))), "20 < age <= 40"),
        (And((AGE.above(40), AGE.at_most(20))), "never"),
        (Or((AGE.at_most(20), AGE.between(20, 40))), "age <= 40"),
        (Or((AGE.at_most(20), AGE.above(40))), "any of\n    age <= 20\n    age > 40"),
        (Or((AGE.at_most(20), AGE.above(20))), "age is known"),
        (Or((AGE.at_most(20), AGE.above(20), AGE.is_missing)), "always"),
        (Or((COLOUR.equal("red"), COLOUR.equal("blue"))), "colour in {blue, red}"),
        (And((~COLOUR.equal("red"), ~COLOUR.equal("blue"))), "colour in {green, white}"),
        (And((AGE.above(20), Or((AGE.at_most(10), COLOUR.equal("red"))))), "age > 20 and colour = red"),
    ],
)
def test_conditions_on_one_attribute_become_one(expression, text):
    assert text_of(expression, AGE, COLOUR) == text


def test_what_is_not_one_of_known_values_is_not_everything():
    everything = Or((COLOUR.is_known, COLOUR.is_missing))
    assert simplify(Formula(everything, {}, (COLOUR,))).output == everything


@pytest.mark.parametrize(
    ("need", "parts", "simple"),
    [
        (1, YES[:3], Or(YES[:3])),
        (3, YES[:3], And(YES[:3])),
        (2, (TRUE, *YES[:3]), Or(YES[:3])),
        (2, (FALSE, *YES[:2]), And(YES[:2])),
        (4, (*YES[:3], *YES[:3]), AtLeast(2, YES[:3])),
        (3, (YES[0], YES[0], YES[1]), And(YES[:2])),
        (2, (YES[0], YES[0], YES[1], YES[1], YES[2]), AtLeast(2, (YES[0], YES[0], YES[1], YES[1], YES[2]))),
    ],
)
def test_counts_are_simplified(need, parts, simple):
    assert simplify(Formula(AtLeast(need, parts), {}, NAMES)).output == simple


def test_exclusive_conditions_still_count():
    formula = Formula(AtLeast(2, (AGE.at_most(20), AGE.at_most(40), YES[0])), {}, (AGE, *NAMES))
    assert simplify(formula) == formula
    assert to_dnf(formula).rules == ((AGE.at_most(20),), (AGE.at_most(40), YES[0]))


def test_what_counts_is_multiplied_out_where_that_is_small():
    assert len(to_dnf(Formula(AtLeast(3, YES), {}, NAMES)).rules) == 10
    many = tuple(Attribute(f"x{i}", ("no", "yes")).equal("yes") for i in range(40))
    with pytest.raises(FormulaError, match="more than 5000 flat rules; keep it deep"):
        to_dnf(Formula(AtLeast(20, many), {}, tuple(x.attribute for x in many)))


def test_large_counts_are_compared_by_sat():
    pytest.importorskip("pysat")
    many = tuple(Attribute(f"x{i}", ("no", "yes")).equal("yes") for i in range(30))
    attributes = tuple(x.attribute for x in many)
    most, few = (Formula(AtLeast(n, many), {}, attributes) for n in (15, 16))
    turned = Formula(Not(AtLeast(16, tuple(Not(x) for x in many))), {}, attributes)
    assert equivalent(most, Formula(AtLeast(30, (*many, *many)), {}, attributes))
    assert sum(v == "yes" for v in difference(most, few).values()) == 15
    assert equivalent(most, turned)


def test_minimising_uses_the_order_of_cells():
    parts = [And((AGE.between(low, low + 5), YES[0])) for low in range(20, 50, 5)]
    found = minimise(Formula(Or(tuple(parts)), {}, (AGE, *NAMES)))
    assert found.rules == ((AGE.between(20, 50), YES[0]),)


def test_only_cuts_that_are_used_are_tried():
    attributes = tuple(Attribute(f"x{i}", kind="numeric", cuts=tuple(range(100))) for i in range(8))
    formula = Formula(Or(tuple(And((a.above(20), b.at_most(70))) for a, b in pairwise(attributes))), {}, attributes)
    assert n_possible(attributes, conditions=formula.conditions) == 3 * 4**6 * 3
    assert len(minimise(formula, method="exact").rules) == 7


@pytest.mark.parametrize("need", [1, 2, 3, 4])
def test_a_count_is_true_false_or_unknown_as_its_parts_allow(need):
    formula = Formula(AtLeast(need, YES[:4]), {}, NAMES[:4])
    rows = all_rows(formula.attributes)
    found = truths(formula, rows)["positive"]
    for codes, true, false in zip(rows.codes.tolist(), *found, strict=True):
        ways = product(*([code] if code >= 0 else [0, 1] for code in codes))
        totals = {sum(way) for way in ways}
        assert true == all(t >= need for t in totals)
        assert false == all(t < need for t in totals)


@pytest.mark.skipif(not COUNTS, reason="networks do not count yet")
def test_points_survive_the_way_through_a_network():
    formula = Formula(AtLeast(3, (YES[0], YES[0], YES[1], YES[2], And(YES[3:]))), {}, NAMES)
    for gate in ("and", "or"):
        network = to_network(formula, YES, first_gate=gate)
        assert from_network(network, YES) == formula


def test_a_score_card_gives_the_points_of_every_row():
    formula = Formula(AtLeast(3, (YES[0], YES[0], YES[1], Concept("both"))), {"both": And(YES[2:4])}, NAMES)
    card, rows = ScoreCard.of(formula), all_rows(NAMES)
    assert list(card.points.values()) == [2, 1, 1]
    assert np.array_equal(card.scores(rows) >= card.threshold, holds(formula, rows))
    table = card.table(rows, holds(formula, rows))
    assert table["rows"].sum() == len(rows)
    assert table["share"].dropna().tolist() == [0, 0, 0, 1, 1]
    with pytest.raises(FormulaError, match="no parts to count"):
        ScoreCard.of(Formula(YES[0], {}, NAMES))


def test_columns_with_a_thousand_values_are_no_burden():
    place = Attribute("place", tuple(f"p{i}" for i in range(1000)))
    equal = tuple(place.equal(v) for v in place.values)
    formula = Formula(And((Or(equal[:500]), YES[0])), {}, (place, *NAMES))
    assert len(minimise(formula).rules) == 1
    assert to_network(formula, (*equal, *YES)).n_edges == 503
    assert equivalent(formula, Formula(And((Not(Or(equal[500:])), YES[0])), {}, (place, *NAMES)))
