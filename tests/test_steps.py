"""Points of one column read as steps, of which the first that holds counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulenet.conditions import Attribute, Condition
from rulenet.formulas import And, AtLeast, Concept, Formula, Score
from rulenet.formulas.export import export
from rulenet.formulas.export.reading import score_words
from rulenet.formulas.export.steps import highest, in_points, steps_of
from rulenet.formulas.score_card import ScoreCard

AGE = Attribute("age", kind="numeric", cuts=(20, 40, 60, 80))
SIZE = Attribute("size", ("S", "M", "L"), kind="ordinal")
COLOUR = Attribute("colour", ("blue", "red", "green"))
ATTRIBUTES = (AGE, SIZE, COLOUR)


@st.composite
def counted(draw):
    attribute = draw(st.sampled_from(ATTRIBUTES))
    return draw(st.integers(1, 5)), Condition(attribute, draw(st.integers(1, 2 * attribute.missing - 1)))


def points_of(steps, row):
    """The points of the first step that holds."""
    return next((n for n, part in steps if part.holds_in(row[part.attribute])), 0)


@given(st.lists(counted(), min_size=1, max_size=8), st.data())
def test_steps_give_every_row_the_points_of_its_parts(parts, data):
    row = {a: data.draw(st.integers(-2, a.n_cells - 1)) for a in ATTRIBUTES}
    total = sum(n for n, part in parts if part.holds_in(row[part.attribute]))
    lines = steps_of(parts)
    assert sum(points_of(steps, row) for steps in lines) == total <= highest(parts)
    assert len(lines) == len({part.attribute for _, part in parts})


@given(st.lists(counted(), min_size=1, max_size=8))
def test_steps_fall_and_lines_are_sorted(parts):
    lines = [[n for n, _ in steps] for steps in steps_of(parts)]
    assert all(line == sorted(set(line), reverse=True) for line in lines)
    assert [line[0] for line in lines] == sorted((line[0] for line in lines), reverse=True)


def test_a_count_reads_a_line_a_column():
    parts = (AGE.above(20), AGE.above(60), AGE.above(60), COLOUR.equal("red"), And((SIZE.above("S"), AGE.above(40))))
    formula = Formula(AtLeast(3, parts), {}, ATTRIBUTES, "ill")
    assert export(formula, "text").splitlines() == [
        "ill if at least 3 points of",
        "    3 if age > 60, else 1 if > 20",
        "    1 if colour = red",
        "    1 if size > S and age > 40",
    ]
    assert export(formula, "tree").splitlines()[1:5] == [
        "└─ at least 3 points of",
        "   ├─ 3 if age > 60, else 1 if > 20",
        "   ├─ 1 if colour = red",
        "   └─ 1 if all of",
    ]
    assert str(ScoreCard.of(formula)).splitlines()[1] == "    3 points if age > 60, else 1 if > 20"


def test_points_that_do_not_differ_are_not_said():
    parts = (AGE.at_most(20), AGE.above(60), COLOUR.equal("red"))
    text = export(Formula(AtLeast(2, parts), {}, ATTRIBUTES, "ill"), "text")
    assert text.splitlines() == ["ill if at least 2 of", "    age <= 20 or age > 60", "    colour = red"]
    assert not in_points([(1, part) for part in parts])


def test_a_class_that_cannot_reach_its_need_catches_up():
    old = ((1, AGE.above(20)), (1, AGE.at_most(20)))
    assert score_words(Score("x", 1, old)) == "needs 1 of"
    assert score_words(Score("x", 2, old)) == "is 2 behind, and catches up by"
    assert score_words(Score("x", 2, (*old, (1, Concept("c1"))))) == "needs 2 of"


def test_steps_of_ordered_columns_name_one_side():
    steps = steps_of([(1, AGE.above(20)), (1, AGE.above(40)), (1, AGE.at_most(80)), (1, AGE.is_missing)])
    assert [(n, str(part)) for n, part in steps[0]] == [
        (3, "40 < age <= 80"),
        (2, "age > 20"),
        (1, "age is anything"),
    ]
    assert np.all([n > 0 for n, _ in steps[0]])
