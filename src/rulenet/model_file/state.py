"""What a model file holds."""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from rulenet.fitted import Fitted
from rulenet.fitted_targets import FittedTargets

FORMAT, VERSION = "rulenet-model", 2
READABLE_VERSIONS = (1, 2)


@dataclass(frozen=True)
class State:
    """A fitted classifier as data: its parameters, and what it learned."""

    parameters: dict[str, Any]
    fitted: Fitted | FittedTargets


def schema() -> dict[str, Any]:
    """The JSON Schema of model files."""
    text = files("rulenet.model_file").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
