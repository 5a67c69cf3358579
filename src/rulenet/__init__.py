"""Deep rule networks: Boolean classifiers with readable intermediate concepts, learned from tables."""

from rulenet.encoding import Encoding
from rulenet.estimator import RuleNetworkClassifier
from rulenet.exceptions import FormulaError, ModelFileError, NetworkError, ParameterError, RuleNetError, TableError
from rulenet.formulas.expressions import Formula
from rulenet.literals import Attribute, Literal
from rulenet.network import Network
from rulenet.training.anneal import Anneal
from rulenet.training.greedy import Greedy
from rulenet.training.initialise import RandomInit
from rulenet.training.layers import LayersInit
from rulenet.training.starts import EspressoInit, QuineMcCluskeyInit, RipperInit, TreeInit

__version__ = "0.1.0"

__all__ = [
    "Anneal",
    "Attribute",
    "Encoding",
    "EspressoInit",
    "Formula",
    "FormulaError",
    "Greedy",
    "LayersInit",
    "Literal",
    "ModelFileError",
    "Network",
    "NetworkError",
    "ParameterError",
    "QuineMcCluskeyInit",
    "RandomInit",
    "RipperInit",
    "RuleNetError",
    "RuleNetworkClassifier",
    "TableError",
    "TreeInit",
]
