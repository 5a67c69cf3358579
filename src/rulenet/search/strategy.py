"""Searches and starts as objects with parameters, which are checked against constraints."""

from collections.abc import Mapping
from typing import ClassVar

from sklearn.base import BaseEstimator

from rulenet import parameters


class Strategy(BaseEstimator):  # type: ignore[misc]
    """Parameters as scikit-learn's estimators have them; ``constraints`` says which values they take."""

    constraints: ClassVar[Mapping[str, tuple[parameters.Constraint, ...]]] = {}

    def check(self) -> None:
        """Raise a `ParameterError` for the first parameter that is out of its range."""
        parameters.check({name: getattr(self, name) for name in self.constraints}, self.constraints)
