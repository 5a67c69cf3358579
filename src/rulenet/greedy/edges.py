"""The set weights of a network as lists that follow its flips: reading all weights took a seventh of a sweep."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.compiled import part
from rulenet.kernels import Flat


class Edges(NamedTuple):
    """Who reads whom, in no order; signals are numbered literals first, then unit by unit.

    Unit u of the signals reads the first ``n_sources[u]`` of ``sources`` from ``first_source[u]`` on, the place of its
    weights, and the first ``n_readers[u]`` of ``readers`` from ``first_reader[u]`` on read it. ``closed`` has a flag a
    weight: whether its input cannot simply be added, since it is selected or excluded by a literal that is.
    ``next_excluded[j]`` is the next of the literals that exclude each other and literal j, in a ring.
    """

    first_source: NDArray[np.int64]
    n_sources: NDArray[np.int64]
    sources: NDArray[np.int64]
    first_reader: NDArray[np.int64]
    n_readers: NDArray[np.int64]
    readers: NDArray[np.int64]
    closed: NDArray[np.uint8]
    next_excluded: NDArray[np.int64]

    @classmethod
    def room_for(cls, flat: Flat) -> "Edges":
        """Room for all edges that ``flat`` may have."""
        n_signals, n_weights = int(flat.sizes.sum()), flat.weights.size
        of_signals, of_weights = np.empty((5, n_signals), np.int64), np.empty((2, n_weights), np.int64)
        return cls(
            of_signals[0], of_signals[1], of_weights[0], of_signals[2], of_signals[3], of_weights[1],
            np.empty(n_weights, np.uint8), of_signals[4, : flat.sizes[0]],
        )  # fmt: skip


@part
def list_edges(flat, exclusive, edges):
    """Fill ``edges`` with the set weights of ``flat``; only the ANDs of a first layer heed what literals exclude."""
    for signal in range(edges.n_readers.size):
        edges.n_sources[signal] = 0
        edges.n_readers[signal] = 0
    for j in range(exclusive.size):
        edges.next_excluded[j] = j
    if flat.first_and:
        link_excluded(exclusive, edges)
    below, unit, weight = np.int64(0), flat.sizes[0], np.int64(0)
    for layer in range(1, flat.sizes.size):
        n_inputs, n_units = flat.sizes[layer - 1], flat.sizes[layer]
        for j in range(n_inputs):
            edges.first_reader[below + j] = weight + j * n_units
        for _ in range(n_units):
            edges.first_source[unit] = weight
            for j in range(n_inputs):
                edges.closed[weight] = 0
                if flat.weights[weight]:
                    link(edges, unit, below + j)
                weight += 1
            close_inputs(edges, unit, below, n_inputs)
            unit += 1
        below += n_inputs


@part
def link_excluded(exclusive, edges):
    """Join literals of the same number into rings."""
    for j in range(exclusive.size):
        if exclusive[j] >= 0:
            other = j + 1
            while other < exclusive.size and exclusive[other] != exclusive[j]:
                other += 1
            if other < exclusive.size:
                edges.next_excluded[other] = edges.next_excluded[j]
                edges.next_excluded[j] = other


@part
def link(edges, unit, source):
    """Let ``unit`` read ``source``."""
    edges.sources[edges.first_source[unit] + edges.n_sources[unit]] = source
    edges.n_sources[unit] += 1
    edges.readers[edges.first_reader[source] + edges.n_readers[source]] = unit
    edges.n_readers[source] += 1


@part
def unlink(edges, unit, source):
    """Let ``unit`` read ``source`` no more."""
    edges.n_sources[unit] -= 1
    drop(edges.sources, edges.first_source[unit], edges.n_sources[unit], source)
    edges.n_readers[source] -= 1
    drop(edges.readers, edges.first_reader[source], edges.n_readers[source], unit)


@part
def drop(listed, first, n_left, number):
    """Take ``number`` out of a list of one more than ``n_left``, the last in its place."""
    place = first
    while listed[place] != number:
        place += 1
    listed[place] = listed[first + n_left]


@part
def close_inputs(edges, unit, below, n_inputs):
    """Flag the inputs of ``unit``, of signals from ``below`` on, that cannot simply be added."""
    first = edges.first_source[unit]
    for j in range(n_inputs):
        edges.closed[first + j] = 0
    for i in range(first, first + edges.n_sources[unit]):
        source = edges.sources[i]
        edges.closed[first + source - below] = 1
        if below == 0:
            other = edges.next_excluded[source]
            while other != source:
                edges.closed[first + other] = 1
                other = edges.next_excluded[other]


@part
def flip_edge(flat, edges, unit, source, below, n_inputs):
    """Flip a weight; a literal that is added takes the place of those that it excludes."""
    first = edges.first_source[unit]
    if flat.weights[first + source - below]:
        flat.weights[first + source - below] = 0
        unlink(edges, unit, source)
    else:
        if below == 0:
            other = edges.next_excluded[source]
            while other != source:
                if flat.weights[first + other]:
                    flat.weights[first + other] = 0
                    unlink(edges, unit, other)
                other = edges.next_excluded[other]
        flat.weights[first + source - below] = 1
        link(edges, unit, source)
    close_inputs(edges, unit, below, n_inputs)
