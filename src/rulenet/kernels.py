"""Every compiled loop over packed rows: evaluation, observability, exact gains of all flips.

By De Morgan one operation serves both gates. Write s for a signal as a layer receives it and let a unit *fire*
where at least ``need`` of the inputs it has selected are *not* s:

    fires = (number of selected j with ~s[j]) >= need

The next layer has the other gate, so it receives exactly ``fires``: with needs of 1 an alternating network is a network
of NANDs. Layer 0 receives the literals (complemented if its gate is OR), and an output is ``fires`` of its unit
(complemented if that is an AND). The gate appears in these two places only.

A unit is *tipping* where its count is ``need - 1`` or ``need``: there, and only there, one input more or one less can
change it. So ``fires`` and ``tipping`` are all that flips, changed needs and toggled inputs ask for:

    count = need - 1    tipping & ~fires
    count = need        tipping & fires

Signals are numbered literals first, then unit by unit, layer by layer; weights and needs likewise. The outputs are the
units of the last layer, and what is won is the sum over them. Rows are cut into blocks so that all signals of a block
stay in the cache; counts of blocks add up, whoever counted them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from rulenet.compiled import callee, jit, lean, maker, part
from rulenet.vectors import count_four, count_two, room_for_signals, split_rows, split_tipping_rows

# Signals of one block should fit a second-level cache; longer blocks than this gain nothing (measured).
BLOCK_BYTES = 1 << 19
MAX_BLOCK_WORDS = 256
MIN_BLOCK_WORDS = 64

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)

LOWER, RAISE = 0, 1  # the columns of the gains of changed needs
ON, OFF = 0, 2  # where rows of `Scratch.split` begin: where a unit fires, and where it does not
FREE = -1  # the number of a literal that excludes no other


class Flat(NamedTuple):
    """A network without structure: ``weights`` (uint8, 0 or 1) and ``needs`` unit by unit, ``sizes`` of all layers.

    ``sizes`` starts with the number of literals and ends with that of the outputs.
    """

    weights: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    first_and: bool
    needs: NDArray[np.int64]


class Rows(NamedTuple):
    """Packed rows to learn from; ``target`` is (n_outputs, n_words), or (n_words) for a single output.

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

    A row per signal: ``signals`` (what the next layer receives), ``tipping`` and ``toggled`` (where a toggle further
    down arrives), with a flag whether any row is (``is_toggled``). ``observed`` and ``is_seen`` say where toggling a
    unit toggles an output, and have a row per output and signal: ``o * n_signals + unit``. ``wrong`` has a row per
    output. ``planes`` are those of the block's rows, unset beyond them. ``counters`` are those of the counting unit at
    hand: see `set_counters`. ``split`` has four rows per weight plane: where some change of a unit toggles the output,
    and where it would be wrong then; and the same of another change.
    ``taken`` flags the inputs that cannot simply be added to the unit at hand, ``held`` the numbers of exclusive
    literals of which one is selected. ``listed`` are inputs whose flips are counted next.
    """

    edges: Edges
    signals: NDArray[np.uint64]
    tipping: NDArray[np.uint64]
    observed: NDArray[np.uint64]
    toggled: NDArray[np.uint64]
    is_seen: NDArray[np.bool_]
    is_toggled: NDArray[np.bool_]
    split: NDArray[np.uint64]
    planes: NDArray[np.uint64]
    wrong: NDArray[np.uint64]
    counters: NDArray[np.uint64]
    taken: NDArray[np.bool_]
    held: NDArray[np.bool_]
    listed: NDArray[np.int64]


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


@maker
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


@part
def bit_length(number):
    """How many bits a number has."""
    length = 0
    while number >> length:
        length += 1
    return length


@maker
def new_counters(flat, n_words):
    """Room for the counters of any unit of ``flat``."""
    most = 0
    for size in flat.sizes:
        most = max(most, size)
    # A count has no more bits, and neither has a need within reach.
    return np.empty((bit_length(most + 2) + 2, n_words), np.uint64)


@maker
def new_scratch(flat, n_planes, n_words):
    """Working space for rows of ``n_words`` words, or for blocks of them where they are many."""
    edges = new_edges(flat)
    n_signals, n_outputs = edges.starts.size - 1, flat.sizes[-1]
    step = block_words(n_signals, n_words)
    return Scratch(
        edges,
        room_for_signals(n_signals, step),
        room_for_signals(n_signals, step),
        room_for_signals(n_outputs * n_signals, step),
        room_for_signals(n_signals, step),
        np.empty(n_outputs * n_signals, np.bool_),
        np.empty(n_signals, np.bool_),
        room_for_signals(4 * n_planes, step),
        room_for_signals(n_planes, step),
        room_for_signals(n_outputs, step),
        new_counters(flat, step),
        np.empty(n_signals, np.bool_),
        np.empty(n_signals, np.bool_),
        np.empty(n_signals + 1, np.int64),
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
def set_counters(counters, n_planes, value, n_words):
    """Let all rows count from ``value``.

    Row 0 of ``counters`` is what to add next, rows 1 to ``n_planes`` are the bits of the counts, the lowest first, and
    the row after these says where they ever ran over.
    """
    for b in range(n_planes):
        bits = ALL if (value >> b) & 1 else NONE
        for w in range(n_words):
            counters[1 + b, w] = bits
    for w in range(n_words):
        counters[1 + n_planes, w] = NONE


@part
def count_up(counters, n_planes, n_words):
    """Add row 0 to the counts."""
    for b in range(1, 1 + n_planes):
        for w in range(n_words):
            carry = counters[0, w] & counters[b, w]
            counters[b, w] ^= counters[0, w]
            counters[0, w] = carry
    for w in range(n_words):
        counters[1 + n_planes, w] |= counters[0, w]


@part
def start_counting(counters, need, n_inputs, n_words):
    """Set the counters so that ``need`` makes all their bits ones, and one more runs over; returns how many bits.

    All needs of two more than the inputs, or larger, are as far out of reach.
    """
    reached = min(need, n_inputs + 2)
    n_planes = bit_length(reached)
    set_counters(counters, n_planes, (1 << n_planes) - 1 - reached, n_words)
    return n_planes


@part
def end_counting(counters, n_planes, n_words):
    """Leave in row 0 where the count is ``need - 1`` or ``need``, and in row 1 where it is at least ``need``."""
    for w in range(n_words):
        counters[0, w] = ~counters[1 + n_planes, w]
    for b in range(2, 1 + n_planes):
        for w in range(n_words):
            counters[0, w] &= counters[b, w]
    for w in range(n_words):
        counters[1, w] = counters[1 + n_planes, w] | (counters[0, w] & counters[1, w])


@callee
def count_inputs(counters, signals, edges, need, unit, n_words):
    """Count the inputs that make ``unit`` fire; leaves in ``counters`` what `end_counting` does."""
    n_planes = start_counting(counters, need, edges.starts[unit + 1] - edges.starts[unit], n_words)
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        for w in range(n_words):
            counters[0, w] = ~signals[source, w]
        count_up(counters, n_planes, n_words)
    end_counting(counters, n_planes, n_words)


@callee
def count_toggled_inputs(counters, signals, toggled, is_toggled, edges, need, unit, n_words):
    """The same after all ``is_toggled`` inputs were toggled."""
    n_planes = start_counting(counters, need, edges.starts[unit + 1] - edges.starts[unit], n_words)
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        kept = ALL if is_toggled[source] else NONE
        for w in range(n_words):
            counters[0, w] = ~(signals[source, w] ^ (toggled[source, w] & kept))
        count_up(counters, n_planes, n_words)
    end_counting(counters, n_planes, n_words)


@part
def fire(signals, counters, edges, need, unit, n_words):
    """Compute where ``unit`` fires."""
    if need > 1:
        count_inputs(counters, signals, edges, need, unit, n_words)
        for w in range(n_words):
            signals[unit, w] = counters[1, w]
        return
    for w in range(n_words):
        signals[unit, w] = NONE
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        for w in range(n_words):
            signals[unit, w] |= ~signals[source, w]


@part
def fire_and_tip(signals, tipping, counters, edges, need, unit, n_words):
    """Compute where ``unit`` fires, and where it is tipping."""
    if need > 1:
        count_inputs(counters, signals, edges, need, unit, n_words)
        for w in range(n_words):
            signals[unit, w] = counters[1, w]
            tipping[unit, w] = counters[0, w]
        return
    for w in range(n_words):
        signals[unit, w] = NONE
        tipping[unit, w] = ALL
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        for w in range(n_words):
            tipping[unit, w] &= ~(signals[unit, w] & ~signals[source, w])
            signals[unit, w] |= ~signals[source, w]


@part
def fire_layers(flat, signals, counters, edges, literals, start, n_words):
    """Fill ``signals`` for words ``start`` onwards."""
    load_literals(signals, literals, start, n_words, flat.first_and)
    for unit in range(flat.sizes[0], signals.shape[0]):
        fire(signals, counters, edges, flat.needs[unit - flat.sizes[0]], unit, n_words)


@part
def fill_outputs(flat, literals, edges, signals, counters, outputs, found):
    """Fill ``outputs`` (n_outputs, n_words), and ``found`` (n_rows, n_outputs) with margins if it has room for any.

    ``edges``, ``signals`` and ``counters`` are working space, for a block of rows.
    """
    list_edges(flat, edges)
    n_signals, n_outputs, step = edges.starts.size - 1, flat.sizes[-1], signals.shape[1]
    flip = gate_mask(flat, flat.sizes.size - 2)
    for start in range(0, literals.shape[1], max(step, 1)):
        n_words = min(step, literals.shape[1] - start)
        fire_layers(flat, signals, counters, edges, literals, start, n_words)
        for o in range(n_outputs):
            for w in range(n_words):
                outputs[o, start + w] = signals[n_signals - n_outputs + o, w] ^ flip
            if found.shape[0] > 0:
                fill_margins(flat, signals, counters, edges, o, start, n_words, found)


@lean
def run(flat, literals, edges, signals, counters, outputs, found):
    """`fill_outputs`, called from Python."""
    fill_outputs(flat, literals, edges, signals, counters, outputs, found)


def evaluate(flat: Flat, literals: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The packed outputs of the network on packed ``literals``: (n_outputs, n_words)."""
    return _run(flat, literals, 0)[0]


