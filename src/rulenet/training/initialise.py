"""Random starts, after F. Beck and J. Fürnkranz, "An Empirical Investigation into Deep and Shallow Rule Learning",
Frontiers in Artificial Intelligence 4, 2021, section 3.2.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rulenet.exceptions import ParameterError
from rulenet.network import Gate, Network


class RandomInit(BaseEstimator):  # type: ignore[misc]
    """A random network that is connected from the literals to the output.

    Parameters
    ----------
    avg_rule_length : float, default=2
        How many attributes a unit of an AND first layer reads on average, one random literal of each.
    init_prob : float, default=0.05
        The probability of every weight between, beside the one outgoing weight that each unit gets for sure.
        All weights of the output are set.
    """

    def __init__(self, avg_rule_length: float = 2, init_prob: float = 0.05) -> None:
        self.avg_rule_length = avg_rule_length
        self.init_prob = init_prob

    def start(
        self, groups: NDArray[np.int64], hidden_layer_sizes: Sequence[int], first_gate: Gate, seed: int
    ) -> Network:
        """A network over the literals that ``groups`` numbers; the same for the same ``seed``."""
        if not self.avg_rule_length >= 0:
            raise ParameterError(f"avg_rule_length is {self.avg_rule_length}, but must be at least 0")
        if not 0 <= self.init_prob <= 1:
            raise ParameterError(f"init_prob is {self.init_prob}, but must be between 0 and 1")
        rng = RandomState(seed)
        sizes = [len(groups), *hidden_layer_sizes]
        weights = []
        for i, (n_inputs, n_units) in enumerate(pairwise(sizes)):
            if i == 0 and first_gate == "and":
                weights.append(_random_rules(rng, groups, n_units, self.avg_rule_length))
            else:
                weights.append(_random_layer(rng, n_inputs, n_units, self.init_prob))
        return Network([*weights, np.ones((1, sizes[-1]), dtype=np.bool_)], first_gate)


def _random_rules(rng: RandomState, groups: NDArray[np.int64], n_units: int, length: float) -> NDArray[np.bool_]:
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    weights = np.zeros((n_units, len(groups)), dtype=np.bool_)
    for unit in weights:
        for literals in members:
            if rng.random_sample() < min(length / len(members), 1):
                unit[literals[-1 - rng.randint(len(literals))]] = True
    return weights


def _random_layer(rng: RandomState, n_inputs: int, n_units: int, probability: float) -> NDArray[np.bool_]:
    weights = np.zeros((n_units, n_inputs), dtype=np.bool_)
    for source in range(n_inputs):
        certain = rng.randint(n_units)
        weights[:, source] = rng.random_sample(n_units) < probability
        weights[certain, source] = True
    return weights
