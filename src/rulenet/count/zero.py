"""Where margins begin: only differences between classes decide, so what all of them need may be moved alike."""

import numpy as np

from rulenet.network import Network
from rulenet.search.problem import Problem


def place_zero(network: Network, problem: Problem) -> Network:
    """The network whose classes all need so much more, or less, that firing tells as much as it can.

    In as many rows as possible the right class reaches its need and no other one does; every class needs at least one
    point. Decisions, and the differences between margins, stay what they are. One output has its place already.

    >>> from rulenet import bits
    >>> from rulenet.relations import Relations
    >>> literals = bits.pack(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=bool))
    >>> rows = Problem.of_classes(literals, np.arange(3), 3, Relations.of([0, 0, 0], [0, 0, 0]))
    >>> place_zero(Network([np.eye(3), np.eye(3)], "and", [[1, 1, 1], [5, 5, 5]]), rows).needs[-1].tolist()
    [1, 1, 1]
    """
    if network.n_outputs == 1:
        return network
    margins, i = network.margins(problem.literals, problem.n_rows), np.arange(problem.n_rows)
    own = margins[i, problem.codes]
    margins[i, problem.codes] = np.iinfo(np.int64).min
    others = margins.max(axis=1)
    lowest = 1 - int(network.needs[-1].min())
    right = own > others
    if not right.any():
        return network
    # A row is told right by every zero above the others' largest margin, up to its own.
    highest = max(lowest, int(own[right].max()))
    changes = np.zeros(highest - lowest + 2, dtype=np.int64)
    weights = problem.weights[right]
    np.add.at(changes, np.maximum(others[right] + 1, lowest) - lowest, weights)
    np.add.at(changes, np.maximum(own[right] + 1, lowest) - lowest, -weights)
    told = np.cumsum(changes)[:-1]
    best = np.flatnonzero(told == told.max()) + lowest
    moved = int(best[np.abs(best).argmin()])
    return Network(network.weights, network.first_gate, [*network.needs[:-1], network.needs[-1] + moved])
