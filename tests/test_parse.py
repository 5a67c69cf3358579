"""Rules typed as text: what is printed is read back, and errors point at the place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formula_strategies import formulas
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas import FALSE, TRUE, And, AtLeast, Concept, Formula, Not, Or, equivalent
from rulenet.formulas.edit import add_rule, define, parse, substitute
from rulenet.formulas.export.text import to_text, words
from rulenet.formulas.parse_values import quoted, with_quotes
from rulenet.kinds import DAY
from test_formulas_export import ATTRIBUTES, HOSTILE_NAMES, HOSTILE_VALUES, random_condition, random_formula

SPACED = (
    Attribute("cap shape", ("bell", "dark red", "red", "red or blue", "", "a, b", "1", 1, "and", "x y <= z")),
    Attribute("cap", ("bell", "red")),
    Attribute("petal length (cm)", kind="numeric", cuts=(-1.5, 0, 2.45, 1e-9 + 5, 1e20)),
    Attribute("not", ("in", "is", "or")),
    Attribute("at least 2 of", kind="numeric", cuts=(1, 2)),
)


def same(formula, text, expression):
    """Whether the text says what the expression does."""
    again, found = parse(formula, text)
    assert again.attributes == formula.attributes
    meant = Formula(expression, formula.concepts, formula.attributes, formula.target)
    return equivalent(Formula(found, formula.concepts, formula.attributes, formula.target), meant)


@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda a: a.name)
def test_every_condition_is_read_as_it_is_printed(attribute):
    formula = Formula(FALSE, {}, ATTRIBUTES)
    rng = np.random.default_rng(0)
    simple = [attribute.is_missing, attribute.is_known, Condition(attribute, 0)]
    simple += [Condition(attribute, 1 << k) for k in range(attribute.n_cells + 1)]
    simple += [random_condition(attribute, rng) for _ in range(40)]
    for condition in simple:
        for text in (str(condition), words(with_quotes(condition))):
            _, found = parse(formula, text)
            assert found == condition or not condition.is_simple
            assert same(formula, text, condition)


@given(formulas(max_attributes=3))
@settings(max_examples=60)
def test_every_expression_is_read_as_it_is_printed(formula):
    names = list(formula.concepts)
    for k, (_, meaning) in enumerate(formula.definitions):
        known = Formula(FALSE, {n: formula.concepts[n] for n in names[:k]}, formula.attributes)
        assert same(known, words(meaning), meaning)
        assert same(known, words(with_quotes(meaning)), meaning)


@pytest.mark.parametrize("seed", range(6))
def test_names_and_values_with_spaces_are_known_or_quoted(seed):
    formula = random_formula(SPACED, seed)
    texts = [words(with_quotes(meaning)) for _, meaning in formula.definitions]
    for k, (text, (_, meaning)) in enumerate(zip(texts, formula.definitions, strict=True)):
        names = [*formula.concepts][:k]
        known = Formula(FALSE, {n: formula.concepts[n] for n in names}, formula.attributes)
        assert same(known, text, meaning)


@given(st.data())
@settings(max_examples=60)
def test_any_names_and_values_are_read_in_quotes(data):
    text = st.text(max_size=6) | st.sampled_from([*HOSTILE_NAMES, *HOSTILE_VALUES, "and", "a = b", '"', "\\"])
    name = data.draw(text)
    values = data.draw(st.lists(text, min_size=2, max_size=4, unique=True))
    attribute = Attribute(name, tuple(values))
    condition = Condition(attribute, data.draw(st.integers(1, 2 * attribute.missing - 1)))
    assert same(Formula(FALSE, {}, (attribute,)), words(with_quotes(condition)), condition)


def test_names_with_spaces_may_stand_as_they_are():
    formula = Formula(FALSE, {"old and tall": TRUE}, SPACED)
    shape, length = SPACED[0], SPACED[2]
    _, found = parse(formula, "cap shape = dark red and petal length (cm) <= 2.45 or old and tall")
    assert found == Or((And((shape.equal("dark red"), length.at_most(2.45))), Concept("old and tall")))
    assert parse(formula, "cap shape = red or blue")[1] == shape.equal("red or blue")
    assert parse(formula, "cap shape in {1, a, b, red}")[1] == shape.one_of([1, "a, b", "red"])
    assert parse(formula, 'cap shape = "1"')[1] == shape.equal("1")
    assert parse(formula, "not = in AND NOT (not != is)")[1] == And(
        (SPACED[3].equal("in"), Not(~SPACED[3].equal("is")))
    )


def test_counts_are_read():
    a, b, c = (Attribute(n, ("no", "yes")) for n in "abc")
    formula = Formula(FALSE, {}, (a, b, c))
    one, two, three = (x.equal("yes") for x in (a, b, c))
    for text, wanted in (
        ("at least 2 of (a = yes, b = yes, c = yes)", AtLeast(2, (one, two, three))),
        ("at least 2 points of (2 x a = yes, b = yes)", AtLeast(2, (one, one, two))),
        ("all but at most 1 of (a = yes, b = yes, c = yes)", AtLeast(2, (one, two, three))),
        ("any of (a = yes, b = yes) and c = yes", And((Or((one, two)), three))),
        ("all of (a = yes, b = yes or c = yes)", And((one, Or((two, three))))),
    ):
        assert parse(formula, text)[1] == wanted


def test_cuts_that_are_missing_are_added():
    age = Attribute("age", kind="numeric", cuts=(20,))
    visits = Attribute("visits", kind="numeric", cuts=(3,), whole=True)
    signed = Attribute("signed", kind="date", cuts=(0,), whole=True)
    formula = Formula(age.above(20), {"c": visits.above(3)}, (age, visits, signed))
    new = add_rule(formula, "10 <= age < 12.5", "visits = 7", "signed >= 2024-03-01", Concept("c"), visits.above(3))
    assert new.attributes[0].cuts == (np.nextafter(10, 0), np.nextafter(12.5, 0), 20)
    assert new.attributes[1].cuts == (3, 6, 7)
    assert new.attributes[2].cuts == (0, (19783 - 1) * DAY)
    assert "visits = 7" in str(new)
    assert str(define(formula, "d", "age <= 65.5").concepts["d"]) == "age <= 65.5"
    assert str(substitute(formula, "age > 20", "age > 30 and visits <= 2.5").attributes[1].cuts) == "(2, 3)"


WRONG = [
    ("agee <= 30", 0, "did you mean 'age'"),
    ("age <= 30 and", 13, "the text ends"),
    ("age <= thirty", 7, "expected a number"),
    ("age <= 30 sex = f", 10, "expected 'and', 'or' or the end"),
    ("(age <= 30", 10, r"expected '\)'"),
    ("sex = g", 6, "did you mean|its values are 'f', 'm'"),
    ("sex in {f, g}", 11, "no value 'g'"),
    ("sex in {f", 9, "expected '}'"),
    ("sex <= f", 7, "no order"),
    ("age = 30.5", 6, "holds 30.5 alone"),
    ("seen <= yesterday", 8, "expected a date"),
    ("seen <= 2024-02-30", 8, "expected a date"),
    ("at least 5 of (sex = f, age <= 3)", 0, "needs 5 of 2"),
    ('"sex" is here', 5, "expected a sign"),
    ("", 0, "the text ends"),
    ("20 < agee <= 30", 0, "no column"),
    ("20 < age", 8, "expected '<'"),
    ("red < age <= 30", 0, "expected a number"),
    ("age <= 30)", 9, "expected 'and'"),
]


@pytest.mark.parametrize(("text", "place", "message"), WRONG)
def test_errors_point_at_the_place(text, place, message):
    attributes = (
        Attribute("age", kind="numeric", cuts=(20,)),
        Attribute("sex", ("f", "m")),
        Attribute("seen", kind="date", cuts=(0,), whole=True),
    )
    with pytest.raises(FormulaError, match=message) as error:
        parse(Formula(FALSE, {}, attributes), text)
    shown, caret = str(error.value).splitlines()[-2:]
    assert shown == f"    {text}"
    assert caret == " " * (place + 4) + "^"


@given(st.text(alphabet='ages <=>!{}(),"and or not in is 0123456789x', max_size=30))
@settings(max_examples=200)
def test_any_text_is_read_or_refused(text):
    formula = Formula(FALSE, {}, (Attribute("age", kind="numeric", cuts=(20,)), Attribute("sex", ("f", "m"))))
    try:
        new, found = parse(formula, text)
    except FormulaError:
        return
    assert to_text(add_rule(new, found))


def test_quotes_are_quoted():
    assert quoted('a"b\\') == '"a\\"b\\\\"'
