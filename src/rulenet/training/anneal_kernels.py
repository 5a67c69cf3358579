"""The compiled walk of `Anneal`: random changes of a live network, each judged by the units that it reaches.

Signals are those of `rulenet.kernels`: a unit fires where any input that it reads is not set, and the next layer
reads where it fires, so both gates are one operation. A walk keeps the signals of all units. A proposal changes what
one or two units read; the change is followed upwards, unit by unit, and stops where nothing differs. What it reached
is restored if the proposal is turned down.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rulenet.kernels import ALL, NONE, popcount

# Nothing is allocated here; without Numba's reference counting (``_nrt``) passing a walk on is free: 6 times faster.
jit = njit(cache=True, nogil=True, _nrt=False)
part = njit(cache=True, nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)

ERRORS, N_EDGES, N_SHOWN, BEST_ERRORS, BEST_N_EDGES, BEST_N_SHOWN, STAMP, N_CHANGED, N_COUNTERS = range(9)
REMOVE, ADD, REPLACE, MOVE, NOTHING = range(5)

# How often the temperature is updated, in proposals.
COOLING_STEP = 256


class Walk(NamedTuple):
    """A network that changes, with its signals on the rows it is judged by.

    Signals are numbered literals first, then unit by unit. Unit u reads ``inputs[u, :n_inputs[u]]`` and is read by
    ``readers[u, :n_readers[u]]``; the edges are also listed, in no order, as (unit, input) pairs in
    ``edges[: counters[N_EDGES]]``. ``layer_starts`` has the first signal of every layer, the literals being layer 0.
    ``relatives[j]`` gives the first literal and the number of literals of the attribute of literal j. ``best``
    holds the edges of the network of least cost so far. ``queue``, ``stamps``, ``changed`` and ``backup`` are scratch.
    """

    signals: NDArray[np.uint64]
    backup: NDArray[np.uint64]
    fresh: NDArray[np.uint64]
    inputs: NDArray[np.int32]
    n_inputs: NDArray[np.int64]
    readers: NDArray[np.int32]
    n_readers: NDArray[np.int64]
    edges: NDArray[np.int32]
    best: NDArray[np.int32]
    layer_starts: NDArray[np.int64]
    layers: NDArray[np.int64]
    relatives: NDArray[np.int64]
    counters: NDArray[np.int64]
    queue: NDArray[np.int64]
    stamps: NDArray[np.int64]
    changed: NDArray[np.int64]
    random: NDArray[np.uint64]
    flip: np.uint64


@part
def next_word(random):
    """64 random bits, by Steele, Lea and Flood's splitmix64."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@part
