"""A network that was found on a sample, polished and pruned on all rows.

The exact gains of all flips and of all changed needs are summed over all rows; the most promising changes are judged
by all rows, and so is every network with a unit less. The best one is taken until none pays for its size.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulenet import kernels
from rulenet.network import Network
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found
from rulenet.shards.shards import Shards, errors, gains

# Changes that are taken at the most, each after one sweep over all rows, and candidates that a sweep proposes.
MAX_CHANGES = 16
N_PROPOSED = 8
# What one more edge must win, in rows: chance wins as the square root of their number. At 4096 rows it is one.
ROWS_OF_PRICE = 4096


def polish_all(found: Found, shards: Shards, problem: Problem) -> Found:
    """What was found, its network polished, and all networks judged, by all rows; ``problem`` has some of them."""
    network, n_wrong = polish(found.network, shards, problem)
    others = [choice for choice in found.choices if choice.network != found.network]
    judged = errors(shards, [choice.network for choice in others]) if others else []
    total = shards.total_weight
    accuracy = 1 - n_wrong / total
    kept = [Choice(c.price, network, accuracy, c.validation) for c in found.choices if c.network == found.network][:1]
    choices = [replace(c, accuracy=1 - n / total) for c, n in zip(others, judged, strict=True)]
    return replace(found, network=network, history=(*found.history, accuracy), choices=(*kept, *choices))


def polish_found(network: Network, shards: Shards, problem: Problem) -> Found:
    """A network and what polishing makes of it, as if a search had found it."""
    (n_before,) = errors(shards, [network])
    polished, n_wrong = polish(network, shards, problem)
    accuracy = 1 - n_wrong / shards.total_weight
    history = (1 - n_before / shards.total_weight, accuracy)
    return Found(polished, history, (Choice(0.0, polished, accuracy, None),))


def polish(network: Network, shards: Shards, problem: Problem) -> tuple[Network, int]:
    """The network after the changes that pay, and its errors on all rows."""
    price = shards.total_weight / shards.n_rows * max(1.0, (shards.n_rows / ROWS_OF_PRICE) ** 0.5)
    (n_wrong,) = errors(shards, [network])
    for _ in range(MAX_CHANGES):
        candidates = [*_changes(network, shards, problem, price), *_without_units(network)]
        if not candidates:
            break
        judged = errors(shards, candidates)
        costs = [n + price * candidate.size for n, candidate in zip(judged, candidates, strict=True)]
        best = int(np.argmin(costs))
        if costs[best] >= n_wrong + price * network.size:
            break
        network, n_wrong = candidates[best], judged[best]
    return network, n_wrong


def _changes(network: Network, shards: Shards, problem: Problem, price: float) -> Iterator[Network]:
    """The networks after the flips and the changes of needs that win most."""
    flips, needs = gains(shards, network)
    flat = network.flat()
    won = flips - price * np.where(flat.weights, -1, 1)
    for weight in np.argsort(-won, kind="stable")[:N_PROPOSED].tolist():
        if won[weight] > 0:
            changed = network.flat()
            kernels.flip(changed, problem.relations.exclusive, weight)
            yield Network.from_flat(changed)
    for place in np.argsort(-needs.ravel(), kind="stable")[:N_PROPOSED].tolist():
        unit, change = divmod(place, 2)
        if needs[unit, change] > 0 and flat.needs[unit] + 2 * change - 1 >= 1:
            moved = flat.needs.copy()
            moved[unit] += 2 * change - 1
            yield Network.from_flat(flat._replace(needs=moved))


def _without_units(network: Network) -> Iterator[Network]:
    """The network without each of its live hidden units that others read."""
    for layer, live in enumerate(network.live[:-1]):
        for unit in np.flatnonzero(live).tolist():
            weights = [w.copy() for w in network.weights]
            weights[layer + 1][:, unit] = False
            yield Network(weights, network.first_gate, network.needs)
