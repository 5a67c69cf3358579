"""Seeded tables for the benchmarks; frozen, so that figures of different days compare."""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet import Network, RandomInit, bits
from rulenet.greedy.ascent import gains_of_flips
from rulenet.relations import Relations
from rulenet.search.problem import Problem

N_STARTS = 200

Storage = Literal["object", "object, own strings", "str", "category"]


def make_nominal_frame(
    n_rows: int,
    n_columns: int = 40,
    *,
    storage: Storage = "object",
    max_values: int = 10,
    missing: float = 0.01,
    seed: int = 0,
) -> pd.DataFrame:
    """Text columns with 2 to ``max_values`` values each.

    ``object`` shares one string object among equal cells, as ``read_csv`` does; ``object, own strings`` has a new one
    in every cell, as ``astype(str)`` makes them.
    """
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {f"attribute_{j}": _column(rng, n_rows, j, storage, max_values, missing) for j in range(n_columns)}, copy=False
    )


def _column(
    rng: np.random.Generator, n_rows: int, j: int, storage: Storage, max_values: int, missing: float
) -> "pd.Series[str]":
    n_values = int(rng.integers(2, max_values + 1))
    codes = rng.integers(0, n_values, n_rows)
    codes[rng.random(n_rows) < missing] = -1
    values = [f"value_{v}_of_{j}" for v in range(n_values)]
    if storage == "category":
        return pd.Series(pd.Categorical.from_codes(codes, values))
    cells = np.array([*values, None], dtype=object)[codes]
    if storage == "object, own strings":
        cells = np.array([None if cell is None else (cell + " ")[:-1] for cell in cells], dtype=object)
    return pd.Series(cells, dtype="str" if storage == "str" else object)


def make_problem(n_rows: int, n_attributes: int = 42, n_values: int = 3, *, seed: int = 0) -> Problem:
    """Random packed rows of nominal attributes, labels a rule of two attributes with noise.

    Made 64 rows at a time from random words, so that ten million rows need no more memory than their bits.
    """
    rng = np.random.default_rng(seed)
    size = bits.n_words(n_rows)
    valid = bits.mask(n_rows)
    literals = np.empty((n_attributes * n_values, size), dtype=np.uint64)
    for a in range(n_attributes):
        left = valid.copy()  # every row takes one of the values: half of what is left, the rest goes on
        for v in range(n_values):
            chosen = left if v == n_values - 1 else left & _random_words(rng, size)
            literals[a * n_values + v] = chosen
            left = left & ~chosen
    noise = _random_words(rng, size) & _random_words(rng, size) & _random_words(rng, size)
    target = (literals[0] & literals[n_values]) ^ (noise & valid)
    owner = np.repeat(np.arange(n_attributes), n_values)
    return Problem(literals, target, valid[np.newaxis], Relations.of(owner, owner), n_rows)


def _random_words(rng: np.random.Generator, size: int) -> bits.Words:
    return rng.integers(0, 2**64, size, dtype=np.uint64)


def make_network(relations: Relations, hidden_layer_sizes: tuple[int, ...], rule_length: float = 2) -> Network:
    """A random start as the paper's networks have it: the one of many of which the output sees most."""
    n_attributes = int(relations.owner.max()) + 1
    small = make_problem(2_000, n_attributes, len(relations.owner) // n_attributes)
    init = RandomInit(rule_length, init_prob=0.05)
    starts = [init.start(relations, hidden_layer_sizes, "and", seed) for seed in range(N_STARTS)]
    return max(starts, key=lambda network: count_flips_seen(network, gains_of_flips(network.flat(), small)))


def count_flips_seen(network: Network, gains: NDArray[np.int64]) -> int:
    """The flips of units that have any effect on the output; the others cost a sweep nothing."""
    layers = np.split(gains, np.cumsum([w.size for w in network.weights])[:-1])
    units = (g.reshape(w.shape) for g, w in zip(layers, network.weights, strict=True))
    return sum(g.shape[1] * int(g.any(axis=1).sum()) for g in units)
