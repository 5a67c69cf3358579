"""A network that was found on a sample, polished and pruned on all rows.

The exact gains of all flips and of all changed needs are summed over all rows, and so are the errors of the networks
with a unit less. The best changes are taken, one after the other, until none pays for its size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rulenet import kernels
from rulenet.network import Network
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found
from rulenet.shards.shards import Shards, errors, gains

# Changes that are taken at the most, candidates of a kind that a sweep over all rows proposes, and of all candidates
# those that are taken after one sweep, if they still pay after one another: to judge one takes a hundredth of a sweep.
MAX_CHANGES = 16
N_PROPOSED = 8
N_TOGETHER = 8
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
    n_left = MAX_CHANGES
    while n_left > 0:
        changes = [*_changes(network, shards, problem, price, n_wrong)]
        judged = _judge(changes, network, shards)
        alone = [n + price * change.apply(network).size for n, change in zip(judged, changes, strict=True)]
        start, n_taken = n_wrong + price * network.size, 0
        for i in np.argsort(alone, kind="stable")[:N_TOGETHER].tolist():
            if alone[i] >= start:
                break
            candidate = changes[i].apply(network)
            (n_after,) = errors(shards, [candidate]) if n_taken else [judged[i]]
            if n_after + price * candidate.size < n_wrong + price * network.size:
                network, n_wrong, n_taken = candidate, n_after, n_taken + 1
        if not n_taken:
            break
        n_left -= n_taken
    return network, n_wrong


@dataclass(frozen=True)
class Change:
    """A change of a network, and the errors after it where they are known."""

    apply: Callable[[Network], Network]
    n_wrong: int | None = None


def _judge(changes: Sequence[Change], network: Network, shards: Shards) -> list[int]:
    """The errors after every change: those that are not known yet are counted."""
    unknown = [change.apply(network) for change in changes if change.n_wrong is None]
    counted = iter(errors(shards, unknown) if unknown else ())
    return [next(counted) if change.n_wrong is None else change.n_wrong for change in changes]


def _changes(network: Network, shards: Shards, problem: Problem, price: float, n_wrong: int) -> Iterator[Change]:
    """The flips and the changes of needs that win most, and that every unit goes.

    The gain of a change tells the errors after it, unless several outputs decide together.
    """
    flips, needs = gains(shards, network)
    flat, exact = network.flat(), problem.n_classes == 2

    def after(gain: np.int64) -> int | None:
        return n_wrong - int(gain) if exact else None

    won = flips - price * np.where(flat.weights, -1, 1)
    for weight in np.argsort(-won, kind="stable")[:N_PROPOSED].tolist():
        if won[weight] > 0:
            yield Change(partial(_flipped, problem.relations.exclusive, weight), after(flips[weight]))
    for place in np.argsort(-needs.ravel(), kind="stable")[:N_PROPOSED].tolist():
        unit, change = divmod(place, 2)
        if needs[unit, change] > 0 and flat.needs[unit] + 2 * change - 1 >= 1:
            yield Change(partial(_moved, unit, 2 * change - 1), after(needs[unit, change]))
    for layer, live in enumerate(network.live[:-1]):
        for unit in np.flatnonzero(live).tolist():
            weight = _only_edge(network, layer, unit)
            yield Change(partial(_without, layer, unit), None if weight is None else after(flips[weight]))


def _flipped(exclusive: NDArray[np.int64], weight: int, network: Network) -> Network:
    changed = network.flat()
    kernels.flip(changed, exclusive, weight)
    return Network.from_flat(changed)


def _moved(unit: int, step: int, network: Network) -> Network:
    flat = network.flat()
    needs = flat.needs.copy()
    needs[unit] = max(1, needs[unit] + step)
    return Network.from_flat(flat._replace(needs=needs))


def _without(layer: int, unit: int, network: Network) -> Network:
    weights = [w.copy() for w in network.weights]
    weights[layer + 1][:, unit] = False
    return Network(weights, network.first_gate, network.needs)


def _only_edge(network: Network, layer: int, unit: int) -> int | None:
    """The number of the weight by which a unit is read, where it is read once: without it, it is gone."""
    readers: list[int] = np.flatnonzero(network.weights[layer + 1][:, unit]).tolist()
    if len(readers) != 1:
        return None
    start: int = sum(w.size for w in network.weights[: layer + 1])
    n_inputs: int = network.weights[layer + 1].shape[1]
    return start + readers[0] * n_inputs + unit
