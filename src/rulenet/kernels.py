"""Every compiled loop over packed rows: evaluation, observability, exact gains of all flips.

By De Morgan one operation serves both gates. Write s for a signal as a layer receives it and let a unit *fire*
where any input it has selected is *not* s:

    fires = OR over selected j of ~s[j]

The next layer has the other gate, so it receives exactly ``fires``: an alternating network is a network of NANDs.
Layer 0 receives the literals (complemented if its gate is OR), and the output is ``fires`` of the last unit
(complemented if that is an AND). The gate appears in these two places only.

Signals are numbered literals first, then unit by unit, layer by layer; weights likewise. Rows are cut into blocks so
that all signals of a block stay in the cache; counts of blocks add up, whoever counted them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

jit = njit(cache=True, nogil=True)
part = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # for calls from kernels only

# Signals of one block should fit a second-level cache; longer blocks than this gain nothing (measured).
BLOCK_BYTES = 1 << 19
MAX_BLOCK_WORDS = 256
MIN_BLOCK_WORDS = 16

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)

EVERYWHERE = np.int64(0)  # the row of ``toggled`` that holds "all rows"; it belongs to a literal, which never toggles
FREE = -1
CROWDED = -2


class Flat(NamedTuple):
    """A network without structure: ``weights`` (uint8, 0 or 1) unit by unit, and the ``sizes`` of all layers.

    ``sizes`` starts with the number of literals and ends with the single output unit.
    """

    weights: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    first_and: bool


class Rows(NamedTuple):
    """Packed rows to learn from.

    ``planes[b]`` holds bit b of every row's integer weight: the rows' total weight is the sum of
    ``2**b * popcount(planes[b])``. Spare bits are zero in every plane, which keeps them out of all counts.
    """

    literals: NDArray[np.uint64]
    target: NDArray[np.uint64]
    planes: NDArray[np.uint64]


class Edges(NamedTuple):
    """The set weights as lists: unit u of the signals reads ``sources[starts[u]:starts[u + 1]]``."""

    starts: NDArray[np.int64]
    sources: NDArray[np.int64]


class Scratch(NamedTuple):
    """Working space for one block of rows.

    A row per signal: ``signals`` (what the next layer receives), ``twice`` (at least two inputs make the unit fire),
    ``observed`` (toggling the unit toggles the output) and ``toggled`` (where a toggle further down arrives).
    ``split`` has two rows per weight plane: what some set of changes would right, and what it would wrong.
    ``holders`` has the literal that the unit at hand has selected of each sibling group, and ``taken`` flags the
    inputs that cannot simply be added to it.
    """

    signals: NDArray[np.uint64]
    twice: NDArray[np.uint64]
    observed: NDArray[np.uint64]
    toggled: NDArray[np.uint64]
    split: NDArray[np.uint64]
    wrong: NDArray[np.uint64]
    holders: NDArray[np.int64]
    taken: NDArray[np.bool_]


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@part
def gate_mask(flat, layer):
    """All ones where ``layer`` is an AND, for turning ``fires`` into an activation."""
    is_and = flat.first_and == (layer % 2 == 0)
    return ALL if is_and else NONE


@part
def list_edges(flat):
    """The set weights of ``flat`` as `Edges`."""
    n_signals, n_edges = 0, 0
    for size in flat.sizes:
        n_signals += size
    for weight in flat.weights:
        n_edges += weight
    starts, sources = np.zeros(n_signals + 1, np.int64), np.empty(n_edges, np.int64)
    unit, n_edges, first_source, weight = flat.sizes[0], 0, 0, 0
    for layer in range(1, flat.sizes.size):
        n_inputs = flat.sizes[layer - 1]
        for _ in range(flat.sizes[layer]):
            for j in range(n_inputs):
                if flat.weights[weight]:
                    sources[n_edges] = first_source + j
                    n_edges += 1
                weight += 1
            unit += 1
            starts[unit] = n_edges
        first_source += n_inputs
    return Edges(starts, sources)


@part
def block_words(n_signals, n_words):
    """How many words of rows a block holds."""
    fitting = BLOCK_BYTES // (8 * n_signals)
    return min(max(min(fitting, MAX_BLOCK_WORDS), MIN_BLOCK_WORDS), n_words)


@part
def new_scratch(n_signals, n_planes, n_groups, n_words):
    """Working space for blocks of ``n_words`` words."""
    shape = (n_signals, n_words)
    return Scratch(
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty((2 * n_planes, n_words), np.uint64),
        np.empty(n_words, np.uint64),
        np.empty(n_groups, np.int64),
        np.empty(n_signals, np.bool_),
    )


@part
def load_literals(signals, literals, start, n_words, first_and):
    """Fill the literal signals with words ``start`` onwards."""
    flip = NONE if first_and else ALL
    for j in range(literals.shape[0]):
        words = literals[j, start : start + n_words]
        for w in range(n_words):
            signals[j, w] = words[w] ^ flip


@part
def fire(signals, edges, unit, n_words):
    """Compute where ``unit`` fires."""
    for w in range(n_words):
        signals[unit, w] = NONE
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        for w in range(n_words):
            signals[unit, w] |= ~signals[source, w]


@part
def fire_twice(signals, twice, edges, unit, n_words):
    """Compute where ``unit`` fires, and where it does so for at least two inputs."""
    for w in range(n_words):
        signals[unit, w] = NONE
        twice[unit, w] = NONE
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        for w in range(n_words):
            twice[unit, w] |= signals[unit, w] & ~signals[source, w]
            signals[unit, w] |= ~signals[source, w]


@jit
def evaluate(flat, literals):
    """The packed output of the network on packed ``literals``."""
    edges = list_edges(flat)
    n_signals = edges.starts.size - 1
    step = block_words(n_signals, literals.shape[1])
    signals = np.empty((n_signals, step), np.uint64)
    output = np.empty(literals.shape[1], np.uint64)
    flip = gate_mask(flat, flat.sizes.size - 2)
    for start in range(0, output.size, max(step, 1)):
        n_words = min(step, output.size - start)
        load_literals(signals, literals, start, n_words, flat.first_and)
        for unit in range(flat.sizes[0], n_signals):
            fire(signals, edges, unit, n_words)
        for w in range(n_words):
            output[start + w] = signals[n_signals - 1, w] ^ flip
    return output


@jit
def evaluate_layer(weights, below, is_and):
    """The packed activations of one layer, from those ``below``; ``weights`` is (n_units, n_inputs)."""
    flip = ALL if is_and else NONE
    above = np.empty((weights.shape[0], below.shape[1]), np.uint64)
    for k in range(weights.shape[0]):
        for w in range(below.shape[1]):
            above[k, w] = NONE
        for j in range(weights.shape[1]):
            if weights[k, j]:
                for w in range(below.shape[1]):
                    above[k, w] |= below[j, w] ^ flip
        for w in range(below.shape[1]):
            above[k, w] ^= flip
    return above


@jit
def count_errors(predicted, target, planes):
    """The total weight of the rows where ``predicted`` and ``target`` differ."""
    errors = 0
    for b in range(planes.shape[0]):
        count = 0
        for w in range(target.size):
            count += popcount((predicted[w] ^ target[w]) & planes[b, w])
        errors += count << b
    return errors


@part
def toggle_reader(signals, twice, toggled, unit, source, change, n_words):
    """Where ``unit`` toggles when its input ``source`` alone does, in rows ``toggled[change]``; whether anywhere."""
    anywhere = NONE
    for w in range(n_words):
        s = signals[source, w]
        rows = toggled[change, w] & ((s & ~signals[unit, w]) | (~s & ~twice[unit, w]))
        toggled[unit, w] = rows
        anywhere |= rows
    return anywhere != NONE


@part
def toggle_anew(signals, toggled, is_toggled, edges, unit, n_words):
    """Where ``unit`` toggles when all its ``is_toggled`` inputs do; whether anywhere."""
    for w in range(n_words):
        toggled[unit, w] = NONE
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        kept = ALL if is_toggled[source] else NONE
        for w in range(n_words):
            toggled[unit, w] |= ~(signals[source, w] ^ (toggled[source, w] & kept))
    anywhere = NONE
    for w in range(n_words):
        toggled[unit, w] ^= signals[unit, w]
        anywhere |= toggled[unit, w]
    return anywhere != NONE


@part
def toggle_higher(signals, twice, toggled, is_toggled, edges, unit, n_words):
    """Pass the toggles of the layer below on to ``unit``; returns whether it toggles anywhere."""
    n_toggled, source = 0, -1
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        if is_toggled[edges.sources[e]]:
            n_toggled += 1
            source = edges.sources[e]
    if n_toggled == 0:
        return False
    if n_toggled == 1:
        return toggle_reader(signals, twice, toggled, unit, source, source, n_words)
    return toggle_anew(signals, toggled, is_toggled, edges, unit, n_words)


@part
def observe_unit(
    sizes, edges, signals, twice, observed, toggled, is_toggled, is_seen, layer, unit, above, readers, n_words
):
    """Fill ``observed[unit]``; returns whether any row is.

    The next layer starts at signal ``above``; ``readers`` flags those of its units that read this one.

    The toggle is propagated upwards until one unit carries all that is left of it: that unit's own
    observability, already known, says the rest.
    """
    n_toggled, carrier = 0, -1
    for k in range(readers.size):
        reader = above + k
        is_toggled[reader] = readers[k] and toggle_reader(signals, twice, toggled, reader, unit, EVERYWHERE, n_words)
        if is_toggled[reader]:
            n_toggled += 1
            carrier = reader
    while n_toggled > 1:
        layer += 1
        above += sizes[layer]
        n_toggled = 0
        for higher in range(above, above + sizes[layer + 1]):
            is_toggled[higher] = toggle_higher(signals, twice, toggled, is_toggled, edges, higher, n_words)
            if is_toggled[higher]:
                n_toggled += 1
                carrier = higher
    if n_toggled == 0 or not is_seen[carrier]:
        return False
    anywhere = NONE
    for w in range(n_words):
        observed[unit, w] = toggled[carrier, w] & observed[carrier, w]
        anywhere |= observed[unit, w]
    return anywhere != NONE


@part
def observe(flat, edges, scratch, n_words):
    """Fill ``observed``, from the output downwards; returns for every signal whether any row is."""
    signals, twice, observed, toggled = scratch.signals, scratch.twice, scratch.observed, scratch.toggled
    is_seen, is_toggled = np.zeros(signals.shape[0], np.bool_), np.zeros(signals.shape[0], np.bool_)
    above, weight = signals.shape[0] - 1, flat.weights.size
    for w in range(n_words):
        observed[above, w] = ALL
        toggled[EVERYWHERE, w] = ALL
    is_seen[above] = True
    for layer in range(flat.sizes.size - 2, 0, -1):
        n_units = flat.sizes[layer]
        end, weight = weight, weight - flat.sizes[layer + 1] * n_units
        for k in range(n_units):
            unit, readers = above - n_units + k, flat.weights[weight + k : end : n_units]
            is_seen[unit] = observe_unit(
                flat.sizes, edges, signals, twice, observed, toggled, is_toggled, is_seen, layer, unit, above, readers,
                n_words,
            )  # fmt: skip
        above -= n_units
    return is_seen


@part
def split_changes(split, changed, planes, wrong, n_words):
    """Split the rows ``changed`` by plane into those righted and those wronged; returns the net weight."""
    net = 0
    for b in range(planes.shape[0]):
        count = 0
        for w in range(n_words):
            counted = changed[w] & planes[b, w]
            split[2 * b, w] = counted & wrong[w]
            split[2 * b + 1, w] = counted & ~wrong[w]
            count += popcount(counted & wrong[w]) - popcount(counted & ~wrong[w])
        net += count << b
    return net


@part
def count_net(split, signals, source, n_words):
    """Weight righted less weight wronged where signal ``source`` is set: the two AND-popcounts that a flip costs."""
    net = 0
    for b in range(split.shape[0] >> 1):
        count = 0
        for w in range(n_words):
            s = signals[source, w]
            count += popcount(s & split[2 * b, w]) - popcount(s & split[2 * b + 1, w])
        net += count << b
    return net


@part
def add_nets(split, signals, first_source, taken, net, gains, n_words):
    """Add ``net`` less `count_net` to the gain of every input that is not ``taken``."""
    for j in range(gains.size):
        if not taken[j]:
            gains[j] += net - count_net(split, signals, first_source + j, n_words)


@part
def find_holders(holders, groups, selected):
    """Note for every sibling group which of the ``selected`` literals it holds, if any."""
    for group in range(holders.size):
        holders[group] = FREE
    for j in range(groups.size):
        if selected[j] and groups[j] >= 0:
            holders[groups[j]] = j if holders[groups[j]] == FREE else CROWDED


@part
def mark_freed(signals, twice, edges, groups, group, holder, unit, freed, n_words):
    """Where ``unit`` would stop firing if it dropped all it has selected of ``group``."""
    if holder != CROWDED:
        for w in range(n_words):
            freed[w] = signals[unit, w] & ~twice[unit, w] & ~signals[holder, w]
        return
    for w in range(n_words):
        freed[w] = signals[unit, w]
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        if groups[source] != group:
            for w in range(n_words):
                freed[w] &= signals[source, w]


@part
def add_unit_gains(scratch, edges, planes, unit, first_source, selected, groups, gains, n_words):
    """Add what each flip of an input of ``unit`` wins; ``groups`` is empty where no sibling is replaced.

    An input added changes the unit where it does not fire and the input makes it; an input removed, where it alone
    made it fire. A literal that replaces a sibling changes all rows where the unit does not fire (siblings exclude
    each other) and those where nothing outside the group makes it fire and the new literal does not either.
    """
    signals, twice, observed, split = scratch.signals, scratch.twice, scratch.observed, scratch.split
    changed, wrong, holders, taken = scratch.toggled[unit], scratch.wrong, scratch.holders, scratch.taken
    for w in range(n_words):
        changed[w] = observed[unit, w] & signals[unit, w] & ~twice[unit, w]
    net = split_changes(split, changed, planes, wrong, n_words)
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        gains[edges.sources[e] - first_source] += net - count_net(split, signals, edges.sources[e], n_words)

    find_holders(holders, groups, selected)
    for j in range(selected.size):
        taken[j] = selected[j] or (groups.size and groups[j] >= 0 and holders[groups[j]] != FREE)
    for w in range(n_words):
        changed[w] = observed[unit, w] & ~signals[unit, w]
    net_off = split_changes(split, changed, planes, wrong, n_words)
    add_nets(split, signals, first_source, taken, net_off, gains, n_words)

    prepared = FREE
    for j in range(groups.size):
        if taken[j] and not selected[j]:
            if groups[j] != prepared:
                prepared = groups[j]
                mark_freed(signals, twice, edges, groups, prepared, holders[prepared], unit, changed, n_words)
                for w in range(n_words):
                    changed[w] &= observed[unit, w]
                split_changes(split, changed, planes, wrong, n_words)
            gains[j] += net_off + count_net(split, signals, j, n_words)


@part
def evaluate_block(flat, edges, rows, scratch, start, n_words):
    """Fill ``signals``, ``twice`` and ``wrong`` for ``n_words`` words of rows from ``start`` on."""
    signals, last = scratch.signals, scratch.signals.shape[0] - 1
    load_literals(signals, rows.literals, start, n_words, flat.first_and)
    for unit in range(flat.sizes[0], last + 1):
        fire_twice(signals, scratch.twice, edges, unit, n_words)
    flip, target = gate_mask(flat, flat.sizes.size - 2), rows.target[start : start + n_words]
    for w in range(n_words):
        scratch.wrong[w] = signals[last, w] ^ flip ^ target[w]


@jit
def add_gains(flat, rows, groups, start, stop, gains):
    """Add to ``gains``, one per weight, what its flip wins in words ``start`` to ``stop`` of the rows."""
    edges = list_edges(flat)
    n_signals, n_planes, n_groups = edges.starts.size - 1, rows.planes.shape[0], groups.size
    step = block_words(n_signals, stop - start)
    scratch = new_scratch(n_signals, n_planes, n_groups, step)
    for begin in range(start, stop, max(step, 1)):
        n_words = min(step, stop - begin)
        evaluate_block(flat, edges, rows, scratch, begin, n_words)
        is_seen = observe(flat, edges, scratch, n_words)
        planes = rows.planes[:, begin : begin + n_words]
        unit, first_source, weight = flat.sizes[0], np.int64(0), 0
        for layer in range(1, flat.sizes.size):
            n_inputs = flat.sizes[layer - 1]
            siblings = groups if layer == 1 and flat.first_and else groups[:0]
            for _ in range(flat.sizes[layer]):
                if is_seen[unit]:
                    selected, own = flat.weights[weight : weight + n_inputs], gains[weight : weight + n_inputs]
                    add_unit_gains(scratch, edges, planes, unit, first_source, selected, siblings, own, n_words)
                unit += 1
                weight += n_inputs
            first_source += n_inputs


@jit
def best_flip(flat, gains):
    """The weight with the largest gain and that gain; ties go to the first in scan order.

    Layer 0 is scanned unit by unit, every later layer source by source.
    """
    best, best_gain = -1, np.iinfo(np.int64).min
    for weight in range(flat.sizes[0] * flat.sizes[1]):
        if gains[weight] > best_gain:
            best, best_gain = weight, gains[weight]
    base = flat.sizes[0] * flat.sizes[1]
    for layer in range(2, flat.sizes.size):
        n_inputs = flat.sizes[layer - 1]
        for j in range(n_inputs):
            for k in range(flat.sizes[layer]):
                weight = base + k * n_inputs + j
                if gains[weight] > best_gain:
                    best, best_gain = weight, gains[weight]
        base += n_inputs * flat.sizes[layer]
    return best, best_gain


@jit
def flip(flat, groups, weight):
    """Flip a weight; in an AND first layer a literal that is added takes the place of its siblings."""
    n_literals = flat.sizes[0]
    adds = not flat.weights[weight]
    if adds and flat.first_and and weight < n_literals * flat.sizes[1]:
        first, literal = weight - weight % n_literals, weight % n_literals
        for j in range(n_literals):
            if groups[j] >= 0 and groups[j] == groups[literal]:
                flat.weights[first + j] = 0
    flat.weights[weight] = adds


@jit
def climb(flat, rows, groups, max_flips):
    """Take the best flip until none wins anything or ``max_flips`` are done; returns how many were."""
    gains = np.empty(flat.weights.size, np.int64)
    for n_flips in range(max_flips):
        for weight in range(gains.size):
            gains[weight] = 0
        add_gains(flat, rows, groups, 0, rows.target.size, gains)
        weight, gain = best_flip(flat, gains)
        if gain <= 0:
            return n_flips
        flip(flat, groups, weight)
    return max_flips


@jit
def gather(words, rows):
    """The given ``rows`` of packed ``words`` (n_signals, n_words), packed again in their order."""
    taken = np.zeros((words.shape[0], (rows.size + 63) // 64), np.uint64)
    for i in range(words.shape[0]):
        for r in range(rows.size):
            bit = (words[i, rows[r] >> 6] >> np.uint64(rows[r] & 63)) & np.uint64(1)
            taken[i, r >> 6] |= bit << np.uint64(r & 63)
    return taken
