"""Hypothesis strategies for networks over attributes, and for formulas."""

from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st

from rulenet.conditions import Attribute, Condition
from rulenet.formulas import FALSE, TRUE, And, AtLeast, Concept, Formula, Not, Or
from rulenet.network import Network

settings.register_profile("formulas", deadline=None, max_examples=50)  # the first call compiles
settings.load_profile("formulas")

COUNTS = "needs" in Network.__dataclass_fields__


def attributes_of_size(name, n, kind):
    """An attribute with ``n`` cells."""
    if kind in ("nominal", "ordinal"):
        return Attribute(name, tuple(f"v{k}" for k in range(n)), kind)
    if kind == "whole":
        return Attribute(name, kind="numeric", cuts=tuple(range(n - 1)), whole=True)
    return Attribute(name, kind="numeric", cuts=tuple(k + 0.5 for k in range(n - 1)))


@st.composite
def attribute_lists(draw, max_attributes=4, max_values=3, kinds=("nominal", "ordinal", "numeric", "whole")):
    sizes = draw(st.lists(st.integers(1, max_values), min_size=1, max_size=max_attributes))
    return tuple(attributes_of_size(f"a{i}", n, draw(st.sampled_from(kinds))) for i, n in enumerate(sizes))


def conditions_of(attributes, *, not_equal=False, missing=False):
    """What an encoding would offer: equal values, cuts both ways, and what is asked for."""

    def of_one(a):
        if not a.measured:
            yield from (a.equal(v) for v in a.values)
        if a.ordered:
            bounds = a.cuts if a.measured else a.values[:-1]
            yield from (x for b in bounds for x in (a.at_most(b), a.above(b)))
        if not_equal and not a.measured and len(a.values) > 2:
            yield from (~a.equal(v) for v in a.values)
        if missing or (a.measured and not a.cuts):
            yield a.is_missing

    return tuple(x for a in attributes for x in of_one(a))


@st.composite
def networks_with_conditions(draw, max_attributes=4, max_layers=4, max_units=4):
    """A network and the conditions it reads."""
    attributes = draw(attribute_lists(max_attributes))
    conditions = conditions_of(attributes, not_equal=draw(st.booleans()), missing=draw(st.booleans()))
    sizes = [len(conditions), *draw(st.lists(st.integers(1, max_units), max_size=max_layers - 1)), 1]
    weights = [
        draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=m, max_size=m))
        for n, m in pairwise(sizes)
    ]
    gate = draw(st.sampled_from(("and", "or")))
    if not COUNTS or draw(st.booleans()):
        return Network(weights, gate), conditions
    return Network(weights, gate, [[draw(st.integers(1, 3)) for _ in layer] for layer in weights]), conditions


def any_condition(attributes):
    """Any set of cells, most often with few of them, sometimes with missing values."""
    return st.sampled_from(attributes).flatmap(
        lambda a: st.builds(
            lambda cells, missing: Condition(a, cells | (a.missing if missing else 0)),
            st.integers(0, a.known),
            st.sampled_from((False, False, False, True)),
        )
    )


@st.composite
def formulas(draw, max_attributes=4, negation=True, counting=True, simple=False, attributes=None):
    """A formula with up to three concepts, NOT and AT LEAST included; ``simple`` ones say what encodings offer."""
    attributes = draw(attribute_lists(max_attributes)) if attributes is None else attributes
    offered = conditions_of(attributes, not_equal=True, missing=not simple)
    leaf = st.sampled_from(offered) if simple else st.one_of(st.sampled_from(offered), any_condition(attributes))

    def expressions(names):
        leaves = st.one_of(leaf, leaf, st.sampled_from([TRUE, FALSE, *(Concept(n) for n in names)]))

        def grow(inner):
            parts = st.lists(inner, min_size=1, max_size=4).map(tuple)
            gates = [parts.map(And), parts.map(Or)]
            if counting:
                gates.append(parts.flatmap(lambda p: st.builds(AtLeast, st.integers(1, len(p)), st.just(p))))
            return st.one_of(*gates, inner.map(Not)) if negation else st.one_of(*gates)

        return st.recursive(leaves, grow, max_leaves=8)

    concepts = {}
    for name in ("p", "q", "r")[: draw(st.integers(0, 3))]:
        concepts[name] = draw(expressions(list(concepts)))
    return Formula(draw(expressions(list(concepts))), concepts, attributes)
