"""Deep rule networks: Boolean classifiers with readable intermediate concepts, learned from tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulenet.anneal.anneal import Anneal
    from rulenet.auto import Auto
    from rulenet.comparison import compare
    from rulenet.conditions import Attribute, Condition
    from rulenet.count.count import Count
    from rulenet.count.deep import DeepCount
    from rulenet.encoding import Encoding
    from rulenet.estimator import RuleNetworkClassifier
    from rulenet.exceptions import FormulaError, ModelFileError, NetworkError, ParameterError, RuleNetError, TableError
    from rulenet.formulas.expressions import Formula
    from rulenet.greedy.greedy import Greedy
    from rulenet.network import Network
    from rulenet.starts.cover import EspressoInit, QuineMcCluskeyInit
    from rulenet.starts.layers import LayersInit
    from rulenet.starts.one_vs_rest import OneVsRestInit
    from rulenet.starts.random import RandomInit
    from rulenet.starts.ripper import RipperInit
    from rulenet.starts.tree import TreeInit

__version__ = "0.2.0"

# Loaded when first asked for: a command that only shows its help need not wait for the compiler.
_MODULES = {
    "Anneal": "anneal.anneal",
    "Attribute": "conditions",
    "Auto": "auto",
    "Condition": "conditions",
    "Count": "count.count",
    "DeepCount": "count.deep",
    "Encoding": "encoding",
    "EspressoInit": "starts.cover",
    "Formula": "formulas.expressions",
    "FormulaError": "exceptions",
    "Greedy": "greedy.greedy",
    "LayersInit": "starts.layers",
    "ModelFileError": "exceptions",
    "Network": "network",
    "NetworkError": "exceptions",
    "ParameterError": "exceptions",
    "OneVsRestInit": "starts.one_vs_rest",
    "QuineMcCluskeyInit": "starts.cover",
    "RandomInit": "starts.random",
    "RipperInit": "starts.ripper",
    "RuleNetError": "exceptions",
    "RuleNetworkClassifier": "estimator",
    "TableError": "exceptions",
    "TreeInit": "starts.tree",
    "compare": "comparison",
}

__all__ = [
    "Anneal",
    "Attribute",
    "Auto",
    "Condition",
    "Count",
    "DeepCount",
    "Encoding",
    "EspressoInit",
    "Formula",
    "FormulaError",
    "Greedy",
    "LayersInit",
    "ModelFileError",
    "Network",
    "NetworkError",
    "OneVsRestInit",
    "ParameterError",
    "QuineMcCluskeyInit",
    "RandomInit",
    "RipperInit",
    "RuleNetError",
    "RuleNetworkClassifier",
    "TableError",
    "TreeInit",
    "compare",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rulenet' has no attribute {name!r}")
    return getattr(import_module(f"rulenet.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