def margins(flat: Flat, literals: NDArray[np.uint64], n_rows: int) -> NDArray[np.int64]:
    """By how many inputs every output of every row is above its need: (n_rows, n_outputs), not negative if it holds."""
    return _run(flat, literals, n_rows)[1]


def _run(flat: Flat, literals: NDArray[np.uint64], n_rows: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    sizes, n_words = flat.sizes.tolist(), literals.shape[1]
    n_signals, n_outputs, n_planes = sum(sizes), sizes[-1], (max(sizes) + 2).bit_length() + 2
    step = block_words(n_signals, n_words)
    edges = Edges(np.zeros(n_signals + 1, np.int64), np.empty(flat.weights.size, np.int64))
    signals, counters = np.empty((n_signals, step), np.uint64), np.empty((n_planes, step), np.uint64)
    outputs, found = np.empty((n_outputs, n_words), np.uint64), np.empty((n_rows, n_outputs), np.int64)
    run(flat, literals, edges, signals, counters, outputs, found)
    return outputs, found


@maker
def evaluate_within(flat, literals):
    """`evaluate`, called from kernels."""
    edges = new_edges(flat)
    n_signals, n_outputs = edges.starts.size - 1, flat.sizes[-1]
    step = block_words(n_signals, literals.shape[1])
    outputs = np.empty((n_outputs, literals.shape[1]), np.uint64)
    signals, counters = np.empty((n_signals, step), np.uint64), new_counters(flat, step)
    fill_outputs(flat, literals, edges, signals, counters, outputs, np.empty((0, n_outputs), np.int64))
    return outputs


@part
def count_all_inputs(counters, signals, edges, unit, n_words):
    """Count all inputs that make ``unit`` fire; returns of how many bits the counts are."""
    n_planes = bit_length(edges.starts[unit + 1] - edges.starts[unit])
    set_counters(counters, n_planes, np.int64(0), n_words)
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        for w in range(n_words):
            counters[0, w] = ~signals[edges.sources[e], w]
        count_up(counters, n_planes, n_words)
    return n_planes


@part
def read_count(counters, n_planes, row):
    """The count of one row of a block."""
    count = 0
    for b in range(n_planes):
        bit = (counters[1 + b, row >> 6] >> np.uint64(row & 63)) & np.uint64(1)
        count += np.int64(bit) << b
    return count


@part
def fill_margins(flat, signals, counters, edges, output, start, n_words, found):
    """Fill ``found`` with the margins of an output for the rows of a block."""
    unit = edges.starts.size - 1 - flat.sizes[-1] + output
    need = flat.needs[unit - flat.sizes[0]]
    is_and = gate_mask(flat, flat.sizes.size - 2) == ALL
    n_planes = count_all_inputs(counters, signals, edges, unit, n_words)
    for row in range(64 * start, min(64 * (start + n_words), found.shape[0])):
        count = read_count(counters, n_planes, row - 64 * start)
        found[row, output] = need - 1 - count if is_and else count - need


def evaluate_layer(
    weights: NDArray[np.bool_], below: NDArray[np.uint64], is_and: bool, needs: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """The packed activations of one layer, from those ``below``; ``weights`` is (n_units, n_inputs)."""
    above = np.empty((len(weights), below.shape[1]), np.uint64)
    n_counted = below.shape[1] if needs.max() > 1 else 0
    counters = np.empty(((len(below) + 2).bit_length() + 2, n_counted), np.uint64)
    run_layer(weights, below, is_and, needs, counters, above)
    return above


@lean
def run_layer(weights, below, is_and, needs, counters, above):
    """Fill ``above``; ``counters`` are working space."""
    flip = ALL if is_and else NONE
    n_inputs, n_words = below.shape
    for k in range(weights.shape[0]):
        if needs[k] > 1:
            count_selected(counters, weights[k], below, flip, needs[k])
            for w in range(n_words):
                above[k, w] = counters[1, w] ^ flip
            continue
        for w in range(n_words):
            above[k, w] = NONE
        for j in range(n_inputs):
            if weights[k, j]:
                for w in range(n_words):
                    above[k, w] |= below[j, w] ^ flip
        for w in range(n_words):
            above[k, w] ^= flip


@part
def count_selected(counters, selected, below, flip, need):
    """Count the ``selected`` signals ``below``, complemented by ``flip``; leaves what `end_counting` does."""
    n_planes = start_counting(counters, need, selected.size, counters.shape[1])
    for j in range(selected.size):
        if selected[j]:
            for w in range(counters.shape[1]):
                counters[0, w] = below[j, w] ^ flip
            count_up(counters, n_planes, counters.shape[1])
    end_counting(counters, n_planes, counters.shape[1])


@maker
def by_output(words, n_words):
    """Words of rows as (n_outputs, n_words)."""
    return words.reshape((words.size // max(n_words, 1), n_words))


def count_errors(predicted: NDArray[np.uint64], target: NDArray[np.uint64], planes: NDArray[np.uint64]) -> int:
    """The total weight of the rows where ``predicted`` and ``target`` differ, added up over the outputs."""
    differ = np.atleast_2d(predicted) ^ np.atleast_2d(target)
    return sum(int(np.bitwise_count(differ & plane).sum()) << b for b, plane in enumerate(planes))


@maker
def count_errors_within(predicted_rows, target, planes):
    """`count_errors`, called from kernels."""
    n_words, errors = planes.shape[1], 0
    target_rows = by_output(target, n_words)
    for o in range(target_rows.shape[0]):
        for b in range(planes.shape[0]):
            count = 0
            for w in range(n_words):
                count += popcount((predicted_rows[o, w] ^ target_rows[o, w]) & planes[b, w])
            errors += count << b
    return errors


@part
def toggle_reader(signals, tipping, toggled, unit, source, n_words):
    """Where ``unit`` toggles when its input ``source`` alone does, in all rows; whether anywhere."""
    anywhere = NONE
    for w in range(n_words):
        rows = tipping[unit, w] & (signals[source, w] ^ signals[unit, w])
        toggled[unit, w] = rows
        anywhere |= rows
    return anywhere != NONE


@part
def propagate_toggles(signals, toggled, is_toggled, counters, edges, need, unit, n_words):
    """Where ``unit`` toggles when all its ``is_toggled`` inputs do; whether anywhere."""
    if need > 1:
        count_toggled_inputs(counters, signals, toggled, is_toggled, edges, need, unit, n_words)
        for w in range(n_words):
            toggled[unit, w] = counters[1, w]
    else:
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
def toggle_unit(flat, scratch, layer, unit, above, readers, n_words):
    """Toggle ``unit`` in all rows and follow this upwards; returns the unit that carries on all of it, if one does.

    The next layer starts at signal ``above``; ``readers`` flags those of its units that read this one. The toggle is
    followed until one unit is all that toggles: its own observability, already known, says the rest. Returns -1 where
    the toggle ends below the outputs, and -2 where it arrives at several of them.
    """
    edges, signals, toggled, is_toggled = scratch.edges, scratch.signals, scratch.toggled, scratch.is_toggled
    n_toggled, carrier = 0, -1
    for reader in range(above, above + readers.size):
        is_toggled[reader] = False
        if readers[reader - above] and toggle_reader(signals, scratch.tipping, toggled, reader, unit, n_words):
            is_toggled[reader] = True
            n_toggled += 1
            carrier = reader
    while n_toggled > 1 and layer < flat.sizes.size - 2:
        layer += 1
        above += flat.sizes[layer]
        n_toggled, carrier = 0, -1
        for higher in range(above, above + flat.sizes[layer + 1]):
            is_toggled[higher] = False
            need = flat.needs[higher - flat.sizes[0]]
            if is_reached(is_toggled, edges, higher) and propagate_toggles(
                signals, toggled, is_toggled, scratch.counters, edges, need, higher, n_words
            ):
                is_toggled[higher] = True
                n_toggled += 1
                carrier = higher
    return carrier if n_toggled < 2 else -2


@part
def observe_through(scratch, output, first_output, unit, carrier, n_words):
    """Fill ``observed`` for ``unit``, of whose toggle ``carrier`` carries all on; whether any row is."""
    observed, toggled, n_signals = scratch.observed, scratch.toggled, scratch.signals.shape[0]
    if carrier == -2:
        carrier = first_output + output
        if not scratch.is_toggled[carrier]:
            return False
    seen, beyond = output * n_signals + unit, output * n_signals + carrier
    if carrier < 0 or not scratch.is_seen[beyond]:
        return False
    anywhere = NONE
    for w in range(n_words):
        observed[seen, w] = toggled[carrier, w] & observed[beyond, w]
        anywhere |= observed[seen, w]
    return anywhere != NONE


@part
def observe(flat, scratch, n_words):
    """Fill ``observed`` and ``is_seen``, from the outputs downwards."""
    n_signals, n_outputs = scratch.signals.shape[0], flat.sizes[-1]
    first_output = n_signals - n_outputs
    above, weight = first_output, flat.weights.size
    for o in range(n_outputs):
        for unit in range(first_output, n_signals):
            scratch.is_seen[o * n_signals + unit] = unit == first_output + o
        for w in range(n_words):
            scratch.observed[o * n_signals + first_output + o, w] = ALL
    for layer in range(flat.sizes.size - 2, 0, -1):
        n_units = flat.sizes[layer]
        end, weight = weight, weight - flat.sizes[layer + 1] * n_units
        for k in range(n_units):
            unit, readers = above - n_units + k, flat.weights[weight + k : end : n_units]
            carrier = toggle_unit(flat, scratch, layer, unit, above, readers, n_words)
            for o in range(n_outputs):
                is_seen = observe_through(scratch, o, first_output, unit, carrier, n_words)
                scratch.is_seen[o * n_signals + unit] = is_seen
        above -= n_units


@part
def split_toggled(scratch, unit, output, n_words):
    """Put the rows ``toggled[unit]`` into ``split``, and those wrong after it; returns the weight of the latter."""
    planes, wrong, wronged = scratch.planes, scratch.wrong, 0
    for b in range(planes.shape[0]):
        counts = split_rows(scratch.split, 4 * b + ON, scratch.toggled, unit, planes, b, wrong, output, n_words)
        wronged += counts[1] << b
    return wronged


@part
def split_tipping(scratch, unit, output, n_words):
    """The same of the rows where one input less changes ``unit``, and of those where one more does.

    Returns the weights righted and wronged of the former, and of the latter.
    """
    observed, tipping, signals = scratch.observed, scratch.tipping, scratch.signals
    planes, wrong, seen = scratch.planes, scratch.wrong, output * signals.shape[0] + unit
    on_righted, on_wronged, off_righted, off_wronged = 0, 0, 0, 0
    for b in range(planes.shape[0]):
        counts = split_tipping_rows(
            scratch.split, 4 * b, observed, seen, tipping, signals, unit, planes, b, wrong, output, n_words
        )
        on_righted += counts[0] << b
        on_wronged += counts[1] << b
        off_righted += counts[2] << b
        off_wronged += counts[3] << b
    return on_righted, on_wronged, off_righted, off_wronged


@callee
def add_counts(scratch, rows, listed, n_listed, first_source, base, sign, gains, n_words):
    """Add ``base`` and ``sign`` times a weight to the gain of each input that is ``listed``.

    The weight is that of the rows of ``split``, from ``rows`` on, that are righted where the input is set or wronged
    where it is not. Less all that are wronged, that is what is won where the input is set: two AND-popcounts in one.
    Four inputs are counted together, so that what they are counted by is read once for all; then those left two by two,
    the last one perhaps twice.
    """
    split, signals, first = scratch.split, scratch.signals, 0
    while n_listed - first > 2:
        a, b, c, d = listed[first], listed[first + 1], listed[first + 2], listed[min(first + 3, n_listed - 1)]
        of_a, of_b, of_c, of_d = 0, 0, 0, 0
        for plane in range(split.shape[0] >> 2):
            counts = count_four(split, 4 * plane + rows, signals, a, b, c, d, n_words)
            of_a += counts[0] << plane
            of_b += counts[1] << plane
            of_c += counts[2] << plane
            of_d += counts[3] << plane
        gains[a - first_source] += base + sign * of_a
        gains[b - first_source] += base + sign * of_b
        gains[c - first_source] += base + sign * of_c
        if d != c:
            gains[d - first_source] += base + sign * of_d
        first += 4
    if first < n_listed:
        a, b = listed[first], listed[n_listed - 1]
        of_a, of_b = 0, 0
        for plane in range(split.shape[0] >> 2):
            both = count_two(split, 4 * plane + rows, signals, a, b, n_words)
            of_a += both[0] << plane
            of_b += both[1] << plane
        gains[a - first_source] += base + sign * of_a
        if b != a:
            gains[b - first_source] += base + sign * of_b


@part
def count_replaced(flat, layer, need):
    """How many inputs of a unit are literals that take the place of those they exclude: all, or none.

    They do in the ANDs of a first layer, which would never hold with two of them; but not where an AND needs more than
    one input to fail.
    """
    return flat.sizes[0] if layer == 1 and flat.first_and and need == 1 else 0


@part
def find_taken(taken, held, exclusive, selected):
    """Flag the inputs that cannot simply be added: those ``selected``, and literals that exclude one selected."""
    for j in range(selected.size):
        taken[j] = selected[j]
    for j in range(exclusive.size):
        held[j] = False
    for j in range(exclusive.size):
        if selected[j] and exclusive[j] >= 0:
            held[exclusive[j]] = True
    for j in range(exclusive.size):
        if exclusive[j] >= 0 and held[exclusive[j]]:
            taken[j] = True


@part
def mark_freed(scratch, exclusive, number, unit, seen, n_words):
    """Where ``unit``, observed, would stop firing if it dropped all exclusive literals of ``number``: ``toggled``."""
    signals, toggled, edges = scratch.signals, scratch.toggled, scratch.edges
    for w in range(n_words):
        toggled[unit, w] = scratch.observed[seen, w] & signals[unit, w]
    for e in range(edges.starts[unit], edges.starts[unit + 1]):
        source = edges.sources[e]
        if exclusive[source] != number:
            for w in range(n_words):
                toggled[unit, w] &= signals[source, w]


@part
def add_removals(scratch, unit, first_source, righted, gains, n_words):
    """Add what removing each selected input wins: the unit changes where the count is its need and includes that input.

    ``righted`` is the weight that would be righted where the count is the need.
    """
    edges = scratch.edges
    selected = edges.sources[edges.starts[unit] : edges.starts[unit + 1]]
    add_counts(scratch, ON, selected, selected.size, first_source, righted, -1, gains, n_words)


@part
def add_additions(scratch, first_source, righted, gains, n_words):
    """Add what adding each input not taken wins: the unit changes where one is lacking and the input makes it fire.

    ``righted`` is the weight that would be righted where one is lacking.
    """
    listed, n_listed = scratch.listed, 0
    for j in range(gains.size):
        listed[n_listed] = first_source + j
        n_listed += 0 if scratch.taken[j] else 1
    add_counts(scratch, OFF, listed, n_listed, first_source, righted, -1, gains, n_words)


@part
def add_replacements(scratch, unit, output, selected, exclusive, net_off, gains, n_words):
    """Add what putting a literal in the place of those that it excludes wins, in a unit with a need of 1.

    As they exclude each other, all rows change where the unit does not fire (``net_off``); where it fires, those change
    in which no other input makes it fire and the new literal does not either.
    """
    seen, listed, j = output * scratch.signals.shape[0] + unit, scratch.listed, 0
    while j < exclusive.size:
        if not scratch.taken[j] or selected[j]:
            j += 1
            continue
        number, n_listed = exclusive[j], 0
        mark_freed(scratch, exclusive, number, unit, seen, n_words)
        wronged = split_toggled(scratch, unit, output, n_words)
        while j < exclusive.size and (not scratch.taken[j] or selected[j] or exclusive[j] == number):
            listed[n_listed] = j
            n_listed += 1 if scratch.taken[j] and not selected[j] else 0
            j += 1
        add_counts(scratch, ON, listed, n_listed, 0, net_off - wronged, 1, gains, n_words)


@part
def evaluate_block(flat, rows, target, scratch, start, n_words):
    """Fill ``signals``, ``tipping``, ``planes`` and ``wrong`` for ``n_words`` words of rows from ``start`` on."""
    signals, edges, n_outputs = scratch.signals, scratch.edges, flat.sizes[-1]
    n_literals, n_signals = flat.sizes[0], signals.shape[0]
    load_literals(signals, rows.literals, start, n_words, flat.first_and)
    for unit in range(n_literals, n_signals):
        need = flat.needs[unit - n_literals]
        fire_and_tip(signals, scratch.tipping, scratch.counters, edges, need, unit, n_words)
    for b in range(rows.planes.shape[0]):
        words = rows.planes[b, start : start + n_words]
        for w in range(scratch.planes.shape[1]):
            scratch.planes[b, w] = words[w] if w < n_words else NONE
    flip = gate_mask(flat, flat.sizes.size - 2)
    for o in range(n_outputs):
        wanted = target[o, start : start + n_words]
        for w in range(n_words):
            scratch.wrong[o, w] = signals[n_signals - n_outputs + o, w] ^ flip ^ wanted[w]


@part
def add_gains_of_unit(scratch, unit, output, need, first_source, selected, replaced, gains, need_gains, n_words):
    """Add what every change of one unit wins at one output."""
    find_taken(scratch.taken, scratch.held, replaced, selected)
    on_righted, on_wronged, off_righted, off_wronged = split_tipping(scratch, unit, output, n_words)
    add_removals(scratch, unit, first_source, on_righted, gains, n_words)
    add_additions(scratch, first_source, off_righted, gains, n_words)
    net_off = off_righted - off_wronged
    need_gains[RAISE] += on_righted - on_wronged
    if need > 1:
        need_gains[LOWER] += net_off
    add_replacements(scratch, unit, output, selected, replaced, net_off, gains, n_words)


@part
def sweep(flat, rows, target, exclusive, scratch, start, stop, gains, need_gains):
    """Add what every change wins in words ``start`` to ``stop`` of the rows, as `add_all_gains` says."""
    list_edges(flat, scratch.edges)
    step, n_signals = max(block_words(scratch.signals.shape[0], stop - start), 1), scratch.signals.shape[0]
    n_literals, n_outputs = flat.sizes[0], flat.sizes[-1]
    for begin in range(start, stop, step):
        n_words = min(step, stop - begin)
        evaluate_block(flat, rows, target, scratch, begin, n_words)
        observe(flat, scratch, n_words)
        unit, first_source, weight = n_literals, np.int64(0), 0
        for layer in range(1, flat.sizes.size):
            n_inputs = flat.sizes[layer - 1]
            for _ in range(flat.sizes[layer]):
                for o in range(n_outputs):
                    if scratch.is_seen[o * n_signals + unit]:
                        k, end = unit - n_literals, weight + n_inputs
                        need, replaced = flat.needs[k], exclusive[: count_replaced(flat, layer, flat.needs[k])]
                        add_gains_of_unit(
                            scratch, unit, o, need, first_source, flat.weights[weight:end], replaced, gains[weight:end],
                            need_gains[k], n_words,
                        )  # fmt: skip
                unit += 1
                weight += n_inputs
            first_source += n_inputs


@jit
def add_all_gains(flat, rows, exclusive, start, stop, gains, need_gains):
    """Add what each change wins in words ``start`` to ``stop`` of the rows: righted less wronged, over all outputs.

    ``gains`` has a number per weight, for its flip; ``need_gains`` has two per unit, for a need one lower and one
    higher. A need of 1 cannot be lowered and wins nothing. ``exclusive`` numbers the literals, those that exclude each
    other alike, -1 the others.
    """
    target = by_output(rows.target, rows.planes.shape[1])
    scratch = new_scratch(flat, rows.planes.shape[0], stop - start)
    sweep(flat, rows, target, exclusive, scratch, start, stop, gains, need_gains)


def add_gains(
    flat: Flat, rows: Rows, exclusive: NDArray[np.int64], start: int, stop: int, gains: NDArray[np.int64]
) -> None:
    """`add_all_gains` without those of changed needs."""
    add_all_gains(flat, rows, exclusive, start, stop, gains, np.zeros((flat.needs.size, 2), np.int64))


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
def flip(flat, exclusive, weight):
    """Flip a weight; a literal that is added may take the place of those it excludes: see `count_replaced`."""
    n_literals = flat.sizes[0]
    adds = not flat.weights[weight]
    if adds and weight < n_literals * flat.sizes[1]:
        first, literal = weight - weight % n_literals, weight % n_literals
        for j in range(count_replaced(flat, 1, flat.needs[weight // n_literals])):
            if exclusive[j] >= 0 and exclusive[j] == exclusive[literal]:
                flat.weights[first + j] = 0
    flat.weights[weight] = adds


@jit
def balance_errors(flat, rows):
    """The weight of the false negatives less that of the false positives."""
    outputs, balance = evaluate_within(flat, rows.literals), 0
    target = by_output(rows.target, rows.planes.shape[1])
    for o in range(target.shape[0]):
        for b in range(rows.planes.shape[0]):
            count = 0
            for w in range(target.shape[1]):
                wrong = (outputs[o, w] ^ target[o, w]) & rows.planes[b, w]
                count += popcount(wrong & target[o, w]) - popcount(wrong & ~target[o, w])
            balance += count << b
    return balance


@jit
def keep_direction(flat, exclusive, gains, generalise):
    """The gains of the flips that generalise, or of those that specialise; the least integer for all others.

    To remove an input of an AND or to add one to an OR generalises, the opposite specialises. A literal that takes the
    place of another may do both, and counts as either.
    """
    kept, held = gains.copy(), np.empty(exclusive.size, np.bool_)
    taken = np.empty(flat.sizes.max(), np.bool_)
    weight, unit = 0, 0
    for layer in range(1, flat.sizes.size):
        is_and = flat.first_and == (layer % 2 == 1)
        n_inputs = flat.sizes[layer - 1]
        for _ in range(flat.sizes[layer]):
            selected = flat.weights[weight : weight + n_inputs]
            find_taken(taken, held, exclusive[: count_replaced(flat, layer, flat.needs[unit])], selected)
            for j in range(n_inputs):
                replaces = taken[j] and not selected[j]
                generalises = (selected[j] != 0) == is_and
                if not replaces and generalises != generalise:
                    kept[weight + j] = np.iinfo(np.int64).min
            weight += n_inputs
            unit += 1
    return kept


@jit
def best_guided_flip(flat, rows, exclusive, gains):
    """The best flip of the direction that the errors ask for, or of all where none of these wins; and its gain."""
    balance = balance_errors(flat, rows)
    if balance != 0:
        weight, gain = best_flip(flat, keep_direction(flat, exclusive, gains, balance > 0))
        if gain > 0:
            return weight, gain
    return best_flip(flat, gains)


@jit
def climb(flat, rows, exclusive, max_flips, guided):
    """Take the best flip until none wins anything or ``max_flips`` are done; returns how many were."""
    gains, need_gains = np.empty(flat.weights.size, np.int64), np.zeros((flat.needs.size, 2), np.int64)
    n_planes, n_words = rows.planes.shape
    target, scratch = by_output(rows.target, n_words), new_scratch(flat, n_planes, n_words)
    for n_flips in range(max_flips):
        for weight in range(gains.size):
            gains[weight] = 0
        sweep(flat, rows, target, exclusive, scratch, 0, n_words, gains, need_gains)
        weight, gain = best_guided_flip(flat, rows, exclusive, gains) if guided else best_flip(flat, gains)
        if gain <= 0:
            return n_flips
        flip(flat, exclusive, weight)
    return max_flips


def gather(words: NDArray[np.uint64], picked: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The ``picked`` rows of packed ``words`` (n_signals, n_words), packed again in their order."""
    taken = np.zeros((len(words), (picked.size + 63) // 64), np.uint64)
    fill_gathered(words, picked, taken)
    return taken


@part
def gather_rows(words, picked, taken):
    """Set the bits of ``taken``, which are zero, to those of the ``picked`` rows."""
    for i in range(words.shape[0]):
        for r in range(picked.size):
            bit = (words[i, picked[r] >> 6] >> np.uint64(picked[r] & 63)) & np.uint64(1)
            taken[i, r >> 6] |= bit << np.uint64(r & 63)


@lean
def fill_gathered(words, picked, taken):
    """`gather_rows`, called from Python."""
    gather_rows(words, picked, taken)


@maker
def gather_within(words, picked):
    """`gather`, called from kernels."""
    taken = np.zeros((words.shape[0], (picked.size + 63) // 64), np.uint64)
    gather_rows(words, picked, taken)
    return taken


@maker
def gather_target(target, picked):
    """The ``picked`` rows of a target, of as many dimensions."""
    if target.ndim == 1:
        return gather_within(target.reshape((1, target.size)), picked)[0]
    return gather_within(target, picked)


@maker
def take(rows, picked):
    """The ``picked`` rows, in their order."""
    return Rows(
        gather_within(rows.literals, picked), gather_target(rows.target, picked), gather_within(rows.planes, picked)
    )


@jit
def climb_on_each(flat, rows, batches, exclusive, max_flips, guided, best_weights, best_errors):
    """`climb` on one batch of rows after the other; returns the errors on all rows after each.

    ``best_weights`` and ``best_errors[0]`` are kept up to date.
    """
    errors = np.empty(batches.shape[0], np.int64)
    for b in range(batches.shape[0]):
        if climb(flat, take(rows, batches[b]), exclusive, max_flips, guided) == 0 and b > 0:
            errors[b] = errors[b - 1]
            continue
        errors[b] = count_errors_within(evaluate_within(flat, rows.literals), rows.target, rows.planes)
        if errors[b] < best_errors[0]:
            best_errors[0] = errors[b]
            for weight in range(best_weights.size):
                best_weights[weight] = flat.weights[weight]
    return errors
