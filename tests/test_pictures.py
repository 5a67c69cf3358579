"""Pictures show what is there, for small and large formulas and any names."""

import itertools
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from matplotlib.backends.backend_agg import FigureCanvasAgg
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from formula_strategies import formulas
from rulenet import Greedy, RuleNetworkClassifier
from rulenet.conditions import Attribute, Condition
from rulenet.datasets import make_monk
from rulenet.exceptions import ParameterError
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.expressions import And, AtLeast, Concept, Formula, Not, Or, walk
from rulenet.formulas.truth import encode
from rulenet.pictures import draw_coverage, draw_history, draw_network, notes_on
from rulenet.scene import scene_of
from rulenet.scene.graph import Graph
from rulenet.scene.labels import label_of, width_of
from rulenet.scene.network import Layers
from rulenet.scene.untangle import crossings

AGE = Attribute("age", kind="numeric", cuts=(20, 37.5))
COLOUR = Attribute("colour of the car", ("red", "blue", "as green as the grass on the hill", "black"))


def random_formula(n_conditions, seed=0):
    """A deep formula with counts over many conditions."""
    rng = np.random.default_rng(seed)
    attributes = tuple(
        Attribute(f"attribute {i}", kind="numeric", cuts=(1, 2, 3.5, 4)) for i in range(n_conditions // 3 + 2)
    )

    def condition():
        low, high = sorted(rng.choice(6, 2, replace=False).tolist())
        return Condition(attributes[rng.integers(len(attributes))], (1 << high) - (1 << low))

    concepts, rules = {}, []
    while n_conditions > 0:
        parts = tuple(condition() for _ in range(rng.integers(3, 6)))
        n_conditions -= len(parts)
        gate = [And(parts), Or(parts), AtLeast(2, (*parts, parts[0]))][rng.integers(3)]
        if concepts and rng.random() < 0.4:
            gate = And((gate, Concept(list(concepts)[rng.integers(len(concepts))])))
        if rng.random() < 0.5:
            concepts[f"c{len(concepts)}"] = gate
        else:
            rules.append(gate)
    rules += [Concept(name) for name in concepts]
    return Formula(AtLeast(2, tuple(rules)), concepts, attributes)


def texts(figure):
    return [t.get_text() for t in figure.axes[0].texts]


@pytest.mark.parametrize("colours", ["paper", "safe"])
def test_the_picture_names_conditions_concepts_and_target(colours, tmp_path):
    young = AGE.between(20, 37.5)
    formula = Formula(
        AtLeast(2, (Concept("mild"), young, AGE.is_missing)), {"mild": Or((young, COLOUR.equal("red")))}, (AGE, COLOUR)
    )
    figure = draw_network(formula, colours=colours, title="rules")
    wanted = {*map(str, formula.conditions), "mild", "positive", "at least 2 of", "any of", "rules"}
    assert wanted <= set(texts(figure))


def test_text_in_svg_files_is_text(tmp_path):
    formula = Formula(And((AGE.at_most(20), COLOUR.equal("red"))), {}, (AGE, COLOUR), "<b> & $x$")
    for figure in (draw_network(formula), draw_history([0.5, 0.7])):
        figure.savefig(tmp_path / "p.svg")
        written = {
            "".join(e.itertext()) for e in ElementTree.parse(tmp_path / "p.svg").iter() if e.tag.endswith("text")
        }
        assert {"age <= 20", "all of", "<b> & $x$"} <= written or "training accuracy" in written


def test_sets_of_values_are_one_node():
    scene = scene_of(Formula(COLOUR.one_of(["red", "blue"]), {}, (COLOUR,)))
    assert [node.label for node in scene.nodes if not node.gate] == ["colour of the car in {red, blue}"]


@pytest.mark.parametrize("length", [16, 20, 34])
def test_labels_are_cut_in_names_and_values_never_in_signs(length):
    for condition, sign in [
        (COLOUR.equal(COLOUR.values[2]), " = "),
        (~COLOUR.equal(COLOUR.values[2]), " != "),
        (COLOUR.one_of(COLOUR.values[1:3]), " in {"),
        (Attribute("a very long name of a column", kind="numeric", cuts=(20, 37.5)).between(20, 37.5), " <= 37.5"),
        (Attribute("a very long name of a column", kind="numeric", cuts=(20, 37.5)).is_missing, " is missing"),
    ]:
        label = label_of(condition, length)
        assert sign in label
        assert len(label) <= length + 12
        assert "…" in label or label == str(condition)


@settings(max_examples=30)
@given(formulas())
def test_any_formula_has_a_scene(formula):
    for style in ("network", "panels"):
        scene = scene_of(formula, style=style)
        gates = sum(isinstance(x, And | Or | AtLeast) for _, e in formula.definitions for x in walk(e))
        assert sum(bool(n.gate) for n in scene.nodes) >= gates
        for edge in scene.edges:
            assert scene.nodes[edge.start].at.x < scene.nodes[edge.end].at.x
            assert all(a.x <= b.x + 1e-9 for a, b in itertools.pairwise(edge.points))
        for node in scene.nodes:
            assert 0 < node.at.x < scene.width
            assert 0 < node.at.y < scene.height
    assert draw_network(formula).axes


@pytest.mark.parametrize("n_conditions", [20, 60, 200])
def test_nothing_that_is_written_overlaps(n_conditions):
    scene = scene_of(random_formula(n_conditions))
    boxes = []
    for node in scene.nodes:
        if node.gate:
            boxes.append((node.at.x - node.width / 2, node.at.x + node.width / 2, node.at.y - 0.1, node.at.y + 0.1))
        else:
            boxes.append((node.at.x - 0.1 - width_of(node.label, 9), node.at.x, node.at.y - 0.08, node.at.y + 0.08))
    for a, b in itertools.combinations(boxes, 2):
        assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
    for left, _, top, _ in boxes:
        assert left > 0
        assert top > 0


def test_many_conditions_get_panels_on_a_page():
    small, large = scene_of(random_formula(30)), scene_of(random_formula(205))
    assert not small.panels
    titles = {panel.title.split(" (")[0] for panel in large.panels}
    assert titles == {*random_formula(205).concepts, "positive"}
    assert 0.7 < large.width / large.height < 3
    assert large.width * large.height < 600
    for a, b in itertools.combinations(large.panels, 2):
        apart_x = a.corner.x + a.width <= b.corner.x or b.corner.x + b.width <= a.corner.x
        assert apart_x or a.corner.y + a.height <= b.corner.y or b.corner.y + b.height <= a.corner.y


def test_points_are_on_the_edges_and_coverage_on_the_units():
    young = AGE.at_most(37.5)
    formula = Formula(AtLeast(3, (young, young, AGE.is_missing, AGE.at_most(20))), {}, (AGE,), "yes")
    table = pd.DataFrame({"kind": ["target"], "name": ["yes"], "coverage": [1200], "support": [900]})
    found = texts(draw_network(formula, statistics=table))
    assert {"×2", "at least 3 points of", "1,200 rows, 75% positive"} <= set(found)


@pytest.mark.parametrize("style", ["network", "panels"])
def test_every_node_says_how_many_rows_it_covers_and_how_pure_they_are(style):
    young, red = AGE.at_most(37.5), COLOUR.equal("red")
    formula = Formula(Or((And((young, red)), Concept("old"))), {"old": Not(young)}, (AGE, COLOUR), "yes")
    rows = encode(formula.attributes, [{"age": 20, COLOUR.name: "red"}] * 3 + [{"age": 20}] + [{"age": 50}] * 4)
    notes = notes_on(formula, rows, ["p", "p", "n", "n", "p", "p", "p", "n"])
    found = texts(draw_network(formula, notes=notes, style=style))
    assert {"4 · 50%", "3 · 67%", "3 rows, 67% p", "4 rows, 75% p", "7 rows, 71% p"} <= set(found)
    assert any(text.startswith("beside conditions") for text in found)


@pytest.mark.parametrize("style", ["network", "panels"])
def test_points_on_edges_are_written_apart(style):
    columns = [Attribute(f"x{i}", (0, 1)) for i in range(12)]
    scores = tuple(Score(k, 9, tuple((2 + (i + k) % 3, x.equal(1)) for i, x in enumerate(columns))) for k in range(2))
    figure = draw_network(Decision(scores, {}, tuple(columns)), style=style)
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [t.get_window_extent(renderer) for t in figure.axes[0].texts if t.get_text().startswith("×")]
    assert len(boxes) == 24
    assert not any(a.shrunk(0.7, 0.7).overlaps(b.shrunk(0.7, 0.7)) for a, b in itertools.combinations(boxes, 2))


def test_a_classifier_draws_the_rows_it_is_given():
    X, y = make_monk(1)
    model = RuleNetworkClassifier([4], search=Greedy(n_epochs=1), random_state=0).fit(X, y)
    n = int(model.rows(X, model.target_name_).sum())
    assert any(text.startswith(f"{n} rows, ") for text in texts(model.picture("network", X, y)))
    assert not any(" rows, " in text for text in texts(model.picture("network")))


def test_sorting_by_barycentre_removes_most_crossings():
    layers = Layers(Graph.of(random_formula(60), 34, {}))
    unsorted = [sorted(layer) for layer in layers.order]
    assert layers.n_crossings < 0.7 * crossings(unsorted, layers.pairs)


def test_hostile_labels_are_drawn_as_they_are(tmp_path):
    a = Attribute("$x_1$ \\frac & <b>\u202e", ("$$", "%{}\n☃" + "long " * 30, "</script>"))
    formula = Formula(And(tuple(~a.equal(v) for v in a.values)), {}, (a,), "$\\bad$")
    figure = draw_network(formula, title="$oops")
    figure.savefig(tmp_path / "p.png")
    figure.savefig(tmp_path / "p.svg")
    assert "\u202e" not in (tmp_path / "p.svg").read_text(encoding="utf-8")
    ElementTree.parse(tmp_path / "p.svg")


def test_unknown_colours_are_refused():
    with pytest.raises(ParameterError, match="must be one of 'paper', 'safe'"):
        draw_network(random_formula(12), colours="pink")


def test_an_unknown_style_is_refused():
    with pytest.raises(ParameterError, match="style is 'odd', but must be one of"):
        draw_network(random_formula(12), style="odd")


def test_curves_and_bars_are_drawn(tmp_path):
    draw_history(np.linspace(0.5, 1, 200)).savefig(tmp_path / "h.png")
    table = pd.DataFrame(
        {
            "kind": ["rule", "concept"],
            "name": ["rule 1", "$c"],
            "meaning": ["a", "b"],
            "coverage": [3, 0],
            "support": [2, 0],
        }
    )
    figure = draw_coverage(table, title="$")
    assert [b.get_width() for b in figure.axes[0].patches] == [0, 2, 0, 1]


def test_a_pipeline_shows_the_rules_of_its_classifier():
    X, y = make_monk(1)
    pipeline = make_pipeline(FunctionTransformer(), RuleNetworkClassifier([4], search=Greedy(n_epochs=1)))
    assert "as a picture" not in pipeline._repr_html_()
    html = pipeline.fit(X, y)._repr_html_()
    assert html.count("as a picture") == 1
    assert "overflow-wrap: anywhere" in html
    with config_context(display="text"):
        assert "text/html" not in pipeline[-1]._repr_mimebundle_()


def test_a_fitted_classifier_shows_rules_and_picture_in_a_notebook():
    from rulenet import Greedy, RuleNetworkClassifier

    X = pd.DataFrame({"<a>": ["u", "v", "w", "u"], "b": ["x", "y", "y", "y"]})
    model = RuleNetworkClassifier([2], search=Greedy(n_epochs=1), random_state=0)
    html = model.fit(X, ["p", "n", "n", "p"])._repr_html_()
    assert "&lt;a&gt;" in html
    assert "<b>" in html
    assert html.count("as a picture") == 1
    assert model._repr_mimebundle_()["text/html"].count("as a picture") == 1
    for kind in ("network", "history"):
        assert model.picture(kind).axes
    assert model.picture("coverage", X, ["p", "n", "n", "p"]).axes
    with pytest.raises(ParameterError, match="kind is 'coverage'"):
        model.picture("coverage")
