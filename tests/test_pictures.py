"""Pictures show what is there, for small and large formulas and any names."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from formula_strategies import formulas
from rulenet import Greedy, ParameterError, RuleNetworkClassifier
from rulenet.formulas import And, Formula, Or, factor, from_network, minimise
from rulenet.formulas.expressions import walk
from rulenet.literals import Attribute, Literal, literals_of
from rulenet.network import Network
from rulenet.pictures import draw_coverage, draw_history, draw_network
from rulenet.pictures.layout import _crossings, _links, lay_out
from rulenet.pictures.network import _places
from test_formulas import equation_1, parity


def large_formula():
    rng = np.random.default_rng(10)
    literals = literals_of([Attribute(f"attribute {i}", ("low", "medium", "high")) for i in range(12)])
    densities = [(60, 36, 0.07), (30, 60, 0.07), (16, 30, 0.08), (8, 16, 0.18), (4, 8, 0.3)]
    weights = [rng.random((m, n)) < p for m, n, p in densities]
    return from_network(Network([*weights, [[1] * 4]], "or"), literals)


def texts(figure):
    return [t.get_text() for t in figure.axes[0].texts]


@pytest.mark.parametrize("colours", ["paper", "safe"])
def test_the_picture_names_literals_concepts_and_target(colours, tmp_path):
    formula = factor(minimise(parity(5)))
    figure = draw_network(formula, colours=colours, title="parity")
    wanted = {*map(str, formula.literals), *formula.concepts, "positive"}
    assert wanted <= set(texts(figure))
    figure.savefig(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").stat().st_size > 1000


@settings(max_examples=30)
@given(formulas())
def test_any_formula_can_be_laid_out(formula):
    layout = lay_out(formula)
    gates = sum(isinstance(x, And | Or) for _, e in formula.definitions for x in walk(e))
    assert sum(bool(n.gate) for n in layout.nodes) >= gates
    depth = {n: d for d, layer in enumerate(layout.layers) for n in layer}
    assert all(depth[b] == depth[a] + 1 for a, b in _links(layout.edges))
    assert draw_network(formula).axes


def test_nodes_of_a_large_network_do_not_touch():
    layout = lay_out(large_formula())
    assert sum(bool(node.gate) for node in layout.nodes) >= 30
    places = _places(layout)
    for layer in layout.layers:
        heights = [places[n, 1] for n in layer if layout.nodes[n].label is not None]
        assert all(a - b > 0.3 for a, b in itertools.pairwise(heights))


def test_sorting_by_barycentre_removes_most_crossings():
    layout = lay_out(large_formula())
    unsorted = [sorted(layer) for layer in layout.layers]
    assert layout.n_crossings < 0.7 * _crossings(unsorted, _links(layout.edges))
    assert lay_out(factor(minimise(equation_1()))).n_crossings <= 2


def test_hostile_labels_are_drawn_as_they_are(tmp_path):
    a = Attribute("$x_1$ \\frac & <b>", ("$$", "%{}\n☃" + "long " * 30))
    formula = Formula(And(tuple(Literal(a, v, "!=") for v in a.values)), {}, (a,), "$\\bad$")
    draw_network(formula, title="$oops").savefig(tmp_path / "p.png")


def test_unknown_colours_are_refused():
    with pytest.raises(ParameterError, match="must be one of 'paper', 'safe'"):
        draw_network(equation_1(), colours="pink")


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


def test_a_fitted_classifier_shows_rules_and_picture_in_a_notebook():
    X = pd.DataFrame({"<a>": ["u", "v", "w", "u"], "b": ["x", "y", "y", "y"]})
    model = RuleNetworkClassifier([2], search=Greedy(n_epochs=1), random_state=0)
    html = model.fit(X, ["p", "n", "n", "p"])._repr_html_()
    assert "&lt;a&gt;" in html
    assert "<pre>" in html
    for kind in ("network", "history"):
        assert model.picture(kind).axes
    assert model.picture("coverage", X, ["p", "n", "n", "p"]).axes
    with pytest.raises(ParameterError, match="kind is 'coverage'"):
        model.picture("coverage")
