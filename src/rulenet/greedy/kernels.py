"""Steepest ascent on one small batch after the other: what `kernels.climb_on_each` does, for batches of a word each.

A network of plain units and one output, judged by at most 64 rows of equal weight, has signals of one word. Then a
sweep is short enough for what does not pay elsewhere: lists of edges follow the flips; the gains of units that right no
row, or too few to be the best, are not looked at; and gains of all inputs of a unit are counted several at a time.
Signals, and where units fire and tip, are as in `rulenet.kernels`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.bits import WORD_BITS
from rulenet.compiled import lean, part
from rulenet.greedy.edges import Edges, flip_edge, list_edges
from rulenet.kernels import ALL, NONE, Flat, Rows, block_words, gate_mask, popcount

#: A flip is ranked by its gain above so many bits, less its place in the scan: the first of the best ranks highest.
PLACE_BITS = 32


class Scratch(NamedTuple):
    """Working space: ``edges``, four words a signal of a batch, and the signals of a block of all rows.

    Bits of ``tipping`` and ``observed`` are set for rows that count only. ``live`` flags the units that lead to the
    output.
    """

    edges: Edges
    signals: NDArray[np.uint64]
    tipping: NDArray[np.uint64]
    observed: NDArray[np.uint64]
    toggled: NDArray[np.uint64]
    live: NDArray[np.uint8]
    block: NDArray[np.uint64]


def fits_words(flat: Flat, rows: Rows, batch_size: int) -> bool:
    """Whether batches of so many ``rows`` can be climbed on here: those of one output, of units that do not count."""
    plain = rows.target.ndim == 1 and len(rows.planes) == 1 and bool((flat.needs == 1).all())
    return plain and batch_size <= WORD_BITS


def new_scratch(flat: Flat, n_words: int) -> Scratch:
    """Working space for rows of ``n_words`` words."""
    n_signals = int(flat.sizes.sum())
    signals, tipping, observed, toggled = np.empty((4, n_signals), np.uint64)
    block = np.empty((n_signals, block_words(n_signals, n_words)), np.uint64)
    live = np.empty(n_signals, np.uint8)
    return Scratch(Edges.room_for(flat), signals, tipping, observed, toggled, live, block)


@part
def pick(words, picked):
    """The bits of the ``picked`` rows as one word."""
    taken = NONE
    for r in range(picked.size):
        bit = (words[picked[r] >> 6] >> np.uint64(picked[r] & 63)) & np.uint64(1)
        taken |= bit << np.uint64(r)
    return taken


@part
def fire_and_tip(flat, scratch, counted):
    """Fill ``signals`` and ``tipping`` of all units; ``counted`` are the rows that count."""
    signals, edges = scratch.signals, scratch.edges
    for unit in range(flat.sizes[0], signals.size):
        fires, tipping, first = NONE, counted, edges.first_source[unit]
        for i in range(first, first + edges.n_sources[unit]):
            lacking = ~signals[edges.sources[i]]
            tipping &= ~(fires & lacking)
            fires |= lacking
        signals[unit] = fires
        scratch.tipping[unit] = tipping


@part
def follow(flat, scratch, layer, above, rows):
    """Where among ``rows`` the output toggles, if the units of ``layer``, from signal ``above`` on, toggle as noted.

    In a row where a single unit of a layer toggles its own observability, already known, says the rest.
    """
    signals, toggled, edges, seen = scratch.signals, scratch.toggled, scratch.edges, NONE
    while rows != NONE:
        above += flat.sizes[layer]
        layer += 1
        once, several, through = NONE, NONE, NONE
        for unit in range(above, above + flat.sizes[layer]):
            fires, first = NONE, edges.first_source[unit]
            for i in range(first, first + edges.n_sources[unit]):
                fires |= ~(signals[edges.sources[i]] ^ toggled[edges.sources[i]])
            toggles = (fires ^ signals[unit]) & rows
            toggled[unit] = toggles
            several |= once & toggles
            once |= toggles
            through |= toggles & scratch.observed[unit]
        seen |= through & ~several
        rows = several
    return seen


@part
def observe_unit(flat, scratch, layer, above, unit):
    """Where toggling ``unit`` toggles the output; its readers are in ``layer``, from signal ``above`` on."""
    signals, tipping, edges, toggled = scratch.signals, scratch.tipping, scratch.edges, scratch.toggled
    once, several, through, first = NONE, NONE, NONE, edges.first_reader[unit]
    for i in range(first, first + edges.n_readers[unit]):
        reader = edges.readers[i]
        toggles = tipping[reader] & (signals[unit] ^ signals[reader])
        several |= once & toggles
        once |= toggles
        through |= toggles & scratch.observed[reader]
    if several == NONE:
        return through
    for other in range(above, above + flat.sizes[layer]):
        toggled[other] = NONE
    for i in range(first, first + edges.n_readers[unit]):
        reader = edges.readers[i]
        toggled[reader] = tipping[reader] & (signals[unit] ^ signals[reader])
    return (through & ~several) | follow(flat, scratch, layer, above, several)


@part
def observe(flat, scratch, counted):
    """Fill ``observed``, from the output downwards."""
    above = scratch.observed.size - 1
    scratch.observed[above] = counted
    for layer in range(flat.sizes.size - 2, 0, -1):
        for unit in range(above - flat.sizes[layer], above):
            scratch.observed[unit] = observe_unit(flat, scratch, layer + 1, above, unit)
        above -= flat.sizes[layer]


@part
def count(rows):
    """How many rows these are."""
    return np.int64(popcount(rows))


@part
def count_net(rows, righted, wronged):
    """How many of the ``rows`` are righted less those that are wronged."""
    return count(rows & righted) - count(rows & wronged)


@part
def can_win(n_righted, place, best):
    """Whether a flip that rights so many rows at most, from a ``place`` of the scan on, may rank above ``best``."""
    return (n_righted << PLACE_BITS) - place > best


@part
def best_addition(scratch, righted, wronged, first, below, n_inputs, place, step, best):
    """The rank of the best flip, the additions to a unit included: it changes where the added input is lacking."""
    signals, closed = scratch.signals, scratch.edges.closed
    for j in range(n_inputs):
        rank = (count_net(~signals[below + j], righted, wronged) << PLACE_BITS) - (place + j * step)
        if not closed[first + j]:
            best = max(best, rank)
    return best


@part
def best_removal(scratch, righted, wronged, unit, below, place, step, best):
    """The same with removals: the unit changes where the removed input alone makes it fire."""
    signals, edges, first = scratch.signals, scratch.edges, scratch.edges.first_source[unit]
    for i in range(first, first + edges.n_sources[unit]):
        source = edges.sources[i]
        net = count_net(~signals[source], righted, wronged)
        best = max(best, (net << PLACE_BITS) - (place + (source - below) * step))
    return best


@part
def freed_rows(scratch, unit, literal):
    """Where ``unit`` fires for no other input than ``literal`` and those that this one excludes."""
    signals, edges, first, freed = scratch.signals, scratch.edges, scratch.edges.first_source[unit], ALL
    for i in range(first, first + edges.n_sources[unit]):
        source, other = edges.sources[i], edges.next_excluded[literal]
        while other != literal and other != source:
            other = edges.next_excluded[other]
        if other != source:
            freed &= signals[source]
    return freed


@part
def best_replacement(flat, scratch, unit, righted, wronged, net_off, place, best):
    """The same with literals in the place of those they exclude; the unit fires in the rows that are given.

    As they exclude each other, all rows change where the unit does not fire (``net_off``); where it fires, those change
    in which no other input makes it fire and the new literal does not either.
    """
    signals, edges, first = scratch.signals, scratch.edges, scratch.edges.first_source[unit]
    for i in range(first, first + edges.n_sources[unit]):
        literal = edges.sources[i]
        other = edges.next_excluded[literal]
        if other != literal:
            freed = freed_rows(scratch, unit, literal)
            while other != literal:
                if not flat.weights[first + other]:
                    net = net_off + count_net(freed & signals[other], righted, wronged)
                    best = max(best, (net << PLACE_BITS) - (place + other))
                other = edges.next_excluded[other]
    return best


@part
def best_of_unit(flat, scratch, wrong, unit, below, n_inputs, place, step, best):
    """The rank of the best flip, those of one more unit included; its weights have every ``step``th place."""
    observed, fires = scratch.observed[unit], scratch.signals[unit]
    if not can_win(count(observed & wrong), place, best):
        return best
    first, off, on = scratch.edges.first_source[unit], observed & ~fires, observed & fires
    righted, wronged = off & wrong, off & ~wrong
    if can_win(count(righted), place, best):
        best = best_addition(scratch, righted, wronged, first, below, n_inputs, place, step, best)
    net_off = count(righted) - count(wronged)
    righted, wronged = on & wrong, on & ~wrong
    if below == 0 and can_win(net_off + count(righted), place, best):
        best = best_replacement(flat, scratch, unit, righted, wronged, net_off, place, best)
    righted, wronged = righted & scratch.tipping[unit], wronged & scratch.tipping[unit]
    if can_win(count(righted), place, best):
        best = best_removal(scratch, righted, wronged, unit, below, place, step, best)
    return best


@part
def best_flip(flat, scratch, wrong):
    """The rank of the best flip, or 0 if none wins: layer 0 is scanned by units, every later layer by sources."""
    below, unit, place, best = np.int64(0), flat.sizes[0], np.int64(0), np.int64(0)
    for layer in range(1, flat.sizes.size):
        n_inputs, n_units = flat.sizes[layer - 1], flat.sizes[layer]
        by_unit, step = (n_inputs, np.int64(1)) if layer == 1 else (np.int64(1), n_units)
        for k in range(n_units):
            best = best_of_unit(flat, scratch, wrong, unit, below, n_inputs, place + k * by_unit, step, best)
            unit += 1
        place += n_inputs * n_units
        below += n_inputs
    return best


@part
def take_flip(flat, edges, place):
    """Flip the weight at a ``place`` of the scan."""
    below, above, layer = np.int64(0), flat.sizes[0], 1
    while place >= flat.sizes[layer - 1] * flat.sizes[layer]:
        place -= flat.sizes[layer - 1] * flat.sizes[layer]
        below, above = above, above + flat.sizes[layer]
        layer += 1
    n_inputs, n_units = flat.sizes[layer - 1], flat.sizes[layer]
    unit, source = (place // n_inputs, place % n_inputs) if layer == 1 else (place % n_units, place // n_units)
    flip_edge(flat, edges, above + unit, below + source, below, n_inputs)


@part
def climb(flat, scratch, target, counted, max_flips):
    """Take the best flip until none wins anything or ``max_flips`` are done; returns how many were."""
    last, flip = scratch.signals.size - 1, gate_mask(flat, flat.sizes.size - 2)
    for n_flips in range(max_flips):
        fire_and_tip(flat, scratch, counted)
        wrong = (scratch.signals[last] ^ flip ^ target) & counted
        if wrong == NONE:
            return n_flips
        observe(flat, scratch, counted)
        rank = best_flip(flat, scratch, wrong)
        if rank <= 0:
            return n_flips
        take_flip(flat, scratch.edges, -rank & ((1 << PLACE_BITS) - 1))
    return max_flips


@part
def find_live(flat, scratch):
    """Flag the units that lead to the output."""
    live, edges = scratch.live, scratch.edges
    for unit in range(live.size):
        live[unit] = 0
    live[live.size - 1] = 1
    for unit in range(live.size - 1, flat.sizes[0] - 1, -1):
        if live[unit]:
            for i in range(edges.first_source[unit], edges.first_source[unit] + edges.n_sources[unit]):
                live[edges.sources[i]] = 1


@part
def fire_live(flat, scratch, literals, start, n_words):
    """Fill the ``block`` of live units for words ``start`` onwards; returns nothing of others."""
    block, edges, n_literals = scratch.block, scratch.edges, flat.sizes[0]
    flip = ALL if flat.first_and else NONE
    for unit in range(n_literals, block.shape[0]):
        if scratch.live[unit]:
            for w in range(n_words):
                block[unit, w] = NONE
            for i in range(edges.first_source[unit], edges.first_source[unit] + edges.n_sources[unit]):
                source = edges.sources[i]
                if source < n_literals:
                    for w in range(n_words):
                        block[unit, w] |= literals[source, start + w] ^ flip
                else:
                    for w in range(n_words):
                        block[unit, w] |= ~block[source, w]


@part
def count_errors(flat, scratch, rows):
    """How many of all rows that count the network gets wrong."""
    find_live(flat, scratch)
    block, flip, errors = scratch.block, gate_mask(flat, flat.sizes.size - 2), 0
    for start in range(0, rows.target.size, block.shape[1]):
        n_words = min(block.shape[1], rows.target.size - start)
        fire_live(flat, scratch, rows.literals, start, n_words)
        for w in range(n_words):
            wrong = block[block.shape[0] - 1, w] ^ flip ^ rows.target[start + w]
            errors += count(wrong & rows.planes[0, start + w])
    return errors


@lean
def climb_on_each(flat, rows, batches, exclusive, max_flips, scratch, best_weights, best_errors, errors):
    """`climb` on one batch of rows after the other; fills ``errors`` with those on all rows after each.

    ``best_weights`` and ``best_errors[0]`` are kept up to date.
    """
    list_edges(flat, exclusive, scratch.edges)
    flip = NONE if flat.first_and else ALL
    for b in range(batches.shape[0]):
        picked = batches[b]
        for j in range(flat.sizes[0]):
            scratch.signals[j] = pick(rows.literals[j], picked) ^ flip
        n_flips = climb(flat, scratch, pick(rows.target, picked), pick(rows.planes[0], picked), max_flips)
        if n_flips == 0 and b > 0:
            errors[b] = errors[b - 1]
            continue
        errors[b] = count_errors(flat, scratch, rows)
        if errors[b] < best_errors[0]:
            best_errors[0] = errors[b]
            for weight in range(best_weights.size):
                best_weights[weight] = flat.weights[weight]
