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
# Parts are called by kernels only and allocate nothing, so they do without Numba's reference counting (``_nrt``); and
# they are inlined, which saves the copies of their many arguments. Measured: sweeps of few rows take a third.
part = njit(cache=True, nogil=True, _nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# Signals of one block should fit a second-level cache; longer blocks than this gain nothing (measured).
BLOCK_BYTES = 1 << 19
MAX_BLOCK_WORDS = 256
MIN_BLOCK_WORDS = 64

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)

FREE = -1  # the group of a literal without siblings


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
    ``observed`` (toggling the unit toggles the output) and ``toggled`` (where a toggle further down arrives),
    with flags whether any row is (``is_seen``, ``is_toggled``).
    ``split`` has two rows per weight plane: what some set of changes would right, and what it would wrong.
    ``taken`` flags the inputs that cannot simply be added to the unit at hand, ``held`` the sibling groups that have a
    literal selected.
    """

    edges: Edges
    signals: NDArray[np.uint64]
    twice: NDArray[np.uint64]
    observed: NDArray[np.uint64]
    toggled: NDArray[np.uint64]
    is_seen: NDArray[np.bool_]
    is_toggled: NDArray[np.bool_]
    split: NDArray[np.uint64]
    wrong: NDArray[np.uint64]
    taken: NDArray[np.bool_]
    held: NDArray[np.bool_]


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


@jit
def new_edges(flat):
    """Room for all edges that ``flat`` may have."""
    n_signals = 0
    for size in flat.sizes:
        n_signals += size
    return Edges(np.zeros(n_signals + 1, np.int64), np.empty(flat.weights.size, np.int64))


@part
def list_edges(flat, edges):
    """Fill ``edges`` with the set weights of ``flat``."""
    unit, n_edges, first_source, weight = flat.sizes[0], 0, 0, 0
    for layer in range(1, flat.sizes.size):
        n_inputs = flat.sizes[layer - 1]
        for _ in range(flat.sizes[layer]):
            for j in range(n_inputs):
                if flat.weights[weight]:
                    edges.sources[n_edges] = first_source + j
                    n_edges += 1
                weight += 1
            unit += 1
            edges.starts[unit] = n_edges
        first_source += n_inputs


@part
def block_words(n_signals, n_words):
    """How many words of rows a block holds."""
    fitting = BLOCK_BYTES // (8 * n_signals)
    return min(max(min(fitting, MAX_BLOCK_WORDS), MIN_BLOCK_WORDS), n_words)


@jit
def new_scratch(flat, n_planes, n_words):
    """Working space for rows of ``n_words`` words, or for blocks of them where they are many."""
    edges = new_edges(flat)
    n_signals = edges.starts.size - 1
    step = block_words(n_signals, n_words)
    shape = (n_signals, step)
    return Scratch(
        edges,
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty(shape, np.uint64),
        np.empty(n_signals, np.bool_),
        np.empty(n_signals, np.bool_),
        np.empty((2 * n_planes, step), np.uint64),
        np.empty(step, np.uint64),
        np.empty(n_signals, np.bool_),
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
    edges = new_edges(flat)
    list_edges(flat, edges)
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
def toggle_reader(signals, twice, toggled, unit, source, n_words):
    """Where ``unit`` toggles when its input ``source`` alone does, in all rows; whether anywhere."""
    anywhere = NONE
    for w in range(n_words):
        s = signals[source, w]
        rows = (s & ~signals[unit, w]) | (~s & ~twice[unit, w])
        toggled[unit, w] = rows
        anywhere |= rows
    return anywhere != NONE


@part
def propagate_toggles(signals, toggled, is_toggled, edges, unit, n_words):
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
def is_reached(is_toggled, edges, unit):
    """Whether any input of ``unit`` toggles."""
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        if is_toggled[edges.sources[e]]:
            return True
    return False


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
    for reader in range(above, above + readers.size):
        is_toggled[reader] = False
        if readers[reader - above] and toggle_reader(signals, twice, toggled, reader, unit, n_words):
            is_toggled[reader] = True
            n_toggled += 1
            carrier = reader
    while n_toggled > 1:
        layer += 1
        above += sizes[layer]
        n_toggled = 0
        for higher in range(above, above + sizes[layer + 1]):
            is_toggled[higher] = False
            if is_reached(is_toggled, edges, higher) and propagate_toggles(
                signals, toggled, is_toggled, edges, higher, n_words
            ):
                is_toggled[higher] = True
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
def observe(flat, scratch, n_words):
    """Fill ``observed`` and ``is_seen``, from the output downwards."""
    edges, signals, twice = scratch.edges, scratch.signals, scratch.twice
    observed, toggled, is_seen, is_toggled = scratch.observed, scratch.toggled, scratch.is_seen, scratch.is_toggled
    above, weight = signals.shape[0] - 1, flat.weights.size
    for w in range(n_words):
        observed[above, w] = ALL
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


@part
def split_changes(split, toggled, unit, planes, wrong, n_words):
    """Split the rows ``toggled[unit]`` by plane into those righted and those wronged; returns the net weight."""
    net = 0
    for b in range(planes.shape[0]):
        count = 0
        for w in range(n_words):
            counted = toggled[unit, w] & planes[b, w]
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
def find_taken(taken, held, groups, selected):
    """Flag the inputs that cannot simply be added: those ``selected``, and literals with a sibling selected."""
    for j in range(selected.size):
        taken[j] = selected[j]
    for j in range(groups.size):
        held[j] = False
    for j in range(groups.size):
        if selected[j] and groups[j] >= 0:
            held[groups[j]] = True
    for j in range(groups.size):
        if groups[j] >= 0 and held[groups[j]]:
            taken[j] = True


@part
def mark_freed(signals, observed, toggled, edges, groups, group, unit, n_words):
    """Where ``unit``, observed, would stop firing if it dropped all it has selected of ``group``: into ``toggled``."""
    for w in range(n_words):
        toggled[unit, w] = observed[unit, w] & signals[unit, w]
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        if groups[source] != group:
            for w in range(n_words):
                toggled[unit, w] &= signals[source, w]


@part
def add_removals(scratch, planes, unit, first_source, gains, n_words):
    """Add what removing each selected input wins: the unit changes where that input alone makes it fire."""
    edges, signals, twice, split = scratch.edges, scratch.signals, scratch.twice, scratch.split
    for w in range(n_words):
        scratch.toggled[unit, w] = scratch.observed[unit, w] & signals[unit, w] & ~twice[unit, w]
    net = split_changes(split, scratch.toggled, unit, planes, scratch.wrong, n_words)
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        gains[edges.sources[e] - first_source] += net - count_net(split, signals, edges.sources[e], n_words)


@part
def add_additions(scratch, planes, unit, first_source, gains, n_words):
    """Add what adding each input not taken wins: the unit changes where it does not fire and the input makes it.

    Returns what is won where the unit does not fire at all.
    """
    signals, split, taken = scratch.signals, scratch.split, scratch.taken
    for w in range(n_words):
        scratch.toggled[unit, w] = scratch.observed[unit, w] & ~signals[unit, w]
    net = split_changes(split, scratch.toggled, unit, planes, scratch.wrong, n_words)
    for j in range(gains.size):
        if not taken[j]:
            gains[j] += net - count_net(split, signals, first_source + j, n_words)
    return net


@part
def add_replacements(scratch, planes, unit, selected, groups, net_off, gains, n_words):
    """Add what replacing selected literals by a sibling wins.

    Siblings exclude each other, so all rows change where the unit does not fire (``net_off``); where it fires, those
    change in which nothing outside the group makes it fire and the new literal does not either.
    """
    signals, split, taken = scratch.signals, scratch.split, scratch.taken
    prepared = FREE
    for j in range(groups.size):
        if taken[j] and not selected[j]:
            if groups[j] != prepared:
                prepared = groups[j]
                mark_freed(signals, scratch.observed, scratch.toggled, scratch.edges, groups, prepared, unit, n_words)
                split_changes(split, scratch.toggled, unit, planes, scratch.wrong, n_words)
            gains[j] += net_off + count_net(split, signals, j, n_words)


@part
def evaluate_block(flat, rows, scratch, start, n_words):
    """Fill ``signals``, ``twice`` and ``wrong`` for ``n_words`` words of rows from ``start`` on."""
    signals, last = scratch.signals, scratch.signals.shape[0] - 1
    load_literals(signals, rows.literals, start, n_words, flat.first_and)
    for unit in range(flat.sizes[0], last + 1):
        fire_twice(signals, scratch.twice, scratch.edges, unit, n_words)
    flip, target = gate_mask(flat, flat.sizes.size - 2), rows.target[start : start + n_words]
    for w in range(n_words):
        scratch.wrong[w] = signals[last, w] ^ flip ^ target[w]


@part
def sweep(flat, rows, groups, scratch, start, stop, gains):
    """Add to ``gains``, one per weight, what its flip wins in words ``start`` to ``stop`` of the rows."""
    list_edges(flat, scratch.edges)
    step = max(scratch.wrong.size, 1)
    for begin in range(start, stop, step):
        n_words = min(step, stop - begin)
        evaluate_block(flat, rows, scratch, begin, n_words)
        observe(flat, scratch, n_words)
        planes = rows.planes[:, begin : begin + n_words]
        unit, first_source, weight = flat.sizes[0], np.int64(0), 0
        for layer in range(1, flat.sizes.size):
            n_inputs = flat.sizes[layer - 1]
            siblings = groups if layer == 1 and flat.first_and else groups[:0]
            for _ in range(flat.sizes[layer]):
                if scratch.is_seen[unit]:
                    selected, own = flat.weights[weight : weight + n_inputs], gains[weight : weight + n_inputs]
                    find_taken(scratch.taken, scratch.held, siblings, selected)
                    add_removals(scratch, planes, unit, first_source, own, n_words)
                    net_off = add_additions(scratch, planes, unit, first_source, own, n_words)
                    add_replacements(scratch, planes, unit, selected, siblings, net_off, own, n_words)
                unit += 1
                weight += n_inputs
            first_source += n_inputs


@jit
def add_gains(flat, rows, groups, start, stop, gains):
    """`sweep` with working space of its own."""
    sweep(flat, rows, groups, new_scratch(flat, rows.planes.shape[0], stop - start), start, stop, gains)


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
def balance_errors(flat, rows):
    """The weight of the false negatives less that of the false positives."""
    output, balance = evaluate(flat, rows.literals), 0
    for b in range(rows.planes.shape[0]):
        count = 0
        for w in range(output.size):
            wrong = (output[w] ^ rows.target[w]) & rows.planes[b, w]
            count += popcount(wrong & rows.target[w]) - popcount(wrong & ~rows.target[w])
        balance += count << b
    return balance


@jit
def keep_direction(flat, groups, gains, generalise):
    """The gains of the flips that generalise, or of those that specialise; the least integer for all others.

    To remove an input of an AND or to add one to an OR generalises, the opposite specialises. A literal that takes the
    place of a sibling may do both, and counts as either.
    """
    kept, held = gains.copy(), np.empty(groups.size, np.bool_)
    taken = np.empty(flat.sizes.max(), np.bool_)
    weight = 0
    for layer in range(1, flat.sizes.size):
        is_and = flat.first_and == (layer % 2 == 1)
        siblings = groups if layer == 1 and flat.first_and else groups[:0]
        n_inputs = flat.sizes[layer - 1]
        for _ in range(flat.sizes[layer]):
            selected = flat.weights[weight : weight + n_inputs]
            find_taken(taken, held, siblings, selected)
            for j in range(n_inputs):
                replaces = taken[j] and not selected[j]
                generalises = (selected[j] != 0) == is_and
                if not replaces and generalises != generalise:
                    kept[weight + j] = np.iinfo(np.int64).min
            weight += n_inputs
    return kept


@jit
def best_guided_flip(flat, rows, groups, gains):
    """The best flip of the direction that the errors ask for, or of all where none of these wins; and its gain."""
    balance = balance_errors(flat, rows)
    if balance != 0:
        weight, gain = best_flip(flat, keep_direction(flat, groups, gains, balance > 0))
        if gain > 0:
            return weight, gain
    return best_flip(flat, gains)


@jit
def climb(flat, rows, groups, max_flips, guided):
    """Take the best flip until none wins anything or ``max_flips`` are done; returns how many were."""
    gains = np.empty(flat.weights.size, np.int64)
    scratch = new_scratch(flat, rows.planes.shape[0], rows.target.size)
    for n_flips in range(max_flips):
        for weight in range(gains.size):
            gains[weight] = 0
        sweep(flat, rows, groups, scratch, 0, rows.target.size, gains)
        weight, gain = best_guided_flip(flat, rows, groups, gains) if guided else best_flip(flat, gains)
        if gain <= 0:
            return n_flips
        flip(flat, groups, weight)
    return max_flips


@jit
def gather(words, picked):
    """The ``picked`` rows of packed ``words`` (n_signals, n_words), packed again in their order."""
    taken = np.zeros((words.shape[0], (picked.size + 63) // 64), np.uint64)
    for i in range(words.shape[0]):
        for r in range(picked.size):
            bit = (words[i, picked[r] >> 6] >> np.uint64(picked[r] & 63)) & np.uint64(1)
            taken[i, r >> 6] |= bit << np.uint64(r & 63)
    return taken


@jit
def take(rows, picked):
    """The ``picked`` rows, in their order."""
    target = gather(rows.target.reshape((1, rows.target.size)), picked)[0]
    return Rows(gather(rows.literals, picked), target, gather(rows.planes, picked))


@jit
def climb_on_each(flat, rows, batches, groups, max_flips, guided, best_weights, best_errors):
    """`climb` on one batch of rows after the other; returns the errors on all rows after each.

    ``best_weights`` and ``best_errors[0]`` are kept up to date.
    """
    errors = np.empty(batches.shape[0], np.int64)
    for b in range(batches.shape[0]):
        climb(flat, take(rows, batches[b]), groups, max_flips, guided)
        errors[b] = count_errors(evaluate(flat, rows.literals), rows.target, rows.planes)
        if errors[b] < best_errors[0]:
            best_errors[0] = errors[b]
            for weight in range(best_weights.size):
                best_weights[weight] = flat.weights[weight]
    return errors
