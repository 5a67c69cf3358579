"""What a network says: formulas with named concepts, flat and deep, measured and compared."""

from rulenet.formulas.cubes import Space
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.dnf import Dnf, to_dnf
from rulenet.formulas.equivalence import difference, equivalent
from rulenet.formulas.expressions import FALSE, TRUE, And, AtLeast, Concept, Constant, Expression, Formula, Not, Or
from rulenet.formulas.factor import factor
from rulenet.formulas.from_network import decision_from_network, from_network
from rulenet.formulas.graph import simplify
from rulenet.formulas.measures import Size, measure
from rulenet.formulas.minimise import minimise
from rulenet.formulas.score_card import ScoreCard
from rulenet.formulas.to_network import to_network

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "AtLeast",
    "Concept",
    "Constant",
    "Decision",
    "Dnf",
    "Expression",
    "Formula",
    "Not",
    "Or",
    "Score",
    "ScoreCard",
    "Size",
    "Space",
    "decision_from_network",
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
