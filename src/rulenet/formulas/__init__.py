"""What a network says: formulas with named concepts, flat and deep, measured and compared."""

from rulenet.formulas.cubes import Space
from rulenet.formulas.dnf import Dnf, to_dnf
from rulenet.formulas.equivalence import difference, equivalent
from rulenet.formulas.expressions import FALSE, TRUE, And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.formulas.factor import factor
from rulenet.formulas.from_network import from_network
from rulenet.formulas.graph import simplify
from rulenet.formulas.measures import Size, measure
from rulenet.formulas.minimise import minimise
from rulenet.formulas.to_network import to_network

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "Concept",
    "Constant",
    "Dnf",
    "Expression",
    "Formula",
    "Not",
    "Or",
    "Size",
    "Space",
    "difference",
    "equivalent",
    "factor",
    "from_network",
    "measure",
    "minimise",
    "simplify",
    "to_dnf",
    "to_network",
]
