"""Hypothesis strategies for networks over attributes, and for formulas."""

from itertools import pairwise, product

from hypothesis import settings
from hypothesis import strategies as st

from rulenet.formulas import FALSE, TRUE, And, Concept, Formula, Not, Or
from rulenet.literals import Attribute, Literal, literals_of
from rulenet.network import Network

settings.register_profile("formulas", deadline=None, max_examples=50)  # the first call compiles
settings.load_profile("formulas")


@st.composite
def attribute_lists(draw, max_attributes=4, max_values=3):
    sizes = draw(st.lists(st.integers(1, max_values), min_size=1, max_size=max_attributes))
    return tuple(Attribute(f"a{i}", tuple(f"v{k}" for k in range(n))) for i, n in enumerate(sizes))


@st.composite
def networks_with_literals(draw, max_attributes=4, max_layers=4, max_units=4, density=None):
    """A network and the literals it reads."""
    attributes = draw(attribute_lists(max_attributes))
    literals = literals_of(attributes, not_equal=draw(st.booleans()))
    sizes = [len(literals), *draw(st.lists(st.integers(1, max_units), max_size=max_layers - 1)), 1]
    weights = [
        draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=m, max_size=m))
        for n, m in pairwise(sizes)
    ]
    return Network(weights, draw(st.sampled_from(("and", "or")))), literals


@st.composite
def formulas(draw, max_attributes=4, negation=True):
    """A formula with up to three concepts, NOT included."""
    attributes = draw(attribute_lists(max_attributes))
    literals = st.sampled_from([Literal(a, v, op) for a, op in product(attributes, ("==", "!=")) for v in a.values])

    def expressions(names):
        leaves = st.one_of(literals, literals, st.sampled_from([TRUE, FALSE, *(Concept(n) for n in names)]))

        def grow(inner):
            parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
            gates = [parts.map(And), parts.map(Or)]
            return st.one_of(*gates, inner.map(Not)) if negation else st.one_of(*gates)

        return st.recursive(leaves, grow, max_leaves=8)

    concepts = {}
    for name in ("p", "q", "r")[: draw(st.integers(0, 3))]:
        concepts[name] = draw(expressions(list(concepts)))
    return Formula(draw(expressions(list(concepts))), concepts, attributes)
