"""RIPPER as a scikit-learn classifier of Boolean labels.

W. W. Cohen: Fast Effective Rule Induction. ICML, 115-123, 1995.
"""

from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin


def is_installed() -> bool:
    """Whether wittgenstein is there."""
    return find_spec("wittgenstein") is not None


class Ripper(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Rules for the class True by wittgenstein, the implementation that the paper used.

    Rows go in as an array: given a DataFrame, wittgenstein samples rows by their index, and the rules
    depend on it.
    """

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn rules for the rows where ``y`` is true."""
        import wittgenstein  # an extra: rulenet[peers]

        self.classes_ = np.array([False, True])
        self.rules_: Any = wittgenstein.RIPPER(random_state=self.random_state)
        self.rules_.fit(np.asarray(X), np.asarray(y), pos_class=True)
        return self

    @property
    def n_rules_(self) -> int:
        """How many rules there are."""
        return len(self.rules_.ruleset_.rules)

    @property
    def size_(self) -> int:
        """How many conditions all rules have."""
        return sum(len(rule.conds) for rule in self.rules_.ruleset_.rules)

    def predict(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether a rule covers each row."""
        return np.asarray(self.rules_.predict(np.asarray(X)), dtype=np.bool_)
