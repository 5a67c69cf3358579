"""The compiled walk of `Anneal`: random changes of a live network, each judged by the units that it reaches.

Signals are those of `rulenet.kernels`: a unit fires where any input that it reads is not set, and the next layer
reads where it fires, so both gates are one operation. A walk keeps the signals of all units. A proposal changes what
one or two units read; the change is followed upwards, unit by unit, and stops where nothing differs. What it reached
is restored if the proposal is turned down. Nothing is allocated here, so nothing needs Numba's reference counting: 6
times faster, as measured; and parts are inlined, which saves copies of a walk's many arrays: twice as fast again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.anneal.vectors import copy_signal, fire_unit
from rulenet.compiled import lean, part, seldom
from rulenet.drawing import draw_below, draw_share, next_word
from rulenet.holding import hold
from rulenet.kernels import ALL, NONE, popcount
from rulenet.relations import Relations

ERRORS, N_EDGES, N_SHOWN, BEST_ERRORS, BEST_N_EDGES, BEST_N_SHOWN, STAMP, N_CHANGED, N_COUNTERS = range(9)
REMOVE, ADD, REPLACE, MOVE, REPAIR, COPY, NOTHING = range(7)

# How often the temperature is updated, in proposals.
COOLING_STEP = 256
# How often an input with a wanted value is drawn before a proposal is given up.
N_DRAWS = 8
ONE, TWO = np.uint64(1), np.uint64(2)


class Walk(NamedTuple):
    """A network that changes, with its signals on the rows it is judged by.

    Signals are numbered literals first, then unit by unit. Unit u reads ``inputs[u, :n_inputs[u]]`` and is read by
    ``readers[u, :n_readers[u]]``; the edges are also listed, in no order, as (unit, input) pairs in
    ``edges[: counters[N_EDGES]]``. ``layer_starts`` has the first signal of every layer, the literals being layer 0.
    ``relations`` tells which literals are of one attribute, and which are neighbours. ``best`` holds the edges of the
    network of least cost so far. Signals are padded to whole vectors (`vectors`). ``queue``, ``stamps``, ``changed``
    and ``backup`` are scratch.
    """

    signals: NDArray[np.uint64]
    backup: NDArray[np.uint64]
    inputs: NDArray[np.int32]
    n_inputs: NDArray[np.int64]
    readers: NDArray[np.int32]
    n_readers: NDArray[np.int64]
    edges: NDArray[np.int32]
    best: NDArray[np.int32]
    layer_starts: NDArray[np.int64]
    layers: NDArray[np.int64]
    relations: Relations
    counters: NDArray[np.int64]
    queue: NDArray[np.int64]
    stamps: NDArray[np.int64]
    changed: NDArray[np.int64]
    random: NDArray[np.uint64]
    flip: np.uint64


@part
def count_wrong(output, target, planes, flip):
    """The total weight of the rows where the output, complemented by ``flip``, differs from the target."""
    errors = 0
    for b in range(planes.shape[0]):
        plane, count = planes[b], 0
        for w in range(target.size):
            count += popcount((output[w] ^ target[w] ^ flip) & plane[w])
        errors += count << b
    return errors


@part
def append(lists, sizes, k, value):
    """Add ``value`` to list k."""
    lists[k, sizes[k]] = value
    sizes[k] += 1


@part
def discard(lists, sizes, k, value):
    """Take ``value`` from list k; the last one fills its place."""
    for i in range(sizes[k]):
        if lists[k, i] == value:
            sizes[k] -= 1
            lists[k, i] = lists[k, sizes[k]]
            return


@part
def contains(lists, sizes, k, value):
    """Whether ``value`` is in list k."""
    for i in range(sizes[k]):
        if lists[k, i] == value:
            return True
    return False


@seldom
def load(walk, rows, edges, first_and):
    """Fill a walk from the (unit, input) edges of a network, and judge it."""
    walk, rows = hold(walk), hold(rows)
    flip = NONE if first_and else ALL
    n_literals = rows.literals.shape[0]
    for k in range(walk.signals.shape[0]):
        walk.n_inputs[k] = 0
        walk.n_readers[k] = 0
    walk.counters[N_SHOWN] = 0
    for j in range(n_literals):
        for w in range(rows.target.size):
            walk.signals[j, w] = rows.literals[j, w] ^ flip
    for e in range(edges.shape[0]):
        append(walk.inputs, walk.n_inputs, edges[e, 0], edges[e, 1])
        append(walk.readers, walk.n_readers, edges[e, 1], edges[e, 0])
        walk.edges[e, 0], walk.edges[e, 1] = edges[e, 0], edges[e, 1]
    walk.counters[N_EDGES] = edges.shape[0]
    for k in range(n_literals, walk.signals.shape[0]):
        recompute(walk, k)
        walk.counters[N_SHOWN] += shown(walk, k, walk.n_inputs[k])
    output = walk.signals[walk.signals.shape[0] - 1]
    walk.counters[ERRORS] = count_wrong(output, rows.target, rows.planes, walk.flip)
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
    """A random (unit, input); layers are drawn with cumulative ``shares``."""
    draw = draw_share(walk.random) * shares[shares.size - 1]
    layer = 1
    while draw >= shares[layer]:
        layer += 1
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
    output, n_words = walk.signals[walk.signals.shape[0] - 1], rows.target.size
    word = draw_below(walk.random, n_words)
    if walk.counters[ERRORS] == 0:
        return word, NONE
    for _ in range(n_words):
        weighed = NONE
        for b in range(rows.planes.shape[0]):
            weighed |= rows.planes[b, word]
        wrong = (output[word] ^ rows.target[word] ^ walk.flip) & weighed
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
    unit = np.int64(walk.signals.shape[0] - 1)
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
                if other < 0 or contains(walk.inputs, walk.n_inputs, unit, other):
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
    """A random change as (kind, edge, unit, input, other): ``moves`` has the cumulative shares of the kinds.

    ``other`` is the input that replaces, or the unit that the edge moves to. A negative edge is to be looked up.
    """
    draw = draw_share(walk.random) * moves[COPY]
    if moves[REMOVE] <= draw < moves[ADD]:
        unit, source = draw_addition(walk, shares)
        kind = NOTHING if contains(walk.inputs, walk.n_inputs, unit, source) else ADD
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
        kind = NOTHING if contains(walk.inputs, walk.n_inputs, unit, other) else REPLACE
        return kind, edge, unit, source, other
    other = draw_in(walk, walk.layers[unit])
    kind = NOTHING if contains(walk.inputs, walk.n_inputs, other, source) else MOVE
    return kind, edge, unit, source, other


@part
def change_inputs(walk, kind, unit, source, other):
    """Let the units read what the proposal says; ``readers`` and ``edges`` stay until it is kept."""
    if kind == ADD:
        append(walk.inputs, walk.n_inputs, unit, source)
    else:
        discard(walk.inputs, walk.n_inputs, unit, source)
        if kind == REPLACE:
            append(walk.inputs, walk.n_inputs, unit, other)
        elif kind == MOVE:
            append(walk.inputs, walk.n_inputs, other, source)


@part
def restore_inputs(walk, kind, unit, source, other):
    """Undo `change_inputs`."""
    if kind == ADD:
        discard(walk.inputs, walk.n_inputs, unit, source)
    else:
        append(walk.inputs, walk.n_inputs, unit, source)
        if kind == REPLACE:
            discard(walk.inputs, walk.n_inputs, unit, other)
        elif kind == MOVE:
            discard(walk.inputs, walk.n_inputs, other, source)


@part
def find_edge(walk, unit, source):
    """The number of an edge."""
    edge = 0
    while walk.edges[edge, 0] != unit or walk.edges[edge, 1] != source:
        edge += 1
    return edge


@part
def keep_change(walk, kind, edge, unit, source, other):
    """Bring ``readers`` and ``edges`` in line with a change that is kept."""
    if kind == ADD:
        append(walk.readers, walk.n_readers, source, unit)
        edge = walk.counters[N_EDGES]
        walk.counters[N_EDGES] += 1
        walk.edges[edge, 0], walk.edges[edge, 1] = unit, source
        return
    discard(walk.readers, walk.n_readers, source, unit)
    if edge < 0:
        edge = find_edge(walk, unit, source)
    if kind == REMOVE:
        walk.counters[N_EDGES] -= 1
        last = walk.counters[N_EDGES]
        walk.edges[edge, 0], walk.edges[edge, 1] = walk.edges[last, 0], walk.edges[last, 1]
    elif kind == REPLACE:
        append(walk.readers, walk.n_readers, other, unit)
        walk.edges[edge, 1] = other
    else:
        append(walk.readers, walk.n_readers, source, other)
        walk.edges[edge, 0] = other


@part
def recompute(walk, unit):
    """Compute where ``unit`` fires, with the old signal backed up; whether it differs anywhere."""
    return fire_unit(walk.signals, walk.backup, walk.inputs, walk.n_inputs[unit], unit) != NONE


@part
def follow(walk, rows, n_queued):
    """Recompute the ``n_queued`` units in the queue and whatever they reach; the errors of the network then."""
    last = walk.signals.shape[0] - 1
    walk.counters[STAMP] += 1
    stamp, n_changed, errors, head = walk.counters[STAMP], 0, walk.counters[ERRORS], 0
    while head < n_queued:
        unit = walk.queue[head]
        head += 1
        if not recompute(walk, unit):
            continue
        walk.changed[n_changed] = unit
        n_changed += 1
        if unit == last:
            errors = count_wrong(walk.signals[last], rows.target, rows.planes, walk.flip)
        for i in range(walk.n_readers[unit]):
            reader = walk.readers[unit, i]
            if walk.stamps[reader] != stamp:
                walk.stamps[reader] = stamp
                walk.queue[n_queued] = reader
                n_queued += 1
    walk.counters[N_CHANGED] = n_changed
    return errors


@part
def restore_signals(walk):
    """Undo the last `follow`."""
    for i in range(walk.counters[N_CHANGED]):
        copy_signal(walk.signals, walk.backup, walk.changed[i])


@part
def attempt(walk, rows, kind, edge, unit, source, other, limit):
    """Make a change unless it raises the errors by more than ``limit``; whether it was made."""
    change_inputs(walk, kind, unit, source, other)
    walk.queue[0] = unit
    walk.queue[1] = other
    errors = follow(walk, rows, 2 if kind == MOVE else 1)
    if errors - walk.counters[ERRORS] > limit:
        restore_inputs(walk, kind, unit, source, other)
        restore_signals(walk)
        return False
    keep_change(walk, kind, edge, unit, source, other)
    walk.counters[ERRORS] = errors
    return True


@part
def shown(walk, unit, n_inputs):
    """What a unit with ``n_inputs`` adds to the size: a hidden unit with one input only passes it on."""
    return n_inputs if n_inputs > 1 or unit == walk.signals.shape[0] - 1 else 0


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
def add_edge(walk, unit, source):
    """Let ``unit`` read ``source``; signals stay as they are."""
    append(walk.inputs, walk.n_inputs, unit, source)
    keep_change(walk, np.int64(ADD), np.int64(0), unit, source, np.int64(0))


@part
def draw_spare(walk, layer):
    """A unit of a layer that reads nothing and is not read, or -1 if there are few."""
    for _ in range(N_DRAWS):
        unit = draw_in(walk, layer)
        if walk.n_inputs[unit] == 0 and walk.n_readers[unit] == 0:
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
    if kind != REMOVE and contains(walk.inputs, walk.n_inputs, original, other):
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
    n_inputs = walk.n_inputs[original]
    walk.counters[N_EDGES] -= n_inputs + 1
    walk.n_readers[spare] = 0
    walk.n_inputs[reader] -= 1
    for i in range(n_inputs):
        walk.n_readers[walk.inputs[original, i]] -= 1
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
        limit = -temperature * np.log(draw_share(walk.random))
        reader, original = unit, np.int64(-1)
        if kind == COPY:
            original, edge = source, np.int64(-1)
            kind, unit, source, other = draw_copy(walk, original)
            if kind == NOTHING:
                continue
            won = shown_by_copy(walk, kind, reader, original, unit)
        else:
            won = shown_won(walk, kind, unit, other)
        limit -= price * won
        if limit + walk.counters[ERRORS] < 0:
            continue
        if original >= 0:
            add_copy(walk, reader, original, unit)
        if attempt(walk, rows, kind, edge, unit, source, other, limit):
            walk.counters[N_SHOWN] += won
            cost = walk.counters[ERRORS] + price * walk.counters[N_SHOWN]
            if cost < best - 1e-9:
                best = cost
                note_best(walk)
        elif original >= 0:
            remove_copy(walk, reader, original, unit)


@seldom
def prune(walk, rows, price, stop):
    """Remove edges, the latest first, while that does not raise the cost; the number removed."""
    walk, rows = hold(walk), hold(rows)
    n_removed, again = 0, True
    while again and not stop[0]:
        again = False
        edge = walk.counters[N_EDGES] - 1
        while edge >= 0:
            unit, source = np.int64(walk.edges[edge, 0]), np.int64(walk.edges[edge, 1])
            won = shown_won(walk, np.int64(REMOVE), unit, np.int64(0))
            if attempt(walk, rows, np.int64(REMOVE), np.int64(edge), unit, source, np.int64(0), -price * won):
                walk.counters[N_SHOWN] += won
                n_removed += 1
                again = True
            edge -= 1
    note_best(walk)
    return n_removed
