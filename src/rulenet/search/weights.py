"""Row weights as integers, bit by bit."""

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.exceptions import TableError

MAX_WEIGHT_BITS = 16
MAX_LEVELS = 32  # different weights of which a common divisor is looked for


def quantise_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers in the proportions of ``weights``, of at most 16 bits.

    Integers below 65536 keep their proportions exactly. So do up to 32 different weights that are multiples of a common
    divisor, the largest being at most 65535 times as large (``class_weight="balanced"`` where the larger class has
    fewer than 65536 rows, for example). Others are rounded to a multiple of the largest weight / 65535; a positive
    weight never becomes zero.

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


def slice_weights(weights: NDArray[np.int64], n_planes: int | None = None) -> bits.Words:
    """Plane b holds bit b of every row's integer weight; there are as many as the largest needs, or ``n_planes``.

    >>> slice_weights(np.array([1, 2, 3]))
    array([[5],
           [6]], dtype=uint64)
    """
    if n_planes is None:
        n_planes = int(weights.max()).bit_length()
    return bits.pack((weights >> np.arange(n_planes)[:, np.newaxis] & 1).astype(np.bool_))
