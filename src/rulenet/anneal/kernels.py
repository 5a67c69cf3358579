"""The compiled walk of `Anneal`: random changes of a live network, each judged by the units that it reaches.

Signals are those of `rulenet.kernels`: a unit fires where any input that it reads is not set, and the next layer
reads where it fires, so both gates are one operation. A walk keeps the signals of all units. A proposal changes what
one or two units read; the change is followed upwards, unit by unit, and stops where nothing differs. What it reached
is restored if the proposal is turned down. Nothing is allocated here, so nothing needs Numba's reference counting: 6
times faster, as measured; and parts are inlined, which saves copies of a walk's many arrays: twice as fast again.

Random choices are branches that a processor cannot foresee, and each that it gets wrong takes as long as computing a
unit. So lists are searched and inputs are read a vector at a time, units that wait are bits, and shares and logarithms
are compared as whole numbers found beforehand: a proposal takes two thirds of the time, as measured.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.anneal.vectors import copy_signal, count_differing, find_input, find_pair, fire_unit
from rulenet.bit_counts import count_trailing_zeros
from rulenet.compiled import lean, part, seldom
from rulenet.drawing import draw_below, draw_bits, next_word, share_of
from rulenet.holding import hold
from rulenet.kernels import ALL, NONE, popcount
from rulenet.relations import Relations

ERRORS, N_EDGES, N_SHOWN, BEST_ERRORS, BEST_N_EDGES, BEST_N_SHOWN, N_CHANGED, N_COUNTERS = range(8)
REMOVE, ADD, REPLACE, MOVE, REPAIR, COPY, NOTHING = range(7)

# How often the temperature is updated, in proposals.
COOLING_STEP = 256
# How often an input with a wanted value is drawn before a proposal is given up.
N_DRAWS = 8
ONE, TWO = np.uint64(1), np.uint64(2)
# Bounds of a logarithm are looked up by so many leading bits, and it is computed where they do not decide.
LOG_BITS = 7
LOG_SHIFT = np.uint64(64 - LOG_BITS)
# No errors rise by more.
FAR = 2.0**62
# What signals hold beyond those of the network, from the number of these on: one that is set on all rows, the rows
# where the output should fire, the planes of the rows' weights, and, last, what units that changed were.
SET_ROW, WANTED_ROW, FIRST_PLANE = range(3)


class Walk(NamedTuple):
    """A network that changes, with its signals on the rows it is judged by.

    Signals are numbered literals first, then unit by unit. Unit u reads ``inputs[u, :n_inputs[u]]``, and beyond them
    what is always set; bit k of ``readers[:, u]`` says that the unit k after the literals reads it. The edges are also
    listed, in no order, as (unit, input) pairs in ``edges[: counters[N_EDGES]]``. ``layer_starts`` has the first signal
    of every layer, the literals being layer 0. ``relations`` tells which literals are of one attribute, and which are
    neighbours. ``best`` holds the edges of the network of least cost so far. Signals are padded to whole vectors
    (`vectors`); ``wanted`` and ``planes`` are rows of them. ``logarithms`` has bounds of those of shares that begin
    alike. ``waiting`` and ``changed`` are scratch.
    """

    signals: NDArray[np.uint64]
    inputs: NDArray[np.int32]
    n_inputs: NDArray[np.int64]
    readers: NDArray[np.uint64]
    edges: NDArray[np.int32]
    best: NDArray[np.int32]
    layer_starts: NDArray[np.int64]
    layers: NDArray[np.int64]
    relations: Relations
    counters: NDArray[np.int64]
    waiting: NDArray[np.uint64]
    changed: NDArray[np.int64]
    wanted: NDArray[np.uint64]
    planes: NDArray[np.uint64]
    logarithms: NDArray[np.float64]
    random: NDArray[np.uint64]


@part
def count_wrong(walk):
    """The total weight of the rows that the network gets wrong."""
    errors, n_signals = 0, walk.layers.size
    for b in range(walk.planes.shape[0]):
        plane = n_signals + FIRST_PLANE + b
        errors += count_differing(walk.signals, n_signals - 1, n_signals + WANTED_ROW, plane) << b
    return errors


@part
def contains(walk, unit, source):
    """Whether a unit reads a signal."""
    n_inputs = walk.n_inputs[unit]
    return find_input(walk.inputs, n_inputs, unit, source) < n_inputs


@part
def add_reader(walk, source, unit):
    """Note that ``unit`` reads ``source``."""
    number = unit - walk.layer_starts[1]
    walk.readers[number >> 6, source] |= ONE << np.uint64(number & 63)


@part
def remove_reader(walk, source, unit):
    """Undo `add_reader`."""
    number = unit - walk.layer_starts[1]
    walk.readers[number >> 6, source] &= ~(ONE << np.uint64(number & 63))


@part
def is_read(walk, source):
    """Whether any unit reads a signal."""
    for w in range(walk.readers.shape[0]):
        if walk.readers[w, source] != NONE:
            return True
    return False


@seldom
def load(walk, rows, edges, first_and):
    """Fill a walk from the (unit, input) edges of a network, and judge it."""
    walk, rows = hold(walk), hold(rows)
    flip = NONE if first_and else ALL
    n_literals, n_signals = rows.literals.shape[0], walk.layers.size
    for k in range(n_signals):
        for i in range(walk.n_inputs[k]):
            walk.inputs[k, i] = n_signals + SET_ROW
        walk.n_inputs[k] = 0
        for w in range(walk.readers.shape[0]):
            walk.readers[w, k] = NONE
    for w in range(walk.signals.shape[1]):
        walk.signals[n_signals + SET_ROW, w] = ALL
    walk.counters[N_SHOWN] = 0
    for j in range(n_literals):
        for w in range(rows.target.size):
            walk.signals[j, w] = rows.literals[j, w] ^ flip
    walk.counters[N_EDGES] = 0
    for e in range(edges.shape[0]):
        add_edge(walk, edges[e, 0], edges[e, 1])
    for k in range(n_literals, n_signals):
        fire_unit(walk.signals, walk.inputs, walk.n_inputs[k], k, walk.signals.shape[0] - 1)
        walk.counters[N_SHOWN] += shown(walk, k, walk.n_inputs[k])
    walk.counters[ERRORS] = count_wrong(walk)
    note_best(walk)


@part
def note_best(walk):
    """Remember the network as the best so far."""
    n_edges = walk.counters[N_EDGES]
    for e in range(n_edges):
        walk.best[e, 0], walk.best[e, 1] = walk.edges[e, 0], walk.edges[e, 1]
    walk.counters[BEST_ERRORS] = walk.counters[ERRORS]
    walk.counters[BEST_N_EDGES] = n_edges
    walk.counters[BEST_N_SHOWN] = walk.counters[N_SHOWN]


@part
def layer_size(walk, layer):
    """The number of signals of a layer."""
    return walk.layer_starts[layer + 1] - walk.layer_starts[layer]


@part
def draw_in(walk, layer):
    """A random signal of a layer."""
    return walk.layer_starts[layer] + draw_below(walk.random, layer_size(walk, layer))


@part
def draw_addition(walk, shares):
    """A random (unit, input); layer l + 1 is drawn from ``shares[l]`` on."""
    draw, layer = draw_bits(walk.random), 1
    for i in range(1, shares.size - 1):
        layer += draw >= shares[i]
    return draw_in(walk, layer), draw_in(walk, layer - 1)


@part
def draw_neighbour(walk, literal):
    """Half of the time, for a literal of an ordered attribute, the next one up or down; else -1."""
    up, down = walk.relations.up[literal], walk.relations.down[literal]
    if up < 0 and down < 0:
        return np.int64(-1)
    word = next_word(walk.random)
    if word & ONE == NONE:
        return np.int64(-1)
    return up if down < 0 or (up >= 0 and word & TWO != NONE) else down


@part
def draw_other_input(walk, unit, source):
    """A random input to read in place of ``source``: for a literal, often a neighbour or one of the same attribute."""
    layer = walk.layers[unit]
    if layer == 1:
        neighbour = draw_neighbour(walk, source)
        if neighbour >= 0:
            return neighbour
        if next_word(walk.random) & ONE:
            relations, owner = walk.relations, walk.relations.owner[source]
            first = relations.starts[owner]
            return relations.members[first + draw_below(walk.random, relations.starts[owner + 1] - first)]
    return draw_in(walk, layer - 1)


@part
def draw_wrong_row(walk, rows):
    """A row that the network gets wrong, as its word and its bit there; the bit is NONE if there is no such row."""
    output, n_words = walk.layers.size - 1, rows.target.size
    word = draw_below(walk.random, n_words)
    if walk.counters[ERRORS] == 0:
        return word, NONE
    for _ in range(n_words):
        weighed = NONE
        for b in range(walk.planes.shape[0]):
            weighed |= walk.planes[b, word]
        wrong = (walk.signals[output, word] ^ walk.wanted[word]) & weighed
        if wrong != NONE:
            for _ in range(draw_below(walk.random, popcount(wrong))):
                wrong &= wrong - ONE
            return word, wrong & (~wrong + ONE)
        word = word + 1 if word + 1 < n_words else 0
    return word, NONE


@part
def draw_with(walk, layer, word, bit, value):
    """A random signal of a layer whose ``bit`` of ``word`` is set, or not, as ``value`` says; -1 if few are."""
    for _ in range(N_DRAWS):
        source = draw_in(walk, layer)
        if ((walk.signals[source, word] & bit) != NONE) == value:
            return source
    return np.int64(-1)


@part
def propose_repair(walk, rows):
    """A change towards what one row needs that the network gets wrong, in the form of `propose`.

    From the output downwards: a unit that fires wrongly has inputs that are not set, one of them must go, or be
    replaced by one that is set, or be set by a change further down. A unit that wrongly does not fire needs another
    input that is not set on this row, or one of its inputs must be changed further down.
    """
    word, bit = draw_wrong_row(walk, rows)
    if bit == NONE:
        return NOTHING, -1, 0, 0, 0
    unit = walk.layers.size - 1
    while True:
        layer, n_inputs = walk.layers[unit], walk.n_inputs[unit]
        stay = layer == 1 or next_word(walk.random) & np.uint64(3) == NONE
        if walk.signals[unit, word] & bit != NONE:
            i = draw_below(walk.random, n_inputs)
            while walk.signals[walk.inputs[unit, i], word] & bit != NONE:
                i = i + 1 if i + 1 < n_inputs else 0
            source = np.int64(walk.inputs[unit, i])
            if stay:
                if next_word(walk.random) & np.uint64(1):
                    return REMOVE, -1, unit, source, 0
                other = draw_with(walk, layer - 1, word, bit, True)
                if other < 0 or contains(walk, unit, other):
                    return NOTHING, -1, 0, 0, 0
                return REPLACE, -1, unit, source, other
            unit = source
        elif stay or n_inputs == 0:
            source = draw_with(walk, layer - 1, word, bit, False)
            if source < 0:
                return NOTHING, -1, 0, 0, 0
            return ADD, -1, unit, source, 0
        else:
            unit = np.int64(walk.inputs[unit, draw_below(walk.random, n_inputs)])


@part
def propose(walk, rows, moves, shares):
    """A random change as (kind, edge, unit, input, other): kind k + 1 is drawn from ``moves[k]`` on.

    ``other`` is the input that replaces, or the unit that the edge moves to. A negative edge is to be looked up.
    """
    draw = draw_bits(walk.random)
    if moves[REMOVE] <= draw < moves[ADD]:
        unit, source = draw_addition(walk, shares)
        kind = NOTHING if contains(walk, unit, source) else ADD
        return kind, 0, unit, source, 0
    if moves[MOVE] <= draw < moves[REPAIR]:
        return propose_repair(walk, rows)
    if walk.counters[N_EDGES] == 0:
        return NOTHING, 0, 0, 0, 0
    edge = draw_below(walk.random, walk.counters[N_EDGES])
    unit, source = np.int64(walk.edges[edge, 0]), np.int64(walk.edges[edge, 1])
    if draw < moves[REMOVE]:
        return REMOVE, edge, unit, source, 0
    if moves[REPAIR] <= draw:
        return COPY, edge, unit, source, 0
    if draw < moves[REPLACE]:
        other = draw_other_input(walk, unit, source)
        kind = NOTHING if contains(walk, unit, other) else REPLACE
        return kind, edge, unit, source, other
    other = draw_in(walk, walk.layers[unit])
    kind = NOTHING if contains(walk, other, source) else MOVE
    return kind, edge, unit, source, other


@part
def keep_change(walk, kind, edge, unit, source, other):
    """Bring ``readers`` and ``edges`` in line with a change that is kept."""
    if kind == ADD:
        note_edge(walk, unit, source)
        return
    remove_reader(walk, source, unit)
    if edge < 0:
        edge = find_pair(walk.edges, walk.counters[N_EDGES], unit, source)
    if kind == REMOVE:
        walk.counters[N_EDGES] -= 1
        last = walk.counters[N_EDGES]
        walk.edges[edge, 0], walk.edges[edge, 1] = walk.edges[last, 0], walk.edges[last, 1]
    elif kind == REPLACE:
        add_reader(walk, other, unit)
        walk.edges[edge, 1] = other
    else:
        add_reader(walk, source, other)
        walk.edges[edge, 0] = other


@part
def note_edge(walk, unit, source):
    """Note in ``readers`` and ``edges`` that ``unit`` reads ``source``."""
    add_reader(walk, source, unit)
    edge = walk.counters[N_EDGES]
    walk.counters[N_EDGES] += 1
    walk.edges[edge, 0], walk.edges[edge, 1] = unit, source


@part
def add_edge(walk, unit, source):
    """Let ``unit`` read ``source``; signals stay as they are."""
    walk.inputs[unit, walk.n_inputs[unit]] = source
    walk.n_inputs[unit] += 1
    note_edge(walk, unit, source)


@part
def follow(walk, first, other):
    """Compute unit ``first`` anew, and ``other`` unless it is negative, and whatever they reach.

    Units that wait are bits of ``waiting``, and the lowest is next: what a unit reads is computed before it. Which unit
    is next waits for the readers of the one before: each word of ``readers`` is a row, so that no product is needed to
    find them, and other words are looked at once no unit of this one waits. Measured: some 5% of the time.
    """
    n_literals, n_words, n_changed = walk.layer_starts[1], walk.readers.shape[0], 0
    backup = walk.signals.shape[0] - walk.changed.size
    number = first - n_literals
    begin = number >> 6
    walk.waiting[begin] = ONE << np.uint64(number & 63)
    if other >= 0:
        number = other - n_literals
        begin = min(begin, number >> 6)
        walk.waiting[number >> 6] |= ONE << np.uint64(number & 63)
    for w in range(begin, n_words):
        waiting, n_before = walk.waiting[w], n_changed
        walk.waiting[w] = NONE
        while waiting != NONE:
            unit = n_literals + (w << 6) + count_trailing_zeros(waiting)
            waiting &= waiting - ONE
            if fire_unit(walk.signals, walk.inputs, walk.n_inputs[unit], unit, backup + n_changed) != NONE:
                walk.changed[n_changed] = unit
                n_changed += 1
                waiting |= walk.readers[w, unit]
        for v in range(w + 1, n_words):
            for i in range(n_before, n_changed):
                walk.waiting[v] |= walk.readers[v, walk.changed[i]]
    walk.counters[N_CHANGED] = n_changed


@part
def restore_signals(walk):
    """Undo the last `follow`."""
    backup = walk.signals.shape[0] - walk.changed.size
    for i in range(walk.counters[N_CHANGED]):
        copy_signal(walk.signals, walk.changed[i], backup + i)


@part
def change_inputs(walk, kind, unit, source, other):
    """Let the units read what the proposal says; ``readers`` and ``edges`` stay until it is kept."""
    n_inputs, nothing = walk.n_inputs[unit], walk.layers.size + SET_ROW
    place = find_input(walk.inputs, n_inputs, unit, source)
    last = n_inputs if kind == ADD else n_inputs - 1
    walk.inputs[unit, place] = walk.inputs[unit, last]
    walk.inputs[unit, last] = source if kind == ADD else other if kind == REPLACE else nothing
    walk.n_inputs[unit] = last + 1 if kind == ADD or kind == REPLACE else last
    if kind == MOVE:
        walk.inputs[other, walk.n_inputs[other]] = source
        walk.n_inputs[other] += 1


@part
def restore_inputs(walk, kind, unit, source, other):
    """Undo `change_inputs`, but for the order: the input that was to go is the last one."""
    n_inputs, nothing = walk.n_inputs[unit], walk.layers.size + SET_ROW
    last = n_inputs - 1 if kind == ADD or kind == REPLACE else n_inputs
    walk.inputs[unit, last] = nothing if kind == ADD else source
    walk.n_inputs[unit] = last if kind == ADD else last + 1
    if kind == MOVE:
        walk.n_inputs[other] -= 1
        walk.inputs[other, walk.n_inputs[other]] = nothing


@part
def attempt(walk, kind, edge, unit, source, other, limits):
    """Make a change unless it raises the errors by more than its limit (`is_above`); whether it was made."""
    change_inputs(walk, kind, unit, source, other)
    follow(walk, unit, other if kind == MOVE else np.int64(-1))
    errors = count_wrong(walk)
    if is_above(errors - walk.counters[ERRORS], limits):
        restore_inputs(walk, kind, unit, source, other)
        restore_signals(walk)
        return False
    keep_change(walk, kind, edge, unit, source, other)
    walk.counters[ERRORS] = errors
    return True


@part
def limit_of(temperature, share, paid):
    """By how much a proposal may raise the errors."""
    return -temperature * np.log(share) - paid


@part
def is_above(rise, limits):
    """Whether the errors rise by more than a limit: the last three of ``limits`` are what it is computed from.

    The first two are whole numbers that it lies between; only where they do not tell it is computed.
    """
    least, most, temperature, share, paid = limits
    if rise > most:
        return True
    if rise <= least:
        return False
    return rise > limit_of(temperature, share, paid)


@part
def whole(limit):
    """The whole numbers that are not above a limit are those up to this one."""
    return np.int64(np.floor(min(max(limit, -FAR), FAR)))


@part
def shown(walk, unit, n_inputs):
    """What a unit with ``n_inputs`` adds to the size: a hidden unit with one input only passes it on."""
    return n_inputs if n_inputs > 1 or unit == walk.layers.size - 1 else 0


@part
def shown_won(walk, kind, unit, other):
    """By how many shown edges a change grows the network."""
    if kind == REPLACE:
        return 0
    n = walk.n_inputs[unit]
    if kind == ADD:
        return shown(walk, unit, n + 1) - shown(walk, unit, n)
    won = shown(walk, unit, n - 1) - shown(walk, unit, n)
    if kind == MOVE and other != unit:
        n = walk.n_inputs[other]
        won += shown(walk, other, n + 1) - shown(walk, other, n)
    return won


@part
def draw_spare(walk, layer):
    """A unit of a layer that reads nothing and is not read, or -1 if there are few."""
    for _ in range(N_DRAWS):
        unit = draw_in(walk, layer)
        if walk.n_inputs[unit] == 0 and not is_read(walk, unit):
            return unit
    return np.int64(-1)


@part
def draw_copy(walk, original):
    """A change of a copy of a unit, as (kind, spare unit for the copy, input, other)."""
    n_inputs = walk.n_inputs[original]
    spare = draw_spare(walk, walk.layers[original]) if n_inputs > 0 else np.int64(-1)
    if spare < 0:
        return NOTHING, spare, 0, 0
    source = np.int64(walk.inputs[original, draw_below(walk.random, n_inputs)])
    other = draw_other_input(walk, original, source)
    kind = REMOVE + draw_below(walk.random, np.int64(3))
    if kind == ADD:
        source = other
    if kind != REMOVE and contains(walk, original, other):
        return NOTHING, spare, 0, 0
    return kind, spare, source, other


@part
def shown_by_copy(walk, kind, reader, original, spare):
    """By how many shown edges a changed copy of a unit grows the network."""
    n_inputs = walk.n_inputs[original] + (1 if kind == ADD else -1 if kind == REMOVE else 0)
    n_read = walk.n_inputs[reader]
    return shown(walk, reader, n_read + 1) - shown(walk, reader, n_read) + shown(walk, spare, n_inputs)


@part
def add_copy(walk, reader, original, spare):
    """Let ``reader`` read ``spare``, a copy of a unit that it reads as well."""
    for i in range(walk.n_inputs[original]):
        add_edge(walk, spare, np.int64(walk.inputs[original, i]))
    add_edge(walk, reader, spare)
    for w in range(walk.signals.shape[1]):
        walk.signals[spare, w] = walk.signals[original, w]


@part
def remove_copy(walk, reader, original, spare):
    """Undo `add_copy`."""
    n_inputs, nothing = walk.n_inputs[original], walk.layers.size + SET_ROW
    walk.counters[N_EDGES] -= n_inputs + 1
    remove_reader(walk, spare, reader)
    walk.n_inputs[reader] -= 1
    walk.inputs[reader, walk.n_inputs[reader]] = nothing
    for i in range(n_inputs):
        remove_reader(walk, np.int64(walk.inputs[original, i]), spare)
        walk.inputs[spare, i] = nothing
    walk.n_inputs[spare] = 0
    for w in range(walk.signals.shape[1]):
        walk.signals[spare, w] = NONE


@lean
def anneal(walk, rows, n_proposals, hot, cold, price, moves, shares, stop):
    """Make ``n_proposals`` at a temperature falling from ``hot`` to ``cold``; the best network is in ``best``.

    A change is made if it raises the cost, errors + price * edges, by less than the temperature times an exponential
    random number. ``stop[0]`` is looked at now and then and ends the walk.
    """
    walk, rows = hold(walk), hold(rows)
    best = walk.counters[BEST_ERRORS] + price * walk.counters[BEST_N_SHOWN]
    temperature = hot
    for i in range(n_proposals):
        if i % COOLING_STEP == 0:
            if stop[0]:
                return
            temperature = hot * (cold / hot) ** (i / n_proposals)
        kind, edge, unit, source, other = propose(walk, rows, moves, shares)
        if kind == NOTHING:
            continue
        word = next_word(walk.random)
        reader, original = unit, np.int64(-1)
        if kind == COPY:
            original, edge = source, np.int64(-1)
            kind, unit, source, other = draw_copy(walk, original)
            if kind == NOTHING:
                continue
            won = shown_by_copy(walk, kind, reader, original, unit)
        else:
            won = shown_won(walk, kind, unit, other)
        share, paid, nth = share_of(word), price * won, np.int64(word >> LOG_SHIFT)
        lowest = -temperature * walk.logarithms[nth, 1] - paid
        highest = -temperature * walk.logarithms[nth, 0] - paid
        if lowest + walk.counters[ERRORS] < 0:
            lowest = limit_of(temperature, share, paid)
            highest = lowest
            if lowest + walk.counters[ERRORS] < 0:
                continue
        if original >= 0:
            add_copy(walk, reader, original, unit)
        if attempt(walk, kind, edge, unit, source, other, (whole(lowest), whole(highest), temperature, share, paid)):
            walk.counters[N_SHOWN] += won
            cost = walk.counters[ERRORS] + price * walk.counters[N_SHOWN]
            if cost < best - 1e-9:
                best = cost
                note_best(walk)
        elif original >= 0:
            remove_copy(walk, reader, original, unit)


@seldom
def prune(walk, price, stop):
    """Remove edges, the latest first, while that does not raise the cost; the number removed."""
    walk = hold(walk)
    n_removed, again = 0, True
    while again and not stop[0]:
        again = False
        edge = walk.counters[N_EDGES] - 1
        while edge >= 0:
            unit, source = np.int64(walk.edges[edge, 0]), np.int64(walk.edges[edge, 1])
            won = shown_won(walk, np.int64(REMOVE), unit, np.int64(0))
            limit = whole(-price * won)
            limits = (limit, limit, 0.0, 1.0, 0.0)
            if attempt(walk, np.int64(REMOVE), np.int64(edge), unit, source, np.int64(0), limits):
                walk.counters[N_SHOWN] += won
                n_removed += 1
                again = True
            edge -= 1
    note_best(walk)
    return n_removed
