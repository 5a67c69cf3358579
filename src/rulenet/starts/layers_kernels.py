"""The compiled loops of `LayersInit`: a conjunction of packed signals for every row of some.

``positive`` and ``negative`` (n_planes, n_words) hold the rows to cover and those to leave out, by bit of their weight
as in `rulenet.kernels.Rows`.
"""

import numpy as np

from rulenet.compiled import callee, jit
from rulenet.kernels import ALL, popcount


@callee
def weigh(planes, rows, also):
    """The weight in ``planes`` of the ``rows`` that are in ``also``."""
    weight = 0
    for b in range(planes.shape[0]):
        count = 0
        for w in range(rows.size):
            count += popcount(planes[b, w] & rows[w] & also[w])
        weight += count << b
    return weight


@callee
def estimate(right, wrong, prior, m):
    """The share of right rows after ``m`` more of which ``prior`` are right: the m-estimate of a rule's precision."""
    return (right + m * prior) / (right + wrong + m)


@callee
def add_best(signals, positive, negative, row, prior, m, selected, cover, value):
    """Add the signal set in ``row`` that raises the estimate most, if any does; the estimate, and whether it rose.

    Of equal ones the signal that covers more is added, then the first.
    """
    best, best_value, best_right = -1, value, 0
    for j in range(signals.shape[0]):
        if selected[j] or not signals[j, row >> 6] >> np.uint64(row & 63) & np.uint64(1):
            continue
        right, wrong = weigh(positive, cover, signals[j]), weigh(negative, cover, signals[j])
        new = estimate(right, wrong, prior, m)
        if new > best_value or (new == best_value and best >= 0 and right > best_right):
            best, best_value, best_right = j, new, right
    if best < 0:
        return value, False
    selected[best] = True
    for w in range(cover.size):
        cover[w] &= signals[best, w]
    return best_value, True


@callee
def cover_without(signals, selected, left_out, cover):
    """Fill ``cover`` with the rows where all selected signals but ``left_out`` are set."""
    for w in range(cover.size):
        cover[w] = ALL
    for j in range(signals.shape[0]):
        if selected[j] and j != left_out:
            for w in range(cover.size):
                cover[w] &= signals[j, w]


@callee
def drop_best(signals, positive, negative, prior, m, selected, cover, value):
    """Drop the first signal without which the estimate is highest, if it falls by none; the same as `add_best`."""
    best, best_value = -1, value
    for j in range(signals.shape[0]):
        if selected[j]:
            cover_without(signals, selected, j, cover)
            new = estimate(weigh(positive, cover, cover), weigh(negative, cover, cover), prior, m)
            if new > best_value or (new == best_value and best < 0):
                best, best_value = j, new
    if best < 0:
        return value, False
    selected[best] = False
    return best_value, True


@jit
def grow_rules(signals, positive, negative, rows, m):
    """For each of the ``rows`` the signals of a conjunction that holds there: (rows, signals).

    Signals are added while the estimate rises and then dropped while it does not fall. Some row must have a weight.
    """
    rules = np.zeros((rows.size, signals.shape[0]), np.bool_)
    cover = np.full(signals.shape[1], ALL, np.uint64)
    right, wrong = weigh(positive, cover, cover), weigh(negative, cover, cover)
    prior = right / (right + wrong)
    at_first = estimate(right, wrong, prior, m)
    for i in range(rows.size):
        for w in range(cover.size):
            cover[w] = ALL
        value, went_on = at_first, True
        while went_on:
            value, went_on = add_best(signals, positive, negative, rows[i], prior, m, rules[i], cover, value)
        went_on = True
        while went_on:
            value, went_on = drop_best(signals, positive, negative, prior, m, rules[i], cover, value)
    return rules
