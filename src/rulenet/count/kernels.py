"""The compiled walk over networks that count: units of literals under one counting output for every class.

A *unit* holds where fewer than ``need`` of its literals fail (a need of 1: all of; of n: any of). Where it holds it
adds its *points* to the scores of the outputs; a score starts at the output's ``bias``. With one output the class is 1
where the score is at least 0; with several, the largest score wins.

The walk keeps where every unit holds (packed bits) and every row's scores (integers). A proposal changes one unit: its
new bits are computed into scratch, and only rows whose bit differs are visited, with losses from integer tables.
Nothing is written unless the proposal is kept, so there is nothing to undo.

Losses are integers, ``ONE_NAT`` to a nat. One output: ``losses[class, score + OFFSET]``. Several: softmax
cross-entropy, log(sum_k e(score_k)) - e'(score_y), where exponentials come from an integer table, so that sums are
exact however they are updated, and the logarithm from a table over the leading bits.

Points may be negative: the unit speaks against a class. A network says the same without negation, by a unit of the
opposite literals; so only units whose literals all have an ``opposite`` may get negative points.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.bit_counts import count_leading_zeros, count_trailing_zeros
from rulenet.compiled import lean, part, seldom
from rulenet.drawing import draw_below, draw_share, next_word
from rulenet.holding import hold
from rulenet.kernels import ALL, NONE, popcount

ONE = np.uint64(1)
ONE_NAT = 1 << 14
OFFSET = 128  # scores are looked up between -OFFSET and OFFSET
LOG_BITS = 12
COOLING_STEP = 256
N_DRAWS = 8
FEW_BITS = 8  # of a word: rows are looked at one by one up to here (measured)
# Many words of rows are looked at in so many passes, each over every eighth one. A proposal is given up after a pass
# where the cost, by what was seen, rises too much by so many standard errors.
MANY_WORDS, GLANCE, DOUBT = 32, 8, 2.0
MAX_INPUTS = 7  # of a unit
MAX_NEED = 4

# counters
N_UNITS, LOSS, SIZE, BEST_LOSS, BEST_SIZE, BEST_N_UNITS, N_GIVEN, N_COUNTERS = range(8)
# kinds of proposals
NEW, ADD, REMOVE, REPLACE, NEED, POINT, BIAS, COPY, DROP, REPAIR, N_KINDS = range(11)
EDIT = REPLACE  # literals and need of a unit, whatever kind of proposal that came from
# Numbers that kernels pass on: literals of Python would each be a type of their own, and compiled apart.
MORE, LESS, FIRST, THREE, FOUR = np.int64(1), np.int64(-1), np.int64(0), np.int64(3), np.int64(4)


class Rows(NamedTuple):
    """What a walk learns from. Rows are padded to whole words; padding has weight 0.

    ``literals`` is (n_literals, n_words), ``weights`` (n_classes, n_rows): a row has its weight at its class, or shares
    of it at several. ``totals`` are their sums, ``classes`` the heaviest class. ``owner``, ``down``, ``up``, ``starts``
    and ``members`` are those of `rulenet.relations.Relations`; ``opposite`` is the literal that fails just where
    another one holds, -1 where there is none.
    """

    literals: NDArray[np.uint64]
    weights: NDArray[np.int64]
    totals: NDArray[np.int64]
    classes: NDArray[np.int64]
    owner: NDArray[np.int64]
    down: NDArray[np.int64]
    up: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]
    opposite: NDArray[np.int64]


class Tables(NamedTuple):
    """Integer losses.

    ``losses`` is (2, 2 * OFFSET + 1), for one output. For several, ``powers`` and ``linear`` have e to the scaled score
    and the scaled score itself, and ``logs`` the logarithms of the mantissas of sums.
    """

    losses: NDArray[np.int64]
    powers: NDArray[np.int64]
    logs: NDArray[np.int64]
    linear: NDArray[np.int64]
    ln2: np.int64


class Walk(NamedTuple):
    """A network that changes: units 0 to counters[N_UNITS] - 1 are in use.

    Unit u reads ``inputs[u, :n_inputs[u]]`` and gives ``points[u]`` to the outputs. ``scores`` is (n_outputs, n_rows).
    ``rises`` (2 * n_outputs, n_rows) says by how much one point less and one more for an output raise the loss of a
    row; with many outputs it is left out. For several, ``sums`` are the sums of powers and ``logs`` their logarithms.
    ``best_...`` is the network of least cost so far; ``fresh``, ``fresh_inputs`` and ``fresh_points`` are scratch: a
    unit as proposed, and ``given`` the outputs that its points are for, counters[N_GIVEN] of them.
    """

    holds: NDArray[np.uint64]
    inputs: NDArray[np.int32]
    n_inputs: NDArray[np.int64]
    need: NDArray[np.int64]
    points: NDArray[np.int64]
    bias: NDArray[np.int64]
    scores: NDArray[np.int32]
    sums: NDArray[np.int64]
    logs: NDArray[np.int64]
    rises: NDArray[np.int64]
    best_inputs: NDArray[np.int32]
    best_n_inputs: NDArray[np.int64]
    best_need: NDArray[np.int64]
    best_points: NDArray[np.int64]
    best_bias: NDArray[np.int64]
    fresh: NDArray[np.uint64]
    fresh_inputs: NDArray[np.int32]
    fresh_points: NDArray[np.int64]
    given: NDArray[np.int64]
    counters: NDArray[np.int64]
    random: NDArray[np.uint64]


class Bounds(NamedTuple):
    """How far units may go: literals, points and need; and whether points may be negative."""

    max_inputs: int
    max_points: int
    max_need: int
    signed: bool


@part
def clip(score):
    """Where a score is in a table."""
    return min(max(score, -OFFSET), OFFSET) + OFFSET


@part
def log_of(tables, total):
    """The logarithm of a positive integer, in the units of losses."""
    lead = count_leading_zeros(np.uint64(total))
    mantissa = (np.uint64(total) << np.uint64(lead + 1)) >> np.uint64(64 - LOG_BITS)
    return (63 - lead) * tables.ln2 + tables.logs[np.int64(mantissa)]


@part
def size_of(n_inputs, need, points):
    """What a unit adds to the size of the network: its points, and what it joins.

    Points for classes and points against them take a unit each, the latter of the opposite literals.
    """
    speaks_for, speaks_against, size = False, False, 0
    for k in range(points.size):
        size += abs(points[k])
        speaks_for |= points[k] > 0
        speaks_against |= points[k] < 0
    if n_inputs > 1:
        if speaks_for:
            size += n_inputs + (1 if need > 1 else 0)
        if speaks_against:
            size += n_inputs + (1 if need < n_inputs else 0)
    return size


@part
def has_opposites(rows, inputs, n_inputs, points):
    """Whether a unit may have these points: negative ones need an opposite of every literal."""
    negative = False
    for k in range(points.size):
        negative |= points[k] < 0
    if negative:
        for i in range(n_inputs):
            if rows.opposite[inputs[i]] < 0:
                return False
    return True


@part
def compute_holds(literals, inputs, n_inputs, need, fresh):
    """Set ``fresh`` to where fewer than ``need`` of the inputs fail; ``need`` is at most 4."""
    if need == 1:
        first = literals[inputs[0]]
        for w in range(fresh.size):
            fresh[w] = first[w]
        for i in range(1, n_inputs):
            literal = literals[inputs[i]]
            for w in range(fresh.size):
                fresh[w] &= literal[w]
        return
    for w in range(fresh.size):
        ones, twos, fours = NONE, NONE, NONE  # planes of the number of failing literals; the last says four or more
        for i in range(n_inputs):
            fails = ~literals[inputs[i], w]
            carry = ones & fails
            ones ^= fails
            more = twos & carry
            twos ^= carry
            fours |= more
        if need == 2:
            fresh[w] = ~(twos | fours)
        elif need == 3:
            fresh[w] = ~((twos & ones) | fours)
        else:
            fresh[w] = ~fours


@part
def loss_of_row(rows, tables, row, score):
    """The loss of a row with some score, one output."""
    place = clip(score)
    return tables.losses[0, place] * rows.weights[0, row] + tables.losses[1, place] * rows.weights[1, row]


@part
def rise_of_step(walk, rows, tables, row, k, step):
    """By how much the loss rises if a row gets ``step`` more points for output k."""
    score = np.int64(walk.scores[k, row])
    if walk.bias.size == 1:
        return loss_of_row(rows, tables, row, score + step) - loss_of_row(rows, tables, row, score)
    before, after = clip(score), clip(score + step)
    total = walk.sums[row] + tables.powers[after] - tables.powers[before]
    linear = (tables.linear[after] - tables.linear[before]) * rows.weights[k, row]
    return (log_of(tables, total) - walk.logs[row]) * rows.totals[row] - linear


@part
def note_rises(walk, rows, tables, row):
    """Bring ``rises`` of a row in line with its scores."""
    for k in range(walk.rises.shape[0] // 2):
        walk.rises[2 * k, row] = rise_of_step(walk, rows, tables, row, k, LESS)
        walk.rises[2 * k + 1, row] = rise_of_step(walk, rows, tables, row, k, MORE)


@part
def note_given(walk):
    """List the outputs that the points in scratch are for."""
    n = np.int64(0)
    for k in range(walk.bias.size):
        if walk.fresh_points[k] != 0:
            walk.given[n] = k
            n += 1
    walk.counters[N_GIVEN] = n


@part
def gain_of_row(walk, rows, tables, row, sign):
    """By how much the loss rises if a row gets ``sign`` times the points in scratch."""
    points = walk.fresh_points
    if points.size == 1:
        return rise_of_step(walk, rows, tables, row, FIRST, sign * points[0])
    total, rise = walk.sums[row], np.int64(0)
    for i in range(walk.counters[N_GIVEN]):
        k = walk.given[i]
        score = np.int64(walk.scores[k, row])
        before, after = clip(score), clip(score + sign * points[k])
        total += tables.powers[after] - tables.powers[before]
        rise -= (tables.linear[after] - tables.linear[before]) * rows.weights[k, row]
    return rise + (log_of(tables, total) - walk.logs[row]) * rows.totals[row]


@part
def give_points(walk, rows, tables, row, sign):
    """Let a row have ``sign`` times the points in scratch."""
    points = walk.fresh_points
    for i in range(walk.counters[N_GIVEN]):
        k = walk.given[i]
        score = np.int64(walk.scores[k, row])
        if points.size > 1:
            walk.sums[row] += tables.powers[clip(score + sign * points[k])] - tables.powers[clip(score)]
        walk.scores[k, row] = np.int32(score + sign * points[k])
    if points.size > 1:
        walk.logs[row] = log_of(tables, walk.sums[row])
    note_rises(walk, rows, tables, row)


@part
def known_step(walk, sign):
    """The line of ``rises`` that has what the points cost, if they are one for or against a class; -1 otherwise."""
    if walk.counters[N_GIVEN] != 1:
        return np.int64(-1)
    k = walk.given[0]
    step = sign * walk.fresh_points[k]
    if abs(step) != 1 or 2 * k >= walk.rises.shape[0]:
        return np.int64(-1)
    return 2 * k + (1 if step > 0 else 0)


@part
def sum_where(values, first, bits):
    """The sum of 64 values from ``first`` on where bits are set; without branches, for vector registers."""
    total = np.int64(0)
    for r in range(64):
        total += values[first + r] & -np.int64((bits >> np.uint64(r)) & ONE)
    return total


@part
def rise_of_bits(walk, rows, tables, word, bits, sign, line):
    """By how much the loss rises if the rows of some bits of a word get ``sign`` times the points in scratch."""
    if line >= 0 and popcount(bits) > FEW_BITS:
        return sum_where(walk.rises[line], word << 6, bits)
    rise = np.int64(0)
    while bits != NONE:
        row = (word << 6) + count_trailing_zeros(bits)
        rise += walk.rises[line, row] if line >= 0 else gain_of_row(walk, rows, tables, row, sign)
        bits &= bits - ONE
    return rise


@part
def give_bits(walk, rows, tables, word, bits, sign):
    """Let the rows of some bits of a word have ``sign`` times the points in scratch."""
    while bits != NONE:
        row = (word << 6) + count_trailing_zeros(bits)
        give_points(walk, rows, tables, row, sign)
        bits &= bits - ONE


@part
def change_of_word(walk, change, unit, word):
    """Where a word of rows gets the points in scratch by a change, and where it loses them.

    An edited unit then holds where ``fresh`` says, and not where it did; a new one only does, one to drop only did. A
    unit with more points holds where it did, and the bias is for all rows.
    """
    if change == BIAS:
        return ALL, NONE
    if change == NEW:
        return walk.fresh[word], NONE
    before = walk.holds[unit, word]
    if change == EDIT:
        after = walk.fresh[word]
        return after & ~before, before & ~after
    return (before, NONE) if change == POINT else (NONE, before)


@part
def rise_of_change(walk, rows, tables, change, unit, limit):
    """By how much the loss rises by a change of the points in scratch; at a glance, if that is far over ``limit``.

    Many words are looked at in eight passes; the rise so far, less its doubt, says after each whether to go on.
    """
    n_words = walk.fresh.size
    rise, more, less = np.int64(0), known_step(walk, MORE), known_step(walk, LESS)
    glance = np.int64(GLANCE if n_words >= MANY_WORDS else 1)
    squares = 0.0
    for first in range(glance):
        for w in range(first, n_words, glance):
            gained, lost = change_of_word(walk, change, unit, w)
            before = rise
            for side in range(2):
                bits = lost if side else gained
                if bits != NONE:
                    sign, line = (LESS, less) if side else (MORE, more)
                    rise += rise_of_bits(walk, rows, tables, w, bits, sign, line)
            squares += np.float64(rise - before) ** 2.0
        if glance > 1 and (rise - DOUBT * squares**0.5) * glance > limit * (first + 1):
            return max(rise, np.int64(limit) + 1)
    return rise


@part
def keep_change(walk, rows, tables, change, unit):
    """Let the rows have the points of a change."""
    for w in range(walk.fresh.size):
        gained, lost = change_of_word(walk, change, unit, w)
        for side in range(2):
            give_bits(walk, rows, tables, w, lost if side else gained, LESS if side else MORE)


@part
def contains(inputs, n, value):
    """Whether a literal is among the first n."""
    for i in range(n):
        if inputs[i] == value:
            return True
    return False


@part
def drop_unit(walk, unit):
    """Forget a unit; the last one takes its place. Scores stay as they are."""
    last = walk.counters[N_UNITS] - 1
    walk.counters[N_UNITS] = last
    if unit != last:
        for w in range(walk.fresh.size):
            walk.holds[unit, w] = walk.holds[last, w]
        for i in range(walk.n_inputs[last]):
            walk.inputs[unit, i] = walk.inputs[last, i]
        walk.n_inputs[unit] = walk.n_inputs[last]
        walk.need[unit] = walk.need[last]
        for k in range(walk.bias.size):
            walk.points[unit, k] = walk.points[last, k]


@part
def write_unit(walk, unit, n_inputs, need):
    """Let ``unit`` read the literals in scratch."""
    for i in range(n_inputs):
        walk.inputs[unit, i] = walk.fresh_inputs[i]
    walk.n_inputs[unit] = n_inputs
    walk.need[unit] = need


@part
def note_best(walk):
    """Remember the network as the best so far."""
    n = walk.counters[N_UNITS]
    for u in range(n):
        for i in range(walk.n_inputs[u]):
            walk.best_inputs[u, i] = walk.inputs[u, i]
        walk.best_n_inputs[u] = walk.n_inputs[u]
        walk.best_need[u] = walk.need[u]
        for k in range(walk.bias.size):
            walk.best_points[u, k] = walk.points[u, k]
    for k in range(walk.bias.size):
        walk.best_bias[k] = walk.bias[k]
    walk.counters[BEST_LOSS] = walk.counters[LOSS]
    walk.counters[BEST_SIZE] = walk.counters[SIZE]
    walk.counters[BEST_N_UNITS] = n


@lean
def add_scores(literals, inputs, n_inputs, needs, points, holds, scores):
    """Add to ``scores`` (n_outputs, rows in whole words) the points of every unit where it holds.

    The units are those of a `Walk`; ``holds`` is scratch.
    """
    for u in range(needs.size):
        compute_holds(literals, inputs[u], n_inputs[u], needs[u], holds)
        for k in range(scores.shape[0]):
            given = points[u, k]
            if given != 0:
                for w in range(holds.size):
                    bits = holds[w]
                    for r in range(64):
                        scores[k, (w << 6) + r] += given & -np.int64((bits >> np.uint64(r)) & ONE)


@seldom
def evaluate(walk, rows, tables):
    """Compute bits, scores, loss and size of the network in a walk from scratch."""
    walk, rows, tables = hold(walk), hold(rows), hold(tables)
    n_outputs = walk.bias.size
    walk.counters[LOSS] = 0
    walk.counters[SIZE] = 0
    for row in range(rows.classes.size):
        for k in range(n_outputs):
            walk.scores[k, row] = np.int32(walk.bias[k])
    for u in range(walk.counters[N_UNITS]):
        compute_holds(rows.literals, walk.inputs[u], walk.n_inputs[u], walk.need[u], walk.holds[u])
        for w in range(walk.fresh.size):
            bits = walk.holds[u, w]
            while bits != NONE:
                row = (w << 6) + count_trailing_zeros(bits)
                for k in range(n_outputs):
                    walk.scores[k, row] += np.int32(walk.points[u, k])
                bits &= bits - ONE
        walk.counters[SIZE] += size_of(walk.n_inputs[u], walk.need[u], walk.points[u])
    for row in range(rows.classes.size):
        if n_outputs == 1:
            walk.counters[LOSS] += loss_of_row(rows, tables, row, np.int64(walk.scores[0, row]))
        else:
            total = 0
            for k in range(n_outputs):
                total += tables.powers[clip(np.int64(walk.scores[k, row]))]
            walk.sums[row] = total
            walk.logs[row] = log_of(tables, total)
            walk.counters[LOSS] += walk.logs[row] * rows.totals[row]
            for k in range(n_outputs):
                walk.counters[LOSS] -= tables.linear[clip(np.int64(walk.scores[k, row]))] * rows.weights[k, row]
        note_rises(walk, rows, tables, row)
    note_best(walk)


@part
def draw_of(walk, rows, attribute):
    """A random literal of an attribute."""
    start = rows.starts[attribute]
    return rows.members[start + draw_below(walk.random, rows.starts[attribute + 1] - start)]


@part
def draw_literal(walk, rows):
    """A random literal: first the attribute, then one of its literals."""
    return draw_of(walk, rows, draw_below(walk.random, rows.starts.size - 1))


@part
def draw_other(walk, rows, literal):
    """A literal in place of another: the neighbour, one of the same attribute, or any."""
    draw = draw_below(walk.random, FOUR)
    if draw <= 1:
        other = rows.up[literal] if draw == 0 else rows.down[literal]
        if other >= 0:
            return other
    if draw <= 2:
        return draw_of(walk, rows, rows.owner[literal])
    return draw_literal(walk, rows)


@part
def copy_inputs(walk, unit):
    """Copy the literals of a unit to scratch; how many there are."""
    for i in range(walk.n_inputs[unit]):
        walk.fresh_inputs[i] = walk.inputs[unit, i]
    return walk.n_inputs[unit]


@part
def edit_inputs(walk, rows, kind, n, max_inputs):
    """Add, remove or replace a random literal in scratch; how many there are then, or -1 if that cannot be."""
    if kind == ADD:
        literal = draw_literal(walk, rows)
        if n >= max_inputs or contains(walk.fresh_inputs, n, literal):
            return np.int64(-1)
        walk.fresh_inputs[n] = literal
        return n + 1
    i = draw_below(walk.random, n)
    if kind == REMOVE:
        walk.fresh_inputs[i] = walk.fresh_inputs[n - 1]
        return n - 1
    literal = draw_other(walk, rows, np.int64(walk.fresh_inputs[i]))
    if contains(walk.fresh_inputs, n, literal):
        return np.int64(-1)
    walk.fresh_inputs[i] = literal
    return n


@part
def is_wrong(walk, rows, row):
    """Whether a row that counts gets another class."""
    if rows.totals[row] == 0:
        return False
    if walk.bias.size == 1:
        return (walk.scores[0, row] >= 0) != (rows.classes[row] == 1)
    own = walk.scores[rows.classes[row], row]
    for k in range(walk.bias.size):
        if k != rows.classes[row] and walk.scores[k, row] >= own:
            return True
    return False


@part
def edit_for_row(walk, rows, unit, row, n, max_inputs):
    """Change the literals in scratch towards what a wrong row needs; as `edit_inputs`.

    A unit that speaks against the row's class should not hold there: it gets a literal that fails. One that speaks for
    it should hold: a literal that fails goes or is replaced by one that does not.
    """
    word, bit = row >> 6, ONE << np.uint64(row & 63)
    if walk.bias.size == 1:
        helps = (walk.points[unit, 0] > 0) == (rows.classes[row] == 1)
    else:
        helps = walk.points[unit, rows.classes[row]] > 0
    holds = walk.holds[unit, word] & bit != NONE
    if helps == holds:
        return np.int64(-1)
    if helps:
        i = draw_below(walk.random, n)
        for _ in range(n):
            if rows.literals[walk.fresh_inputs[i], word] & bit == NONE:
                break
            i = i + 1 if i + 1 < n else 0
        if n > 1 and next_word(walk.random) & ONE:
            walk.fresh_inputs[i] = walk.fresh_inputs[n - 1]
            return n - 1
    else:
        i = draw_below(walk.random, n) if n >= max_inputs or next_word(walk.random) & ONE else n
    for _ in range(N_DRAWS):
        literal = draw_literal(walk, rows) if i == n else draw_other(walk, rows, np.int64(walk.fresh_inputs[i]))
        if (rows.literals[literal, word] & bit != NONE) == helps and not contains(walk.fresh_inputs, n, literal):
            walk.fresh_inputs[i] = literal
            return max(n, i + 1)
    return np.int64(-1)


@part
def draw_wrong_row(walk, rows):
    """A random row that the network gets wrong, or -1 if few are."""
    for _ in range(N_DRAWS * 2):
        row = draw_below(walk.random, rows.classes.size)
        if is_wrong(walk, rows, row):
            return row
    return np.int64(-1)


@part
def draw_points(walk, signed):
    """One point for a random output, or against it, in scratch."""
    for k in range(walk.bias.size):
        walk.fresh_points[k] = 0
    k = draw_below(walk.random, walk.bias.size)
    walk.fresh_points[k] = -1 if signed and next_word(walk.random) & ONE else 1


@part
def draw_change_of_points(walk, unit, bounds):
    """A point more or less for a unit, or one for another class, in scratch; whether that can be."""
    draw_points(walk, True)
    n_outputs = walk.bias.size
    if n_outputs > 1 and next_word(walk.random) & ONE:
        k = draw_below(walk.random, n_outputs)
        source = draw_below(walk.random, n_outputs)
        if k == source or walk.points[unit, source] == 0:
            return False
        for i in range(n_outputs):
            walk.fresh_points[i] = 0
        step = 1 if walk.points[unit, source] > 0 else -1
        walk.fresh_points[source] = -step
        walk.fresh_points[k] = step
    any_left = False
    for k in range(n_outputs):
        after = walk.points[unit, k] + walk.fresh_points[k]
        if n_outputs == 1 and after == 0:
            walk.fresh_points[0] *= 2
            after = walk.fresh_points[0] + walk.points[unit, 0]
        if abs(after) > bounds.max_points or (after < 0 and not bounds.signed):
            return False
        any_left |= after != 0
    return any_left


@part
def propose(walk, rows, bounds, kind):
    """Write a proposal of some kind to scratch: what it changes (N_KINDS for nothing), unit, literals, need."""
    nothing = np.int64(N_KINDS), np.int64(-1), np.int64(0), np.int64(0)
    n_units, max_units = walk.counters[N_UNITS], walk.holds.shape[0]
    if kind == BIAS:
        draw_points(walk, True)
        return np.int64(BIAS), np.int64(-1), np.int64(0), np.int64(0)
    if kind == NEW:
        if n_units == max_units:
            return nothing
        walk.fresh_inputs[0] = draw_literal(walk, rows)
        draw_points(walk, bounds.signed)
        return np.int64(NEW), np.int64(-1), np.int64(1), np.int64(1)
    if n_units == 0:
        return nothing
    unit = draw_below(walk.random, n_units)
    if kind == DROP:
        return np.int64(DROP), unit, np.int64(0), np.int64(0)
    if kind == POINT:
        if not draw_change_of_points(walk, unit, bounds):
            return nothing
        return np.int64(POINT), unit, np.int64(0), np.int64(0)
    n, need = copy_inputs(walk, unit), walk.need[unit]
    if kind == NEED:
        need += 1 if next_word(walk.random) & ONE else -1
        if need < 1 or need > min(n, bounds.max_need):
            return nothing
        return np.int64(EDIT), unit, n, need
    copied = kind == COPY
    if copied and n_units == max_units:
        return nothing
    if kind == REPAIR:
        row = draw_wrong_row(walk, rows)
        n = edit_for_row(walk, rows, unit, row, n, bounds.max_inputs) if row >= 0 else np.int64(-1)
    else:
        edited = ADD + draw_below(walk.random, THREE) if copied else np.int64(kind)
        n = edit_inputs(walk, rows, edited, n, bounds.max_inputs)
    if copied and n > 0:
        copy_points(walk, unit)
        return np.int64(NEW), unit, n, min(need, n)
    if copied:
        return nothing
    if n < 0:
        return nothing
    if n == 0:
        return np.int64(DROP), unit, n, need
    return np.int64(EDIT), unit, n, min(need, n)


@part
def copy_points(walk, unit):
    """Copy the points of a unit to scratch."""
    for k in range(walk.bias.size):
        walk.fresh_points[k] = walk.points[unit, k]


@part
def add_points(walk, unit, sign):
    """Add ``sign`` times the points in scratch to those of a unit."""
    for k in range(walk.bias.size):
        walk.points[unit, k] += sign * walk.fresh_points[k]


@part
def growth_of(walk, rows, change, unit, n, need):
    """By how much the size grows by a change, and whether that may be; leaves the points it is about in scratch."""
    if change == BIAS:
        return np.int64(0), True
    if change == NEW:
        return size_of(n, need, walk.fresh_points), has_opposites(rows, walk.fresh_inputs, n, walk.fresh_points)
    before = size_of(walk.n_inputs[unit], walk.need[unit], walk.points[unit])
    if change == POINT:
        add_points(walk, unit, MORE)
        after = size_of(walk.n_inputs[unit], walk.need[unit], walk.points[unit])
        allowed = has_opposites(rows, walk.inputs[unit], walk.n_inputs[unit], walk.points[unit])
        add_points(walk, unit, LESS)
        return after - before, allowed
    copy_points(walk, unit)
    if change == DROP:
        return -before, True
    return size_of(n, need, walk.fresh_points) - before, has_opposites(rows, walk.fresh_inputs, n, walk.fresh_points)


@part
def write_change(walk, change, unit, n, need):
    """Bring the units in line with a change that is kept; scores have been already."""
    if change == BIAS:
        for k in range(walk.bias.size):
            walk.bias[k] += walk.fresh_points[k]
    elif change == POINT:
        add_points(walk, unit, MORE)
    elif change == DROP:
        drop_unit(walk, unit)
    else:
        if change == NEW:
            unit = walk.counters[N_UNITS]
            walk.counters[N_UNITS] += 1
            for k in range(walk.bias.size):
                walk.points[unit, k] = walk.fresh_points[k]
        for w in range(walk.fresh.size):
            walk.holds[unit, w] = walk.fresh[w]
        write_unit(walk, unit, n, need)


@part
def attempt(walk, rows, tables, bounds, kind, limit, price):
    """Make a proposal of some kind and keep it unless the cost rises by more than ``limit``; whether it was kept.

    All changes go the same way here: what is named twice is compiled twice.
    """
    change, unit, n, need = propose(walk, rows, bounds, kind)
    if change == N_KINDS:
        return False
    growth, allowed = growth_of(walk, rows, change, unit, n, need)
    if not allowed:
        return False
    if n > 0:  # an edited unit, or a new one
        compute_holds(rows.literals, walk.fresh_inputs, n, need, walk.fresh)
    note_given(walk)
    rise = rise_of_change(walk, rows, tables, change, unit, limit - price * growth)
    if rise + price * growth > limit:
        return False
    keep_change(walk, rows, tables, change, unit)
    write_change(walk, change, unit, n, need)
    walk.counters[LOSS] += rise
    walk.counters[SIZE] += growth
    return True


@lean
def anneal(walk, rows, tables, bounds, n_proposals, hot, cold, price, moves, stop):
    """Make ``n_proposals`` at a temperature falling from ``hot`` to ``cold``; the best network is in ``best_...``.

    Temperatures and prices are in units of the loss table. ``moves`` has the cumulative shares of the kinds.
    """
    walk, rows, tables = hold(walk), hold(rows), hold(tables)
    best = np.float64(walk.counters[BEST_LOSS]) + price * walk.counters[BEST_SIZE]
    temperature = hot
    for i in range(n_proposals):
        if i % COOLING_STEP == 0:
            if stop[0]:
                return
            temperature = hot * (cold / hot) ** (i / n_proposals)
        draw = draw_share(walk.random) * moves[N_KINDS - 1]
        kind = 0
        while draw >= moves[kind]:
            kind += 1
        limit = -temperature * np.log(draw_share(walk.random))
        if attempt(walk, rows, tables, bounds, kind, limit, price):
            cost = walk.counters[LOSS] + price * walk.counters[SIZE]
            if cost < best - 0.5:
                best = cost
                note_best(walk)
