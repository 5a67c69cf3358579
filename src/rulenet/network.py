"""A frozen network of alternating AND and OR layers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulenet import bits, kernels
from rulenet.exceptions import NetworkError

Gate = Literal["and", "or"]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Alternating AND and OR layers over Boolean literals, ending in one output unit.

    An AND with no inputs is true; an OR with no inputs is false. Nothing is negated inside a network, so
    it is monotone in every unit.

    Parameters
    ----------
    weights : sequence of Boolean arrays of shape (n_units, n_inputs)
        One array a layer, the output layer (a single unit) last: ``weights[i][k, j]`` says whether unit k
        of layer i reads its input j. Layer 0 reads the literals. The arrays are copied and frozen.
    first_gate : {"and", "or"}
        The gate of layer 0; gates alternate from there.

    Examples
    --------
    >>> exclusive_or = Network([[[1, 0, 0, 1], [0, 1, 1, 0]], [[1, 1]]])     # literals: a, not a, b, not b
    >>> exclusive_or.hidden_layer_sizes, exclusive_or.n_edges
    ((2,), 6)
    >>> exclusive_or.predict([[1, 0, 1, 0], [1, 0, 0, 1]])
    array([False,  True])
    """

    weights: tuple[NDArray[np.bool_], ...]
    first_gate: Gate = "and"

    def __init__(self, weights: Sequence[ArrayLike], first_gate: Gate = "and") -> None:
        object.__setattr__(self, "weights", tuple(_frozen(w, i) for i, w in enumerate(weights)))
        object.__setattr__(self, "first_gate", first_gate)
        self._check()

    def _check(self) -> None:
        if self.first_gate not in ("and", "or"):
            raise NetworkError(f"first_gate is {self.first_gate!r}, but a gate is 'and' or 'or'")
        if not self.weights:
            raise NetworkError("a network needs at least one layer, the output, but no weights were given")
        for i, (below, above) in enumerate(pairwise(self.weights)):
            if len(below) != above.shape[1]:
                raise NetworkError(f"layer {i} has {len(below)} units but layer {i + 1} reads {above.shape[1]}")
        if len(self.weights[-1]) != 1:
            raise NetworkError(f"the output layer has {len(self.weights[-1])} units but must have one")

    @property
    def n_literals(self) -> int:
        """How many literals the first layer reads."""
        return int(self.weights[0].shape[1])

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
    def reads(self) -> NDArray[np.bool_]:
        """For every literal, whether a path leads from it to the output."""
        live: NDArray[np.bool_] = np.ones(1, dtype=np.bool_)
        for weights in reversed(self.weights):
            live = np.asarray(weights[live].any(axis=0))
        return live

    def activations(self, literals: bits.Words) -> Iterator[bits.Words]:
        """The packed activations of layer after layer, from packed ``literals`` (n_literals, n_words)."""
        self._check_width(literals.shape[0])
        below = literals
        for weights, gate in zip(self.weights, self.gates, strict=True):
            below = kernels.evaluate_layer(weights, below, gate == "and")
            yield below

    def evaluate(self, literals: bits.Words) -> bits.Words:
        """The packed output, from packed ``literals`` (n_literals, n_words); spare bits have no meaning."""
        self._check_width(literals.shape[0])
        output: bits.Words = kernels.evaluate(self.flat(), np.ascontiguousarray(literals))
        return output

    def flat(self) -> kernels.Flat:
        """The network as the compiled loops take it; the weights are a copy."""
        weights = np.concatenate([w.ravel() for w in self.weights]).astype(np.uint8)
        sizes = np.array([self.n_literals, *(len(w) for w in self.weights)], dtype=np.int64)
        return kernels.Flat(weights, sizes, self.first_gate == "and")

    @classmethod
    def from_flat(cls, flat: kernels.Flat) -> Self:
        """The network of compiled form ``flat``."""
        ends = np.cumsum(flat.sizes[1:] * flat.sizes[:-1])
        layers = np.split(flat.weights.astype(np.bool_), ends[:-1])
        shapes = zip(flat.sizes[1:], flat.sizes[:-1], strict=True)
        gate: Gate = "and" if flat.first_and else "or"
        return cls([w.reshape(shape) for w, shape in zip(layers, shapes, strict=True)], gate)

    def predict(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """The output for ``rows`` of literals, a Boolean array of shape (n_rows, n_literals)."""
        values = np.asarray(rows, dtype=np.bool_)
        if values.ndim != 2:
            raise NetworkError(f"rows have {values.ndim} dimensions but must have 2")
        return bits.unpack(self.evaluate(bits.pack(np.ascontiguousarray(values.T))), len(values))

    def _check_width(self, n_literals: int) -> None:
        if n_literals != self.n_literals:
            raise NetworkError(f"the network reads {self.n_literals} literals but was given {n_literals}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.first_gate == other.first_gate
            and len(self.weights) == len(other.weights)
            and all(np.array_equal(a, b) for a, b in zip(self.weights, other.weights, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.first_gate, *(w.tobytes() for w in self.weights)))

    def __repr__(self) -> str:
        shape = " -> ".join(map(str, (self.n_literals, *self.hidden_layer_sizes)))
        return f"Network({shape}, {self.first_gate!r} first, {self.n_edges} edges)"

    def __getstate__(self) -> dict[str, object]:
        return {"weights": self.weights, "first_gate": self.first_gate}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc, arg-type]


def _frozen(weights: ArrayLike, layer: int) -> NDArray[np.bool_]:
    array = np.array(weights)
    if array.ndim != 2:
        raise NetworkError(f"the weights of layer {layer} have {array.ndim} dimensions but must have 2: units, inputs")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise NetworkError(f"the weights of layer {layer} hold other values than true and false")
    if 0 in array.shape:
        raise NetworkError(f"layer {layer} has shape {array.shape} but must have at least one unit and one input")
    frozen = np.ascontiguousarray(array, dtype=np.bool_)
    frozen.setflags(write=False)
    return frozen
