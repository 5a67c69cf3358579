"""From a formula or a decision to a scene: one network, or panels where that would be a tangle."""

from typing import Literal

from rulenet.exceptions import ParameterError
from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import Formula
from rulenet.scene.graph import Graph, Notes
from rulenet.scene.model import Scene
from rulenet.scene.network import network_scene
from rulenet.scene.panels import panel_scene

Style = Literal["auto", "network", "panels"]
STYLES: tuple[Style, ...] = ("auto", "network", "panels")
MAX_CONDITIONS, MAX_EDGES, MAX_TARGETS = 60, 160, 6


def scene_of(
    formula: Formula | Decision, *, style: Style = "auto", length: int = 34, notes: Notes | None = None
) -> Scene:
    """Where everything stands.

    Parameters
    ----------
    formula : Formula or Decision
        What to draw.
    style : {"auto", "network", "panels"}
        One network from conditions to the target or to all classes, or panels; by default panels where conditions
        or classes are many.
    length : int
        About how many characters a label may have.
    notes : mapping from name or expression to text, optional
        A line about concepts and the target, or about everything, such as how many rows it covers.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import AtLeast
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> scene = scene_of(Formula(AtLeast(2, (a, b, c)), {}, tuple(x.attribute for x in (a, b, c))))
    >>> [(node.role, node.label, node.words) for node in scene.nodes][2:]
    [('condition', 'c = 1', ''), ('target', 'positive', 'at least 2 of')]
    """
    if style not in STYLES:
        raise ParameterError(f"style is {style!r}, but must be one of {', '.join(map(repr, STYLES))}")
    graph = Graph.of(formula, length, notes or {})
    n_conditions = sum(not node.gate for node in graph.nodes)
    n_targets = sum(node.role == "target" for node in graph.nodes)
    crowded = n_conditions > MAX_CONDITIONS or len(graph.links) > MAX_EDGES or n_targets > MAX_TARGETS
    if style == "panels" or (style == "auto" and crowded):
        return panel_scene(formula, length, notes or {})
    return network_scene(graph)
