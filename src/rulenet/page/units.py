"""A network as the page shows it: units that do something, each once, with the margins of the outputs kept."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from rulenet.conditions import Condition
from rulenet.network import Gate, Network

#: A condition by its number, or a unit k as ``~k``.
Ref: TypeAlias = int
Inputs: TypeAlias = tuple[tuple[Ref, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A gate over conditions and units, each with how often it counts."""

    gate: Gate
    need: int
    inputs: Inputs


@dataclass
class Units:
    """The units of networks over one list of conditions, which grows where conditions on one attribute are joined."""

    conditions: list[Condition]
    units: list[Unit] = field(default_factory=list)
    _places: dict[Unit, int] = field(default_factory=dict)
    _conditions: dict[Condition, int] = field(default_factory=dict)

    @classmethod
    def over(cls, conditions: Sequence[Condition]) -> "Units":
        """No units yet."""
        new = cls(list(conditions))
        for j, condition in enumerate(conditions):
            new._conditions.setdefault(condition, j)
        return new

    def add(self, network: Network) -> tuple[int, ...]:
        """The numbers of the outputs of ``network``; units that are there already are not added again.

        Dead units are gone, those with one input are passed through, constants are folded. An output is never changed
        but for its inputs, each of which counts as often as before: its margin stays what it was.
        """
        below: list[Ref | bool] = list(range(network.n_literals))
        layers = zip(network.weights, network.needs, network.gates, network.live, strict=True)
        for depth, (weights, needs, gate, live) in enumerate(layers):
            hidden = depth < len(network.weights) - 1
            inputs = [
                [below[j] for j in np.flatnonzero(unit)] if lives else []
                for unit, lives in zip(weights, live, strict=True)
            ]
            if not hidden:
                return tuple(self._output(gate, int(n), x) for n, x in zip(needs, inputs, strict=True))
            below = [self._hidden(gate, int(n), x) for n, x in zip(needs, inputs, strict=True)]
        raise AssertionError("a network has an output")

    def _output(self, gate: Gate, need: int, parts: list[Ref | bool]) -> int:
        refs = [self._constant(p) if isinstance(p, bool) else p for p in parts if p is not (gate == "and")]
        self.units.append(Unit(gate, need, _counted(refs)))
        return len(self.units) - 1

    def _hidden(self, gate: Gate, need: int, parts: list[Ref | bool]) -> Ref | bool:
        spent = gate == "or"  # what counts towards the need of an OR is true, of an AND false
        refs = [p for p in parts if not isinstance(p, bool)]
        need -= sum(p is spent for p in parts)
        if need <= 0 or need > len(refs):
            return spent if need <= 0 else not spent
        if need == 1:
            joined = self._joined(gate, dict.fromkeys(refs))
            if isinstance(joined, bool):
                return joined
            refs = joined
        if len(refs) == 1:
            return refs[0]
        return ~self._place(Unit(gate, need, _counted(refs)))

    def _joined(self, gate: Gate, refs: Sequence[Ref] | dict[Ref, None]) -> list[Ref] | bool:
        """The inputs with the conditions on each attribute as one."""
        found: dict[object, Ref] = {}
        for ref in refs:
            if ref < 0:
                found[ref] = ref
                continue
            condition = self.conditions[ref]
            key = condition.attribute
            if key in found:
                other = self.conditions[found[key]]
                condition = other & condition if gate == "and" else other | condition
            if not condition.cells:
                return False
            found[key] = self._condition(condition)
        return list(found.values())

    def _condition(self, condition: Condition) -> int:
        if condition not in self._conditions:
            self._conditions[condition] = len(self.conditions)
            self.conditions.append(condition)
        return self._conditions[condition]

    def _constant(self, value: bool) -> Ref:
        return ~self._place(Unit("and" if value else "or", 1, ()))

    def _place(self, unit: Unit) -> int:
        if unit not in self._places:
            self._places[unit] = len(self.units)
            self.units.append(unit)
        return self._places[unit]


def _counted(refs: Sequence[Ref]) -> Inputs:
    return tuple(sorted(Counter(refs).items(), key=lambda x: (x[0] < 0, x[0] if x[0] >= 0 else ~x[0])))
