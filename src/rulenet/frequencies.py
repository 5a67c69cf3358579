"""How often the positive class is met where a rule fires: probabilities for predictions.

A network that ends in OR has one rule for each input of its output; one that ends in AND is a single rule. A row gets
the best of the frequencies of the rules that fire, or that of the rows where none does, after Laplace's rule of
succession. A probability never contradicts the prediction.
"""

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.network import Network

Counts = NDArray[np.float64]
MARGIN = 1e-6


def rules_firing(network: Network, literals: bits.Words, n_rows: int) -> NDArray[np.bool_]:
    """Which rules fire in which rows, shape (n_rules, n_rows); the last line says where none does."""
    *below, output = network.activations(literals)
    chosen = network.weights[-1][0]
    if below and network.gates[-1] == "or":
        firing = bits.unpack(below[-1][chosen], n_rows)
    else:
        firing = bits.unpack(output, n_rows)
    return np.vstack([firing, ~firing.any(axis=0, keepdims=True)])


def count_classes(
    network: Network, literals: bits.Words, positive: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> Counts:
    """The weight of negative and of positive rows where each rule fires and, last, where none does."""
    firing = rules_firing(network, literals, len(positive)).astype(np.float64)
    mass = np.ones(len(positive)) if weights is None else weights
    return np.stack([firing @ (mass * ~positive), firing @ (mass * positive)], axis=1)


def positive_probability(network: Network, literals: bits.Words, counts: Counts, n_rows: int) -> NDArray[np.float64]:
    """The probability of the positive class in every row."""
    firing = rules_firing(network, literals, n_rows)
    frequency = (counts[:, 1] + 1) / (counts.sum(axis=1) + 2)
    yes = np.max(np.where(firing[:-1], frequency[:-1, None], 0.0), axis=0, initial=0.0)
    no = np.full(n_rows, frequency[-1])
    return np.asarray(np.where(firing[-1], np.minimum(no, 0.5 - MARGIN), np.maximum(yes, 0.5 + MARGIN)))
