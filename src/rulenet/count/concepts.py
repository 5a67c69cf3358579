"""Concepts: units of literals that units above them read like literals, so that networks that count become deep.

A problem gets a literal for every concept, and one for its opposite where there is such a unit; walks need not know
that there is anything below. What they find is stacked on the concepts that it reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet.count.scoring import Unit, opposite_unit
from rulenet.network import Network
from rulenet.relations import Relations
from rulenet.search.problem import Problem, Source


@dataclass(frozen=True)
class Concepts:
    """Units of ``n_literals`` literals; ``owners`` says which stand for the same concept, or for its opposite."""

    units: tuple[Unit, ...]
    owners: tuple[int, ...]
    n_literals: int

    @classmethod
    def of(cls, units: Iterable[Unit], opposite: NDArray[np.int64]) -> Self:
        """The concepts of these units, each followed by its opposite where all its literals have one.

        >>> Concepts.of([((0, 2), 2), ((0, 4), 2)], np.array([1, 0, 3, 2, -1])).units
        (((0, 2), 2), ((1, 3), 1), ((0, 4), 2))
        """
        places = dict[Unit, int]()
        for number, (inputs, need) in enumerate(units):
            if (inputs, need) in places:
                continue
            places[inputs, need] = number
            if all(opposite[j] >= 0 for j in inputs):
                turned, turned_need = opposite_unit(inputs, need, opposite)
                places.setdefault((tuple(sorted(turned)), turned_need), number)
        numbers = {number: i for i, number in enumerate(dict.fromkeys(places.values()))}
        return cls(tuple(places), tuple(numbers[number] for number in places.values()), len(opposite))

    @cached_property
    def layer(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Weights and needs of a layer of OR units that pass on the literals, then of the concepts."""
        weights = np.vstack([np.eye(self.n_literals, dtype=np.bool_), *map(self._row, self.units)])
        needs = [len(inputs) - need + 1 for inputs, need in self.units]
        return weights, np.array([*[1] * self.n_literals, *needs], dtype=np.int64)

    def _row(self, unit: Unit) -> NDArray[np.bool_]:
        row = np.zeros((1, self.n_literals), dtype=np.bool_)
        row[0, list(unit[0])] = True
        return row

    def extend(self, problem: Problem) -> Problem:
        """The problem with a literal for every unit, after its own."""
        weights, needs = self.layer
        n = self.n_literals
        networks = tuple(Network([weights[j : j + 1]], "or", [needs[j : j + 1]]) for j in range(n, len(weights)))
        literals, relations = problem.literals, problem.relations
        below = problem.source
        source = Source(
            literals if below is None else below.literals,
            relations if below is None else below.relations,
            np.arange(n),
            networks,
            below,
        )
        derived = np.vstack([literals, *(network.evaluate(literals)[np.newaxis] for network in networks)])
        return replace(problem, literals=derived, relations=self._relations(relations), source=source)

    def _relations(self, known: Relations) -> Relations:
        """Those of the literals; every concept is an attribute of its own."""
        n_attributes, none = len(known.starts) - 1, [-1] * len(self.units)
        return Relations.of(
            [*known.owner.tolist(), *(n_attributes + owner for owner in self.owners)],
            *([*array.tolist(), *none] for array in (known.exclusive, known.down, known.up)),
        )

    def stack(self, network: Network) -> Network:
        """A network over literals and concepts as one over the literals; one that reads no concept loses their places.

        >>> concepts = Concepts.of([((0, 1), 2)], np.array([-1, -1, -1]))                    # 0 or 1
        >>> concepts.stack(Network([[[0, 0, 1, 1]], [[1]]]))                                 # (0 or 1) and 2
        Network(3 -> 2 -> 1, 'or' first, size 5)
        """
        first, *above = network.weights
        if not network.reads[self.n_literals :].any():
            return Network([first[:, : self.n_literals], *above], network.first_gate, network.needs)
        read = np.flatnonzero(network.reads)
        weights, needs = self.layer
        return Network([weights[read], first[:, read], *above], "or", [needs[read], *network.needs])


def concepts_in(network: Network) -> tuple[Sequence[Unit], Network] | None:
    """The units of literals below a network of three layers, and the network that reads them; None for other ones.

    The network that is left reads the literals, then those units.
    """
    if len(network.weights) != 3 or network.first_gate != "or":
        return None
    below, middle, top = network.weights
    n_literals, units, places = network.n_literals, list[Unit](), list[int]()
    for row, need in zip(below, network.needs[0].tolist(), strict=True):
        inputs = tuple(np.flatnonzero(row).tolist())
        if len(inputs) != 1 or need > 1:
            unit = inputs, len(inputs) - need + 1
            places.append(n_literals + (units.index(unit) if unit in units else len(units)))
            units += [unit] if unit not in units else []
        else:
            places.append(inputs[0])
    first = np.zeros((len(middle), n_literals + len(units)), dtype=np.int64)
    np.add.at(first.T, places, middle.T.astype(np.int64))
    if (first > 1).any() or any(not 1 <= need <= len(inputs) for inputs, need in units):
        return None
    return units, Network([first, top], "and", network.needs[1:])
