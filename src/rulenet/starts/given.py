"""A network of the user's own as a start."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulenet.conditions import Condition
from rulenet.exceptions import ParameterError
from rulenet.network import Gate, Network
from rulenet.search.problem import Problem
from rulenet.search.protocol import Shapes, Start


class GivenInit:
    """The same network for every seed.

    Where a problem is derived from another one, the network may read the literals of either: edges from literals that
    are gone are dropped, and nothing reads what is new.
    """

    def __init__(self, network: Network) -> None:
        self.network = network

    def start_for(
        self, problem: Problem, conditions: Sequence[Condition], shapes: Shapes, gates: Sequence[Gate]
    ) -> Start:
        """The network, whatever the shapes and gates."""
        network, n_literals = self.network, len(problem.literals)
        source = problem.source
        if network.n_literals != n_literals and source is not None and network.n_literals == len(source.literals):
            new = np.zeros((len(network.weights[0]), len(source.networks)), dtype=np.bool_)
            first = np.hstack([network.weights[0][:, source.kept], new])
            network = Network([first, *network.weights[1:]], network.first_gate, network.needs)
        if network.n_literals != n_literals:
            raise ParameterError(f"init reads {network.n_literals} literals but the table has {n_literals}")
        return GivenStart(network)


@dataclass(frozen=True)
class GivenStart(Start):
    """A network that somebody gave."""

    network: Network

    def __call__(self, seed: int) -> Network:
        """The network, for every seed."""
        return self.network

    def counting(self, seed: int) -> Network:
        """The same."""
        return self.network
