"""Pictures of decisions show every class, and stay legible for many."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from rulenet import Network
from rulenet.conditions import Attribute
from rulenet.formulas import And, Concept, Decision, Or, Score, decision_from_network
from rulenet.pictures import draw_network
from rulenet.pictures.html import as_html
from rulenet.scene import scene_of
from test_decision import several_outputs

PETAL, SEPAL = (Attribute(n, kind="numeric", cuts=(2.5, 4.9)) for n in ("petal", "sepal"))
IRIS = Decision(
    (
        Score("setosa", 1, ((2, PETAL.at_most(2.5)),)),
        Score("versicolor", 2, ((1, Concept("c1")), (1, PETAL.at_most(4.9)))),
        Score("virginica", 2, ((1, Concept("c1")), (1, And((PETAL.above(4.9), SEPAL.above(2.5)))))),
        Score("none", 1),
    ),
    {"c1": Or((PETAL.above(2.5), SEPAL.above(4.9)))},
    (PETAL, SEPAL),
    "species",
)


def many_classes(n_classes, n_units=60, n_counted=10):
    rng = np.random.default_rng(n_classes)
    attributes = [Attribute(f"x{i}", kind="numeric", cuts=tuple(range(1, 9))) for i in range(12)]
    conditions = [x for a in attributes for cut in a.cuts for x in (a.at_most(cut), a.above(cut))]
    units = np.array([rng.permutation(len(conditions)) < rng.integers(1, 4) for _ in range(n_units)])
    outputs = np.array([rng.permutation(n_units) < n_counted for _ in range(n_classes)])
    network = Network([units, outputs], needs=[np.ones(n_units, int), rng.integers(1, 4, n_classes)])
    return decision_from_network(network, conditions, [f"k{i}" for i in range(n_classes)])


def texts(figure):
    return [t.get_text() for t in figure.axes[0].texts]


@pytest.mark.parametrize("style", ["network", "panels"])
def test_all_classes_and_shared_concepts_are_there(style):
    shown = texts(draw_network(IRIS, style=style))
    assert {IRIS.name(label) for label in IRIS.labels} <= set(shown)
    assert {"needs 1 point of", "needs 2 of", "is always 1 behind", "c1", "×2"} <= set(shown)
    assert shown.count("c1") == (1 if style == "network" else 3)


def test_classes_stand_in_one_column():
    targets = [node.at.x for node in scene_of(IRIS).nodes if node.role == "target"]
    assert len(targets) == 4
    assert len(set(targets)) == 1


@pytest.mark.parametrize("n_classes", [3, 10, 26])
def test_many_classes_stand_beside_each_other_on_a_page(n_classes):
    decision = many_classes(n_classes)
    scene = scene_of(decision)
    assert sum(node.role == "target" for node in scene.nodes) == n_classes
    titles = [panel.title for panel in scene.panels]
    assert titles[:n_classes] == ([decision.name(label) for label in decision.labels] if n_classes > 6 else [])
    assert scene.width < 45
    assert scene.height < 30
    for a, b in itertools.combinations(scene.panels, 2):
        apart_x = a.corner.x + a.width <= b.corner.x or b.corner.x + b.width <= a.corner.x
        assert apart_x or a.corner.y + a.height <= b.corner.y or b.corner.y + b.height <= a.corner.y


@given(several_outputs())
@settings(max_examples=20, deadline=None)
def test_any_decision_can_be_drawn(case):
    decision = decision_from_network(*case)
    for style in ("network", "panels"):
        assert {decision.name(label) for label in decision.labels} <= set(texts(draw_network(decision, style=style)))


def test_notebooks_show_text_and_picture():
    html = as_html(IRIS)
    assert "<b>species = setosa</b> needs 1 point of" in html
    assert "<svg" in html


def test_in_panels_points_stand_beside_what_they_are_for():
    columns = [Attribute(f"a{k}", (0, 1)) for k in range(20)]
    score = Score("x", 30, tuple((k + 2, a.equal(1)) for k, a in enumerate(columns)))
    figure = draw_network(Decision((score, Score("y", 0)), {}, columns), style="panels")
    texts = {text.get_text(): np.array(text.get_position()) for text in figure.axes[0].texts}
    for k in range(20):
        nearest = min(range(20), key=lambda j: abs(texts[f"a{j} = 1"][1] - texts[f"×{k + 2}"][1]))
        assert nearest == k
