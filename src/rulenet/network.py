"""A frozen network of alternating AND and OR layers, whose units may count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulenet import bits
from rulenet.exceptions import NetworkError
from rulenet.later import Later

if TYPE_CHECKING:
    from rulenet import kernels
else:
    kernels = Later("rulenet.kernels")

Gate = Literal["and", "or"]

MAX_NEED = 2**62  # so that counts less needs are integers still


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Alternating AND and OR layers over Boolean literals; the units of the last layer are the outputs.

    An OR unit holds where at least ``need`` of its inputs hold, an AND unit fails where at least ``need`` of its inputs
    fail. With a need of 1 these are any of and all of: an AND with no inputs is true, an OR with no inputs is false. A
    need beyond the number of inputs is never met: such an OR never holds, such an AND always does. Nothing is negated
    inside a network, so it is monotone in every unit.

    Parameters
    ----------
    weights : sequence of Boolean arrays of shape (n_units, n_inputs)
        One array a layer, the outputs last: ``weights[i][k, j]`` says whether unit k of layer i reads its input j.
        Layer 0 reads the literals. The arrays are copied and frozen.
    first_gate : {"and", "or"}
        The gate of layer 0; gates alternate from there.
    needs : sequence of integer arrays of shape (n_units,), optional
        One array a layer: the need of every unit, at least 1. By default all are 1. Copied and frozen as well.

    Examples
    --------
    >>> exclusive_or = Network([[[1, 0, 0, 1], [0, 1, 1, 0]], [[1, 1]]])     # literals: a, not a, b, not b
    >>> exclusive_or.hidden_layer_sizes, exclusive_or.n_edges
    ((2,), 6)
    >>> exclusive_or.predict([[1, 0, 1, 0], [1, 0, 0, 1]])
    array([False,  True])
    >>> two_of_three = Network([[[1, 1, 1]]], "or", needs=[[2]])
    >>> two_of_three.predict([[1, 0, 1], [0, 0, 1]])
    array([ True, False])
    """

    weights: tuple[NDArray[np.bool_], ...]
    first_gate: Gate = "and"
    needs: tuple[NDArray[np.int64], ...] = ()

    def __init__(
        self, weights: Sequence[ArrayLike], first_gate: Gate = "and", needs: Sequence[ArrayLike] | None = None
    ) -> None:
        frozen = tuple(_frozen(w, i) for i, w in enumerate(weights))
        object.__setattr__(self, "weights", frozen)
        object.__setattr__(self, "first_gate", first_gate)
        object.__setattr__(self, "needs", _frozen_needs(needs, frozen))
        self._check()

    def _check(self) -> None:
        if self.first_gate not in ("and", "or"):
            raise NetworkError(f"first_gate is {self.first_gate!r}, but a gate is 'and' or 'or'")
        if not self.weights:
            raise NetworkError("a network needs at least one layer, the output, but no weights were given")
        for i, (below, above) in enumerate(pairwise(self.weights)):
            if len(below) != above.shape[1]:
                raise NetworkError(f"layer {i} has {len(below)} units but layer {i + 1} reads {above.shape[1]}")

    @property
    def n_literals(self) -> int:
        """How many literals the first layer reads."""
        return int(self.weights[0].shape[1])

    @property
    def n_outputs(self) -> int:
        """How many units the last layer has."""
        return len(self.weights[-1])

    @property
    def hidden_layer_sizes(self) -> tuple[int, ...]:
        """The number of units of every hidden layer."""
        return tuple(len(w) for w in self.weights[:-1])

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gate of every layer, the output included."""
        other: Gate = "or" if self.first_gate == "and" else "and"
        return tuple((self.first_gate, other)[i % 2] for i in range(len(self.weights)))

    @property
    def n_edges(self) -> int:
        """How many weights are set."""
        return sum(int(w.sum()) for w in self.weights)

    @property
    def is_counting(self) -> bool:
        """Whether any unit has a need above 1."""
        return any(bool((needs > 1).any()) for needs in self.needs)

    @property
    def live(self) -> tuple[NDArray[np.bool_], ...]:
        """For every unit of every layer, whether a path leads from it to an output."""
        layers: list[NDArray[np.bool_]] = [np.ones(self.n_outputs, dtype=np.bool_)]
        for weights in reversed(self.weights[1:]):
            layers.append(np.asarray(weights[layers[-1]].any(axis=0)))
        return tuple(reversed(layers))

    @property
    def reads(self) -> NDArray[np.bool_]:
        """For every literal, whether a path leads from it to an output."""
        return np.asarray(self.weights[0][self.live[0]].any(axis=0))

    @property
    def size(self) -> int:
        """The size of the network: what searches price, choices are compared by and pages print.

        That is the number of edges into live units that join two or more inputs, plus one for every live unit with a
        need above 1, plus one for every output with a single input. A unit is live if a path leads from it to an
        output. A unit with one input only passes it on and costs nothing; a single condition has size 1. Hidden units
        that say the same, as they stand there to give more points, count once.

        >>> Network([[[1, 1, 0], [0, 0, 1]], [[1, 1]]]).size                 # (a and b) or c
        4
        >>> Network([[[1, 1, 1]]], "or", needs=[[2]]).size                   # at least 2 of a, b, c
        4
        """
        *hidden, last = zip(self.live, self.weights, self.needs, strict=True)
        inside = sum(_size_of_layer(w[live], n[live]) for live, w, n in hidden)
        _, outputs, needs = last
        return inside + int(outputs.sum()) + int((needs > 1).sum())

    def activations(self, literals: bits.Words) -> Iterator[bits.Words]:
        """The packed activations of layer after layer, from packed ``literals`` (n_literals, n_words)."""
        self._check_literals(literals)
        below = literals
        for weights, gate, needs in zip(self.weights, self.gates, self.needs, strict=True):
            below = kernels.evaluate_layer(weights, below, gate == "and", needs)
            yield below

    def evaluate(self, literals: bits.Words) -> bits.Words:
        """The packed output (n_words,), from packed ``literals`` (n_literals, n_words); spare bits have no meaning."""
        if self.n_outputs > 1:
            raise NetworkError(f"the network has {self.n_outputs} outputs, of which evaluate_all tells, but not one")
        output: bits.Words = self.evaluate_all(literals)[0]
        return output

    def evaluate_all(self, literals: bits.Words) -> bits.Words:
        """The packed outputs (n_outputs, n_words), from packed ``literals`` (n_literals, n_words)."""
        self._check_literals(literals)
        outputs: bits.Words = kernels.evaluate(self.flat(), np.ascontiguousarray(literals))
        return outputs

    def margins(self, literals: bits.Words, n_rows: int) -> NDArray[np.int64]:
        """By how much every output of ``n_rows`` packed rows holds, or does not: (n_rows, n_outputs).

        An OR output with a margin of m >= 0 has m inputs more than it needs, an AND output holds though m inputs less
        would do. An output does not hold where its margin is negative: -1 where it lacks one input.

        >>> literals = bits.pack(np.array([[1, 0, 0, 1], [1, 1, 0, 0], [1, 0, 0, 0]], dtype=bool))
        >>> Network([[[1, 1, 1]]], "or").margins(literals, 4).ravel()
        array([ 2,  0, -1,  0])
        """
        self._check_literals(literals)
        if bits.n_words(n_rows) != literals.shape[1]:
            raise NetworkError(f"{n_rows} rows take {bits.n_words(n_rows)} words but {literals.shape[1]} were given")
        found: NDArray[np.int64] = kernels.margins(self.flat(), np.ascontiguousarray(literals), n_rows)
        return found

    def flat(self) -> kernels.Flat:
        """The network as the compiled loops take it; the weights are a copy."""
        weights = np.concatenate([w.ravel() for w in self.weights]).astype(np.uint8)
        sizes = np.array([self.n_literals, *(len(w) for w in self.weights)], dtype=np.int64)
        return kernels.Flat(weights, sizes, self.first_gate == "and", np.concatenate(self.needs))

    @classmethod
    def from_flat(cls, flat: kernels.Flat) -> Self:
        """The network of compiled form ``flat``."""
        gate: Gate = "and" if flat.first_and else "or"
        weights, needs, weight, unit = [], [], 0, 0
        for n_inputs, n_units in pairwise(flat.sizes.tolist()):
            weights.append(flat.weights[weight : weight + n_units * n_inputs].reshape(n_units, n_inputs) != 0)
            needs.append(flat.needs[unit : unit + n_units])
            weight, unit = weight + n_units * n_inputs, unit + n_units
        return cls(weights, gate, needs)

    def predict(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """The output for ``rows`` of literals, a Boolean array of shape (n_rows, n_literals).

        The shape is (n_rows,) for a single output and (n_rows, n_outputs) for several.
        """
        values = np.asarray(rows, dtype=np.bool_)
        if values.ndim != 2:
            raise NetworkError(f"rows have {values.ndim} dimensions but must have 2")
        outputs = bits.unpack(self.evaluate_all(bits.pack(np.ascontiguousarray(values.T))), len(values))
        return outputs[0] if self.n_outputs == 1 else outputs.T

    def _check_literals(self, literals: bits.Words) -> None:
        if literals.ndim != 2 or literals.dtype != np.uint64:
            found = f"{literals.dtype} of {literals.ndim} dimensions"
            raise NetworkError(f"packed literals are uint64 of 2 dimensions, but {found} was given: see bits.pack")
        if len(literals) != self.n_literals:
            raise NetworkError(f"the network reads {self.n_literals} literals but was given {len(literals)}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.first_gate == other.first_gate
            and len(self.weights) == len(other.weights)
            and all(np.array_equal(a, b) for a, b in zip(self.weights, other.weights, strict=True))
            and all(np.array_equal(a, b) for a, b in zip(self.needs, other.needs, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.first_gate, *(a.tobytes() for a in (*self.weights, *self.needs))))

    def __repr__(self) -> str:
        shape = " -> ".join(map(str, (self.n_literals, *self.hidden_layer_sizes)))
        n_counting = sum(int((needs > 1).sum()) for needs in self.needs)
        outputs = f", {self.n_outputs} outputs" if self.n_outputs > 1 else ""
        counting = f", {n_counting} counting" if n_counting else ""
        return f"Network({shape}, {self.first_gate!r} first, size {self.size}{counting}{outputs})"

    def __getstate__(self) -> dict[str, object]:
        return {"weights": self.weights, "first_gate": self.first_gate, "needs": self.needs}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc, arg-type]


def _size_of_layer(weights: NDArray[np.bool_], needs: NDArray[np.int64]) -> int:
    """The size of the different units of a layer: edges into those that join inputs, and one for a need above 1."""
    different = {(unit.tobytes(), need): int(unit.sum()) for unit, need in zip(weights, needs.tolist(), strict=True)}
    return sum((n if n > 1 else 0) + (need > 1) for (_, need), n in different.items())


def _frozen(weights: ArrayLike, layer: int) -> NDArray[np.bool_]:
    array = np.array(weights)
    if array.ndim != 2:
        raise NetworkError(f"the weights of layer {layer} have {array.ndim} dimensions but must have 2: units, inputs")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise NetworkError(f"the weights of layer {layer} hold other values than true and false")
    if 0 in array.shape:
        raise NetworkError(f"layer {layer} has shape {array.shape} but must have at least one unit and one input")
    return _unchanging(np.ascontiguousarray(array, dtype=np.bool_))


def _frozen_needs(
    needs: Sequence[ArrayLike] | None, weights: tuple[NDArray[np.bool_], ...]
) -> tuple[NDArray[np.int64], ...]:
    if needs is None:
        return tuple(_unchanging(np.ones(len(w), dtype=np.int64)) for w in weights)
    if len(needs) != len(weights):
        raise NetworkError(f"there are needs of {len(needs)} layers but weights of {len(weights)}")
    return tuple(_frozen_layer_needs(n, len(w), i) for i, (n, w) in enumerate(zip(needs, weights, strict=True)))


def _frozen_layer_needs(needs: ArrayLike, n_units: int, layer: int) -> NDArray[np.int64]:
    array = np.array(needs)
    if array.shape != (n_units,):
        raise NetworkError(f"the needs of layer {layer} have shape {array.shape} but it has {n_units} units")
    if array.dtype.kind not in "iu" or (array.size and not 1 <= array.min() <= array.max() <= MAX_NEED):
        raise NetworkError(f"the needs of layer {layer} are {array.tolist()} but must be whole numbers from 1 on")
    return _unchanging(np.ascontiguousarray(array, dtype=np.int64))


def _unchanging(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
