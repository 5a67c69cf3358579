"""The learners that the paper compares."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from rulenet import Greedy, RandomInit, RuleNetworkClassifier
from rulenet.experiments.paper.ripper import Ripper


@dataclass(frozen=True, slots=True)
class PaperNetwork:
    """A network of the paper; called with a seed, it gives the classifier.

    The published runs did not restore the best weights. They never started again either, so ``max_restarts`` is 0.
    """

    hidden_layer_sizes: tuple[int, ...]
    avg_rule_length: int
    init_prob: float = 0.05
    positive_class: Literal["majority", "minority"] = "majority"
    n_epochs: int = 5
    max_restarts: int = 0

    def __call__(self, seed: int) -> RuleNetworkClassifier:
        """The classifier, not yet trained."""
        return RuleNetworkClassifier(
            self.hidden_layer_sizes,
            init=RandomInit(self.avg_rule_length, self.init_prob),
            search=Greedy(self.n_epochs, restore_best=False, max_restarts=self.max_restarts),
            positive_class=self.positive_class,
            random_state=seed,
        )


NETWORKS = {
    "DRNC(5)": PaperNetwork((32, 16, 8, 4, 2), 2),
    "DRNC(3)": PaperNetwork((32, 8, 2), 3),
    "RNC": PaperNetwork((20,), 5),
}

#: As the text of the paper has it: a network that predicts one class only is started again with the next seed.
RESTARTED = {name: replace(network, max_restarts=10) for name, network in NETWORKS.items()}


def ripper(seed: int) -> Pipeline:
    """wittgenstein's RIPPER on the literals; like the paper's, it has one seed for all."""
    return make_pipeline(FunctionTransformer(to_literals), Ripper(random_state=0))


def cart(seed: int) -> Pipeline:
    """scikit-learn's CART on the literals; like the paper's, it has one seed for all."""
    return make_pipeline(FunctionTransformer(to_literals), DecisionTreeClassifier(random_state=0))


def seeded_cart(seed: int) -> Pipeline:
    """scikit-learn's CART on the literals, with its own seed."""
    return make_pipeline(FunctionTransformer(to_literals), DecisionTreeClassifier(random_state=seed))


def to_literals(X: pd.DataFrame) -> Any:
    """A Boolean column for every value of every attribute, in sorted order; none for a missing value.

    >>> to_literals(pd.DataFrame({"a": pd.Categorical(["x", None], ["w", "x"])})).tolist()
    [[False, True], [False, False]]
    """
    return pd.get_dummies(X.astype("category")).to_numpy()
