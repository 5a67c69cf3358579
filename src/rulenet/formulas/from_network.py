"""The formula that a network stands for, or the decision among several classes."""

from collections.abc import Hashable, Sequence

import numpy as np

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, decision_of
from rulenet.formulas.expressions import Concept, Formula
from rulenet.formulas.graph import Graph
from rulenet.network import Network


def from_network(
    network: Network,
    conditions: Sequence[Condition | Concept],
    *,
    target: str = "positive",
    attributes: Sequence[Attribute] | None = None,
    named: Formula | None = None,
    output: int = 0,
) -> Formula:
    """The formula that holds exactly where ``network`` fires.

    Dead units are gone, units with one input passed through, equal units merged, constants folded, absorbed parts
    removed, conditions on one attribute in one gate made one; a unit used more than once becomes a named concept. Units
    that need more than one input, or spare some, become `AtLeast`. Names and order do not depend on the order of units.

    Parameters
    ----------
    network : Network
        The weights.
    conditions : sequence of Condition or Concept
        What the network's inputs stand for, in order; concepts are those of ``named``.
    target : str
        The name of what the network describes.
    attributes : sequence of Attribute, optional
        The attributes of the rows, by default those of ``conditions`` in order of appearance.
    named : Formula, optional
        Its concepts lend their names to units that say the same.
    output : int
        Which unit of the last layer is meant.

    Examples
    --------
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> conditions = [a.equal(0), a.equal(1), b.equal(0), b.equal(1)]
    >>> print(from_network(Network([[[1, 0, 0, 1], [0, 1, 1, 0]], [[1, 1]]]), conditions))
    positive if any of
        a = 0 and b = 1
        a = 1 and b = 0
    """
    graph, given, layers = _layers(network, conditions, attributes, named)
    names = graph.concept_names(named, given) if named is not None else {}
    parts, need = layers[-1][output]
    return graph.formula(graph.count(need, parts), target, names)


def decision_from_network(
    network: Network,
    conditions: Sequence[Condition | Concept],
    labels: Sequence[Hashable],
    *,
    target: str = "class",
    attributes: Sequence[Attribute] | None = None,
    named: Formula | Decision | None = None,
) -> Decision:
    """The decision among ``labels`` that a network makes by its margins, one output a label.

    Hidden units are simplified as in `from_network`, but what an output counts stays apart, so that all margins are
    those of the network: equal inputs become points, and constant ones part of the need. A unit that joins two or more
    inputs and is read more than once becomes a concept.

    Parameters
    ----------
    network : Network
        The weights.
    conditions : sequence of Condition or Concept
        What the network's inputs stand for, in order; concepts are those of ``named``.
    labels : sequence
        The label of every output, in order: of equal margins, the first wins. A network with a single output decides
        between two: the label that holds where the output does, and the other one.
    target : str
        The name of the column that is decided.
    attributes : sequence of Attribute, optional
        The attributes of the rows, by default those of ``conditions`` in order of appearance.
    named : Formula or Decision, optional
        Its concepts lend their names to units that say the same.

    Examples
    --------
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> network = Network([[[1, 0], [0, 1]], [[1, 0], [0, 1], [1, 1]]], needs=[[1, 1], [1, 1, 2]])
    >>> decision_from_network(network, [a.equal(1), b.equal(1)], ["x", "y", "z"]).outputs[2].need
    2
    """
    n_labels = max(network.n_outputs, 2)
    if len(labels) != n_labels:
        raise FormulaError(
            f"there are {len(labels)} labels, but a network with {network.n_outputs} outputs has {n_labels}"
        )
    lent = named.as_formula() if isinstance(named, Decision) else named
    graph, given, layers = _layers(network, conditions, attributes, lent)
    names = graph.concept_names(lent, given) if lent is not None else {}
    needs = [need for _, need in layers[-1]]
    if network.n_outputs == 1:
        layers[-1].append(([], 0))
        needs.append(0)
    return decision_of(graph, [parts for parts, _ in layers[-1]], needs, labels, target, names)


def _layers(
    network: Network,
    conditions: Sequence[Condition | Concept],
    attributes: Sequence[Attribute] | None,
    named: Formula | None,
) -> tuple[Graph, dict[str, int], list[list[tuple[list[int], int]]]]:
    """A graph, its nodes of named concepts, and for every unit of every layer its inputs and how many must hold."""
    if len(conditions) != network.n_literals:
        raise FormulaError(f"the network reads {network.n_literals} literals but {len(conditions)} were given")
    if attributes is None:
        attributes = [*dict.fromkeys(x.attribute for x in conditions if isinstance(x, Condition))]
    graph = Graph(attributes)
    given = graph.add(named) if named is not None else {}
    nodes = [graph.condition(x) if isinstance(x, Condition) else given[x.name] for x in conditions]
    layers: list[list[tuple[list[int], int]]] = []
    for weights, needs, gate in zip(network.weights, needs_of(network), network.gates, strict=True):
        inputs = [[nodes[j] for j in np.flatnonzero(unit)] for unit in weights]
        layers.append([(p, n if gate == "or" else len(p) - n + 1) for p, n in zip(inputs, needs, strict=True)])
        if len(layers) < len(network.weights):
            nodes = [graph.count(need, parts) for parts, need in layers[-1]]
    return graph, given, layers


def needs_of(network: Network) -> list[list[int]]:
    """The need of every unit, layer by layer."""
    needs = getattr(network, "needs", None)
    if needs is None:
        return [[1] * len(weights) for weights in network.weights]
    return [[int(need) for need in layer] for layer in needs]
