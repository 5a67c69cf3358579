"""All packed rows, to sum over: errors and gains are sums of integers, the same however rows are divided."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from rulenet import kernels
from rulenet.network import Network
from rulenet.search.problem import Problem

Result = TypeVar("Result")

BLOCK_WORDS = 1 << 14  # of rows in memory that are looked at together


@dataclass(frozen=True)
class Block:
    """Packed rows from one word to another."""

    problem: Problem
    start: int
    stop: int

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return min(64 * self.stop, self.problem.n_rows) - 64 * self.start

    def of(self, reads: NDArray[np.int64]) -> Problem:
        """The rows of the block with some of their literals."""
        cut, whole = slice(self.start, self.stop), self.problem
        literals = np.ascontiguousarray(whole.literals[:, cut][reads])
        target, planes = (np.ascontiguousarray(words[..., cut]) for words in (whole.target, whole.planes))
        return Problem(literals, target, planes, whole.relations, self.n_rows)


class Shards(Protocol):
    """All rows of a problem in blocks, wherever they are."""

    n_rows: int
    total_weight: int

    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        """What ``function`` makes of every `Block`."""
        ...


class LocalShards:
    """Rows in memory, in blocks shared by threads."""

    def __init__(self, problem: Problem, n_jobs: int | None = None, block_words: int = BLOCK_WORDS) -> None:
        self.n_rows, self.total_weight = problem.n_rows, problem.total_weight
        cuts = [*range(0, problem.planes.shape[-1], block_words), problem.planes.shape[-1]]
        self._blocks = [Block(problem, a, b) for a, b in pairwise(cuts)]
        self._n_threads = effective_n_jobs(n_jobs)

    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        """What ``function`` makes of every block."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            return list(pool.map(lambda block: function(block, *args), self._blocks))


def errors(shards: Shards, networks: Sequence[Network]) -> list[int]:
    """The total weight of all rows that each network gets wrong."""
    return np.sum(shards.each(errors_of_block, tuple(networks)), axis=0).tolist()  # type: ignore[no-any-return]


def gains(shards: Shards, network: Network) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What flipping each weight wins over all rows, and what a need one lower and one higher does, unit by unit."""
    flips, needs = zip(*shards.each(gains_of_block, network), strict=True)
    return np.asarray(np.sum(flips, axis=0)), np.asarray(np.sum(needs, axis=0))


def errors_of_block(block: Block, networks: Sequence[Network]) -> NDArray[np.int64]:
    """The total weight of the rows that each network gets wrong."""
    reads = np.flatnonzero(np.any([network.reads for network in networks], axis=0))
    reads = reads if len(reads) else np.zeros(1, np.int64)
    rows = block.of(reads)
    return np.array([rows.errors(_reading(network, reads)) for network in networks], np.int64)


def gains_of_block(block: Block, network: Network) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What flipping each weight wins, and what changing each need does."""
    flat, problem = network.flat(), block.problem
    flips, needs = np.zeros(flat.weights.size, np.int64), np.zeros((flat.needs.size, 2), np.int64)
    exclusive = problem.relations.exclusive
    kernels.add_all_gains(flat, problem.rows, exclusive, block.start, block.stop, flips, needs)
    return flips, needs


def _reading(network: Network, reads: NDArray[np.int64]) -> Network:
    """The network over some literals, among them all that it reads."""
    return Network([network.weights[0][:, reads], *network.weights[1:]], network.first_gate, network.needs)
