"""A model from a file for those who only read it: without what it takes to fit one, which is slow to import."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, Self

from rulenet import model_file
from rulenet.fitted import Fitted
from rulenet.fitted_targets import FittedTargets
from rulenet.readable import Readable

#: The strategies that parameters in a file may name; nothing is asked of them here.
STRATEGIES = (
    "Anneal",
    "Auto",
    "Count",
    "DeepCount",
    "EspressoInit",
    "Greedy",
    "LayersInit",
    "OneVsRestInit",
    "QuineMcCluskeyInit",
    "RandomInit",
    "RipperInit",
    "TreeInit",
)


class Loaded(Readable):
    """What was fitted, and whether it abstains: all that reading and exporting ask for."""

    def __init__(self, fitted: Fitted | FittedTargets, on_conflict: str) -> None:
        self.fitted_, self.on_conflict = fitted, on_conflict

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The model in a file; safe for files from anyone."""
        strategies: Any = dict.fromkeys(STRATEGIES, SimpleNamespace)
        state = model_file.read(path, strategies)
        return cls(state.fitted, state.parameters.get("on_conflict", "largest"))
