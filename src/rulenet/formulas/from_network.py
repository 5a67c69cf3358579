"""The formula that a network stands for."""

from collections.abc import Sequence

import numpy as np

from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import Concept, Formula
from rulenet.formulas.graph import Graph
from rulenet.literals import Attribute, Literal
from rulenet.network import Network


def from_network(
    network: Network,
    literals: Sequence[Literal | Concept],
    *,
    target: str = "positive",
    attributes: Sequence[Attribute] | None = None,
    named: Formula | None = None,
) -> Formula:
    """The formula that holds exactly where ``network`` fires.

    Dead units are gone, units with one input passed through, equal units merged, constants folded, absorbed parts
    removed; a unit used more than once becomes a named concept. Names and order do not depend on the order of units.

    Parameters
    ----------
    network : Network
        The weights.
    literals : sequence of Literal or Concept
        What the network's inputs are, in order; concepts are those of ``named``.
    target : str
        The name of what the network describes.
    attributes : sequence of Attribute, optional
        The attributes of the rows, by default those of ``literals`` in order of appearance.
    named : Formula, optional
        Its concepts lend their names to units that say the same.

    Examples
    --------
    >>> from rulenet.literals import literals_of
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> print(from_network(Network([[[1, 0, 0, 1], [0, 1, 1, 0]], [[1, 1]]]), literals_of([a, b])))
    positive if any of
        a = 0 and b = 1
        a = 1 and b = 0
    """
    if len(literals) != network.n_literals:
        raise FormulaError(f"the network reads {network.n_literals} literals but {len(literals)} were given")
    if attributes is None:
        attributes = [*dict.fromkeys(x.attribute for x in literals if isinstance(x, Literal))]
    graph = Graph(attributes)
    given = graph.add(named) if named is not None else {}
    nodes = [graph.literal(x) if isinstance(x, Literal) else given[x.name] for x in literals]
    for weights, gate in zip(network.weights, network.gates, strict=True):
        nodes = [graph.join(gate, [nodes[j] for j in np.flatnonzero(unit)]) for unit in weights]
    names = graph.concept_names(named, given) if named is not None else {}
    return graph.formula(nodes[0], target, names)
