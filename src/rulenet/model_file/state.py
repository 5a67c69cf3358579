"""What a model file holds."""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.encoding import Encoding
from rulenet.formulas.expressions import Formula
from rulenet.network import Network
from rulenet.training.search import Choice

FORMAT, VERSION = "rulenet-model", 1


@dataclass(frozen=True)
class State:
    """A fitted classifier as data: its parameters and what it learned."""

    parameters: dict[str, Any]
    classes: NDArray[Any]
    positive: int
    encoding: Encoding
    network: Network
    history: NDArray[np.float64]
    counts: NDArray[np.float64]
    target: str
    named: Formula | None = None
    choices: tuple[Choice, ...] = ()
    choice_counts: tuple[NDArray[np.float64], ...] = ()


def schema() -> dict[str, Any]:
    """The JSON Schema of model files."""
    text = files("rulenet.model_file").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