def draw_below(random, n):
    """A random integer from 0 to n - 1."""
    return np.int64(((next_word(random) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@part
def draw_unit(random):
    """A random number between 0 and 1, neither included."""
    return (np.float64(next_word(random) >> np.uint64(11)) + 0.5) / 9007199254740992.0


@part
def fire(signals, out, inputs, n_inputs):
    """Where a unit with these inputs fires, into ``out``."""
    n_words = out.size
    if n_inputs == 0:
        for w in range(n_words):
            out[w] = NONE
        return
    first = signals[inputs[0]]
    if n_inputs == 1:
        for w in range(n_words):
            out[w] = ~first[w]
        return
    second = signals[inputs[1]]
    for w in range(n_words):
        out[w] = first[w] & second[w]
    for i in range(2, n_inputs):
        s = signals[inputs[i]]
        for w in range(n_words):
            out[w] &= s[w]
    for w in range(n_words):
        out[w] = ~out[w]


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


@jit
def load(walk, rows, edges, first_and):
    """Fill a walk from the (unit, input) edges of a network, and judge it."""
    flip = NONE if first_and else ALL
    n_literals = rows.literals.shape[0]
    for j in range(n_literals):
        for w in range(rows.target.size):
            walk.signals[j, w] = rows.literals[j, w] ^ flip
    for e in range(edges.shape[0]):
        append(walk.inputs, walk.n_inputs, edges[e, 0], edges[e, 1])
        append(walk.readers, walk.n_readers, edges[e, 1], edges[e, 0])
        walk.edges[e, 0], walk.edges[e, 1] = edges[e, 0], edges[e, 1]
    walk.counters[N_EDGES] = edges.shape[0]
    for k in range(n_literals, walk.signals.shape[0]):
        fire(walk.signals, walk.signals[k], walk.inputs[k], walk.n_inputs[k])
        walk.counters[N_SHOWN] += shown(walk.n_inputs[k])
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
    draw = draw_unit(walk.random) * shares[shares.size - 1]
    layer = 1
    while draw >= shares[layer]:
        layer += 1
    return draw_in(walk, layer), draw_in(walk, layer - 1)


@part
def draw_other_input(walk, unit, source):
    """A random input to read in place of ``source``: half of the time, for a literal, one of the same attribute."""
    layer = walk.layers[unit]
    if layer == 1 and next_word(walk.random) & np.uint64(1):
        return walk.relatives[source, 0] + draw_below(walk.random, walk.relatives[source, 1])
    return draw_in(walk, layer - 1)


@part
def propose(walk, moves, shares):
    """A random change as (kind, edge, unit, input, other): ``moves`` has the cumulative shares of the four kinds.

    ``other`` is the input that replaces, or the unit that the edge moves to.
    """
    draw = draw_unit(walk.random) * moves[MOVE]
    if moves[REMOVE] <= draw < moves[ADD]:
        unit, source = draw_addition(walk, shares)
        kind = NOTHING if contains(walk.inputs, walk.n_inputs, unit, source) else ADD
        return kind, 0, unit, source, 0
    if walk.counters[N_EDGES] == 0:
        return NOTHING, 0, 0, 0, 0
    edge = draw_below(walk.random, walk.counters[N_EDGES])
    unit, source = np.int64(walk.edges[edge, 0]), np.int64(walk.edges[edge, 1])
    if draw < moves[REMOVE]:
        return REMOVE, edge, unit, source, 0
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
def keep_change(walk, kind, edge, unit, source, other):
    """Bring ``readers`` and ``edges`` in line with a change that is kept."""
    if kind == ADD:
        append(walk.readers, walk.n_readers, source, unit)
        edge = walk.counters[N_EDGES]
        walk.counters[N_EDGES] += 1
        walk.edges[edge, 0], walk.edges[edge, 1] = unit, source
        return
    discard(walk.readers, walk.n_readers, source, unit)
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
    fresh, signal, backup = walk.fresh, walk.signals[unit], walk.backup[unit]
    fire(walk.signals, fresh, walk.inputs[unit], walk.n_inputs[unit])
    difference = NONE
    for w in range(fresh.size):
        difference |= fresh[w] ^ signal[w]
    if difference == NONE:
        return False
    for w in range(fresh.size):
        backup[w] = signal[w]
        signal[w] = fresh[w]
    return True


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
        unit = walk.changed[i]
        signal, backup = walk.signals[unit], walk.backup[unit]
        for w in range(signal.size):
            signal[w] = backup[w]


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
def shown(n_inputs):
    """How many of the edges into a unit a formula shows: a unit with one input only passes it on."""
    return n_inputs if n_inputs > 1 else 0


@part
def shown_won(walk, kind, unit, other):
    """By how many shown edges a change grows the network."""
    if kind == REPLACE:
        return 0
    n = walk.n_inputs[unit]
    if kind == ADD:
        return shown(n + 1) - shown(n)
    won = shown(n - 1) - shown(n)
    if kind == MOVE and other != unit:
        n = walk.n_inputs[other]
        won += shown(n + 1) - shown(n)
    return won


@jit
def anneal(walk, rows, n_proposals, hot, cold, price, moves, shares, stop):
    """Make ``n_proposals`` at a temperature falling from ``hot`` to ``cold``; the best network is in ``best``.

    A change is made if it raises the cost, errors + price * edges, by less than the temperature times an exponential
    random number. ``stop[0]`` is looked at now and then and ends the walk.
    """
    best = walk.counters[BEST_ERRORS] + price * walk.counters[BEST_N_SHOWN]
    temperature = hot
    for i in range(n_proposals):
        if i % COOLING_STEP == 0:
            if stop[0]:
                return
            temperature = hot * (cold / hot) ** (i / n_proposals)
        kind, edge, unit, source, other = propose(walk, moves, shares)
        if kind == NOTHING:
            continue
        won = shown_won(walk, kind, unit, other)
        limit = -temperature * np.log(draw_unit(walk.random)) - price * won
        if limit + walk.counters[ERRORS] < 0:
            continue
        if attempt(walk, rows, kind, edge, unit, source, other, limit):
            walk.counters[N_SHOWN] += won
            cost = walk.counters[ERRORS] + price * walk.counters[N_SHOWN]
            if cost < best - 1e-9:
                best = cost
                note_best(walk)


@jit
def prune(walk, rows, price, stop):
    """Remove edges, the latest first, while that does not raise the cost; the number removed."""
    n_removed, again = 0, True
    while again and not stop[0]:
        again = False
        edge = walk.counters[N_EDGES] - 1
        while edge >= 0:
            unit, source = np.int64(walk.edges[edge, 0]), np.int64(walk.edges[edge, 1])
            won = shown_won(walk, REMOVE, unit, 0)
            if attempt(walk, rows, np.int64(REMOVE), np.int64(edge), unit, source, np.int64(0), -price * won):
                walk.counters[N_SHOWN] += won
                n_removed += 1
                again = True
            edge -= 1
    note_best(walk)
    return n_removed
