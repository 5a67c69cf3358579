"""Names and places of units: those that the formula and its picture have."""

from collections.abc import Mapping, Sequence

from rulenet.conditions import Condition
from rulenet.fitted import Fitted
from rulenet.formulas.expressions import Formula
from rulenet.formulas.graph import Graph as Meanings
from rulenet.page.units import Unit, Units
from rulenet.scene.graph import NOWHERE, Graph, Link
from rulenet.scene.labels import label_of, width_of
from rulenet.scene.model import Node
from rulenet.scene.network import network_scene

LENGTH = 34
#: Beyond, the page stacks what it shows, and nothing needs untangling.
MAX_LINKS = 1500


def names_of(fitted: Fitted, found: Units, outputs: Sequence[int]) -> dict[int, str]:
    """The names of units: those of outputs, and those of the concepts that say the same."""
    texts = [str(label) for label in fitted.classes.tolist()]
    several = len(outputs) > 1
    names = {unit: texts[k] if several else fitted.target for unit, k in zip(outputs, fitted.outputs, strict=True)}
    formula = fitted.named if several else fitted.formula
    if isinstance(formula, Formula):
        names = _concepts(formula, found) | names
    return names


def _concepts(formula: Formula, found: Units) -> dict[int, str]:
    graph = Meanings(formula.attributes)
    given = graph.add(formula)
    called = graph.concept_names(formula, given)
    leaves = [graph.condition(x) for x in found.conditions]
    nodes = list[int]()
    for unit in found.units:
        parts = [leaves[r] if r >= 0 else nodes[~r] for r, times in unit.inputs for _ in range(times)]
        nodes.append(graph.count(unit.need if unit.gate == "or" else len(parts) - unit.need + 1, parts))
    names, used = dict[int, str](), set[str]()
    for k, node in enumerate(nodes):
        if node in called and called[node] not in used:
            names[k] = called[node]
            used.add(called[node])
    return names


def places_of(units: Sequence[Unit], conditions: Sequence[Condition], outputs: Sequence[int]) -> Mapping[int, float]:
    """How far down every condition and unit stands in the picture of one network, by its number or ``~`` its number."""
    order = _below(units, outputs)
    if sum(len(units[~r].inputs) for r in order if r < 0) > MAX_LINKS:
        return {ref: float(i) for i, ref in enumerate(order)}
    graph, nodes = Graph(LENGTH, {}), dict[int, int]()
    for ref in sorted(order, key=lambda r: (r < 0, ~r in outputs)):
        if ref >= 0:
            label = label_of(conditions[ref], LENGTH)
            nodes[ref] = graph.add(Node(NOWHERE, "condition", label, label), 0)
            continue
        unit = units[~ref]
        depth = 1 + max((graph.depths[nodes[r]] for r, _ in unit.inputs), default=-1)
        nodes[ref] = graph.add(Node(NOWHERE, "unit", "c", "c", unit.gate, "all of", width_of("all of", 8.0)), depth)
        graph.links += [Link(nodes[r], nodes[ref], unit.gate, False, times) for r, times in unit.inputs]
    if not graph.links or not any(r >= 0 for r in order):
        return {ref: float(i) for i, ref in enumerate(order)}
    scene = network_scene(graph)
    return {ref: round(scene.nodes[node].at.y, 3) for ref, node in nodes.items()}


def _below(units: Sequence[Unit], outputs: Sequence[int]) -> list[int]:
    """The outputs and all that they read, parts before wholes."""
    found, stack = dict[int, None](), [(~k, False) for k in reversed(outputs)]
    while stack:
        ref, ready = stack.pop()
        if ready or ref >= 0:
            found.setdefault(ref)
        elif ref not in found:
            stack.append((ref, True))
            stack += [(r, False) for r, _ in reversed(units[~ref].inputs)]
    return list(found)
