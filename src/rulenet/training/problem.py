"""What a search sees: packed rows with integer weights, and which literals are siblings."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits, kernels
from rulenet.exceptions import TableError
from rulenet.network import Network

MAX_WEIGHT_BITS = 16
MAX_LEVELS = 32  # different weights of which a common unit is looked for


@dataclass(frozen=True)
class Problem:
    """Rows to learn from: ``literals`` (n_literals, n_words), the ``target``, and bit-sliced integer row weights.

    ``groups`` numbers the sibling groups of the literals as `rulenet.literals.sibling_groups` does.
    """

    literals: bits.Words
    target: bits.Words
    planes: bits.Words
    groups: NDArray[np.int64]
    n_rows: int

    @classmethod
    def of(
        cls,
        literals: bits.Words,
        positive: NDArray[np.bool_],
        groups: NDArray[np.int64],
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """A problem from packed literals, a Boolean label per row and, if any, real row weights."""
        n_rows = len(positive)
        if sample_weight is None:
            planes = bits.mask(n_rows)[np.newaxis]
        else:
            planes = slice_weights(quantise_weights(sample_weight))
        # A writable copy: read-only arrays are another type to the compiler, and would be compiled for anew.
        return cls(literals, bits.pack(positive), planes, np.array(groups, dtype=np.int64), n_rows)

    @cached_property
    def rows(self) -> kernels.Rows:
        """The rows as the compiled loops take them."""
        return kernels.Rows(self.literals, self.target, self.planes)

    @cached_property
    def total_weight(self) -> int:
        """The sum of all row weights."""
        return int(sum(int(np.bitwise_count(plane).sum()) << b for b, plane in enumerate(self.planes)))

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of every row."""
        planes = bits.unpack(self.planes, self.n_rows).astype(np.int64)
        return np.asarray((planes << np.arange(len(planes))[:, np.newaxis]).sum(axis=0))

    def errors(self, network: Network | kernels.Flat) -> int:
        """The total weight of the rows that ``network`` gets wrong."""
        flat = network.flat() if isinstance(network, Network) else network
        return int(kernels.count_errors(kernels.evaluate(flat, self.literals), self.target, self.planes))

    def accuracy(self, network: Network | kernels.Flat) -> float:
        """The share of the total weight that ``network`` gets right."""
        return 1 - self.errors(network) / self.total_weight

    def predicts_one_class(self, network: Network | kernels.Flat) -> bool:
        """Whether ``network`` gives the same output for all rows."""
        flat = network.flat() if isinstance(network, Network) else network
        output = kernels.evaluate(flat, self.literals) & bits.mask(self.n_rows)
        return int(np.bitwise_count(output).sum()) in (0, self.n_rows)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The problem of the given ``rows``, in their order."""
        taken = kernels.take(self.rows, rows)
        return type(self)(taken.literals, taken.target, taken.planes, self.groups, len(rows))


def quantise_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers in the proportions of ``weights``, of at most 16 bits.

    Integers below 65536 keep their proportions exactly. So do up to 32 different weights that are multiples of a common
    unit, the largest being at most 65535 units (``class_weight="balanced"`` where the larger class has fewer than
    65536 rows, for example). Others are rounded to a multiple of the largest weight / 65535; a positive weight never
    becomes zero.

    >>> quantise_weights(np.array([0.5, 1.5, 0.0]))
    array([1, 3, 0])
    >>> quantise_weights(np.array([1.0, np.pi]))
    array([20860, 65535])
    """
    if not np.isfinite(weights).all():
        raise TableError("sample_weight holds NaN or infinity, but every weight must be finite")
    if (weights < 0).any():
        raise TableError(f"sample_weight holds {weights.min():g}, but no weight may be negative")
    levels, index = np.unique(weights, return_inverse=True)
    if levels[-1] == 0:
        raise TableError("sample_weight is zero for every row, but at least one row must count")
    exact = _exact(levels)
    integers: NDArray[np.int64] = (_rounded(levels) if exact is None else exact)[index]
    return integers


def _exact(levels: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The levels as integers in exactly their proportions, if 16 bits suffice."""
    limit = (1 << MAX_WEIGHT_BITS) - 1
    candidates = levels[np.newaxis]
    if len(levels) <= MAX_LEVELS:
        ratios = levels / levels[levels > 0][0]
        multiples = np.arange(1, limit // ratios[-1] + 1)
        candidates = np.vstack([candidates, ratios * multiples[:, np.newaxis]])
    candidates = candidates[candidates[:, -1] <= limit]
    nearest = np.rint(candidates)
    is_exact = np.abs(candidates - nearest).max(axis=1) <= 1e-9 * candidates[:, -1]
    if not is_exact.any():
        return None
    integers = nearest[is_exact.argmax()].astype(np.int64)
    return np.asarray(integers // np.gcd.reduce(integers))


def _rounded(levels: NDArray[np.float64]) -> NDArray[np.int64]:
    scaled = np.rint(levels / levels[-1] * ((1 << MAX_WEIGHT_BITS) - 1)).astype(np.int64)
    return np.where(levels > 0, np.maximum(scaled, 1), 0)


def slice_weights(weights: NDArray[np.int64]) -> bits.Words:
    """Plane b holds bit b of every row's integer weight.

    >>> slice_weights(np.array([1, 2, 3]))
    array([[5],
           [6]], dtype=uint64)
    """
    n_planes = int(weights.max()).bit_length()
    return bits.pack((weights >> np.arange(n_planes)[:, np.newaxis] & 1).astype(np.bool_))
