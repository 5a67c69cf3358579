"""Slow, obvious versions of what the compiled loops do. Imports nothing from rulenet.

A network here is ``(weights, first_gate)``: a list of Boolean arrays (n_units, n_inputs), and "and" or "or"; and, where
units count, the ``needs``: a list of integer arrays (n_units).
"""

import numbers

import numpy as np
import pandas as pd
from sklearn.utils import shuffle


def evaluate(weights, first_gate, rows, needs=None):
    """The first output on Boolean ``rows`` (n_rows, n_literals), unit by unit."""
    return evaluate_all(weights, first_gate, rows, needs)[:, 0]


def evaluate_all(weights, first_gate, rows, needs=None):
    """All outputs on Boolean ``rows``: (n_rows, n_outputs)."""
    return margins(weights, first_gate, rows, needs) >= 0


def margins(weights, first_gate, rows, needs=None):
    """By how many inputs every output is above its need: it holds where this is not negative."""
    is_and, found = first_gate == "and", None
    for i, layer in enumerate(weights):
        rows, above = rows if found is None else found >= 0, []
        for k, unit in enumerate(layer):
            need = 1 if needs is None else needs[i][k]
            inputs = rows[:, unit]
            n_failing, n_holding = (~inputs).sum(axis=1), inputs.sum(axis=1)
            above.append(need - 1 - n_failing if is_and else n_holding - need)
        is_and, found = not is_and, np.array(above).T
    return found


def live(weights):
    """The units, as (layer, unit), from which a path leads to an output."""
    last = len(weights) - 1
    found = {(last, k) for k in range(len(weights[last]))}
    for layer in range(last, 0, -1):
        found |= {(layer - 1, j) for j in range(weights[layer].shape[1]) for k in range(len(weights[layer]))
                  if (layer, k) in found and weights[layer][k, j]}  # fmt: skip
    return found


def size(weights, needs):
    """The size of a network, unit by unit; hidden units that say the same count once."""
    total, seen = 0, set()
    for layer, k in live(weights):
        unit = (layer, tuple(weights[layer][k]), needs[layer][k])
        if layer < len(weights) - 1 and unit in seen:
            continue
        seen.add(unit)
        n_inputs = weights[layer][k].sum()
        total += n_inputs if n_inputs >= 2 else 0
        total += needs[layer][k] > 1
        total += layer == len(weights) - 1 and n_inputs == 1
    return int(total)


def weight_correct(weights, first_gate, rows, target, row_weights, needs=None):
    """The total weight of the rows predicted right, added up over the outputs that ``target`` has."""
    outputs = evaluate_all(weights, first_gate, rows, needs)
    return int((row_weights[:, np.newaxis] * (outputs == target.reshape(outputs.shape))).sum())


def flipped(weights, first_gate, exclusive, layer, unit, source, needs=None):
    """A copy with one weight flipped; in an AND of a first layer a literal added takes the place of those it excludes.

    Not so where the AND needs more than one input to fail.
    """
    new = [w.copy() for w in weights]
    adds = not new[layer][unit, source]
    is_plain = needs is None or needs[layer][unit] == 1
    if adds and layer == 0 and first_gate == "and" and exclusive[source] >= 0 and is_plain:
        new[0][unit, exclusive == exclusive[source]] = False
    new[layer][unit, source] = adds
    return new


def scan_order(weights):
    """(layer, unit, source) of every weight in the order in which ties are resolved."""
    for unit in range(weights[0].shape[0]):
        for source in range(weights[0].shape[1]):
            yield 0, unit, source
    for layer, w in enumerate(weights[1:], start=1):
        for source in range(w.shape[1]):
            for unit in range(w.shape[0]):
                yield layer, unit, source


def gains(weights, first_gate, exclusive, rows, target, row_weights, needs=None):
    """{(layer, unit, source): gain} of every flip, in scan order, by evaluating the whole network anew."""
    before = weight_correct(weights, first_gate, rows, target, row_weights, needs)

    def gain(place):
        new = flipped(weights, first_gate, exclusive, *place, needs)
        return weight_correct(new, first_gate, rows, target, row_weights, needs) - before

    return {place: gain(place) for place in scan_order(weights)}


def need_gains(weights, first_gate, rows, target, row_weights, needs):
    """[gain of a need one lower, gain of a need one higher] of every unit in order; a need of 1 stays, for nothing."""
    before = weight_correct(weights, first_gate, rows, target, row_weights, needs)

    def gain(layer, unit, change):
        new = [n.copy() for n in needs]
        new[layer][unit] = max(new[layer][unit] + change, 1)
        return weight_correct(weights, first_gate, rows, target, row_weights, new) - before

    return [[gain(i, k, change) for change in (-1, 1)] for i, w in enumerate(weights) for k in range(len(w))]


def climb(
    weights, first_gate, groups, rows, target, row_weights, max_flips, guided=False, flips_at_once=1, n_candidates=8
):
    """Take the first best flip until none wins or ``max_flips`` are done; see `Greedy` for the options."""
    n_flips = 0
    while n_flips < max_flips:
        table = gains(weights, first_gate, groups, rows, target, row_weights)
        places = []
        if guided:
            output = evaluate(weights, first_gate, rows)
            balance = row_weights[target & ~output].sum() - row_weights[output & ~target].sum()
            wanted = ["general"] * int(balance >= 0) + ["special"] * int(balance <= 0)
            kept = [p for p in table if {*wanted} & {*directions(weights, first_gate, groups, *p)}]
            places = first_best({place: table[place] for place in kept})
        places = places or first_best(table)
        for n in range(2, min(flips_at_once, max_flips - n_flips) + 1):
            places = places or best_together(weights, first_gate, groups, rows, target, row_weights, n, n_candidates)
        if not places:
            break
        for place in places:
            weights = flipped(weights, first_gate, groups, *place)
        n_flips += len(places)
    return weights


def first_best(table):
    """The first best place of a table of gains as a list, empty if it does not win."""
    place = max(table, key=table.__getitem__, default=None)
    return [place] if place and table[place] > 0 else []


def directions(weights, first_gate, groups, layer, unit, source):
    """Whether a flip makes its unit more "general", more "special", or possibly both."""
    is_and = (first_gate == "and") == (layer % 2 == 0)
    if weights[layer][unit, source]:
        return ["general" if is_and else "special"]
    if layer == 0 and is_and and groups[source] >= 0 and weights[0][unit, groups == groups[source]].any():
        return ["general", "special"]
    return ["special" if is_and else "general"]


def best_together(weights, first_gate, groups, rows, target, row_weights, n_flips, n_candidates):
    """The first best ``n_flips`` flips in a row that win together, all but the last being candidates; or none."""
    data = groups, rows, target, row_weights
    before = weight_correct(weights, first_gate, rows, target, row_weights)
    found = {}
    for places in sequences(weights, first_gate, *data, n_flips, n_candidates):
        new = weights
        for place in places:
            new = flipped(new, first_gate, groups, *place)
        found[places] = weight_correct(new, first_gate, rows, target, row_weights) - before
    best = max(found, key=found.__getitem__, default=())
    return list(best) if best and found[best] > 0 else []


def sequences(weights, first_gate, groups, rows, target, row_weights, n_flips, n_candidates):
    """All sequences of ``n_flips`` flips to compare."""
    if n_flips == 1:
        yield from ((place,) for place in scan_order(weights))
        return
    table = gains(weights, first_gate, groups, rows, target, row_weights)
    output = evaluate(weights, first_gate, rows)

    def changes(place):
        return (evaluate(flipped(weights, first_gate, groups, *place), first_gate, rows) != output)[
            row_weights > 0
        ].any()

    ranked = sorted(filter(changes, table), key=lambda place: -table[place])
    for place in ranked[:n_candidates]:
        new = flipped(weights, first_gate, groups, *place)
        for rest in sequences(new, first_gate, groups, rows, target, row_weights, n_flips - 1, n_candidates):
            yield (place, *rest)


def initialise(groups, hidden_layer_sizes, first_gate, length, probability, seed):
    """A random start, every random number drawn by itself."""
    rng = np.random.RandomState(seed)
    attributes = [[j for j, group in enumerate(groups) if group == a] for a in range(max(groups) + 1)]
    sizes = [len(groups), *hidden_layer_sizes]
    weights = []
    for i, n_units in enumerate(hidden_layer_sizes):
        layer = np.zeros((n_units, sizes[i]), dtype=bool)
        if i == 0 and first_gate == "and":
            for k in range(n_units):
                for literals in attributes:
                    if rng.random() < min(length, len(attributes)) / len(attributes):
                        layer[k, literals[::-1][rng.randint(len(literals))]] = True
        else:
            for j in range(sizes[i]):
                layer[rng.randint(n_units), j] = True
                for k in range(n_units):
                    if rng.random() < probability:
                        layer[k, j] = True
        weights.append(layer)
    return [*weights, np.ones((1, sizes[-1]), dtype=bool)]


def train(
    weights, first_gate, groups, rows, target, row_weights,
    *, n_epochs, batch_size, max_flips, restore_best, seed, **options,
):  # fmt: skip
    """Mini-batch training, literally as it was run; returns the weights and the accuracies on all rows."""

    def accuracy():
        return weight_correct(weights, first_gate, rows, target, row_weights) / row_weights.sum()

    size = min(batch_size, len(rows))
    shuffled = rows, target, row_weights
    history = [accuracy()]
    best, best_accuracy = weights, history[0]
    for _ in range(n_epochs):
        for b in range(len(rows) // size):
            shuffled = shuffle(*shuffled, random_state=seed + b)
            batch = [part[b * size : (b + 1) * size] for part in shuffled]
            weights = climb(weights, first_gate, groups, *batch, max_flips, **options)
            history.append(accuracy())
            if history[-1] > best_accuracy:
                best, best_accuracy = weights, history[-1]
        if best_accuracy == 1:
            break
    if restore_best:
        weights = best
    weights = climb(weights, first_gate, groups, rows, target, row_weights, max_flips, **options)
    return weights, [*history, accuracy()]


def grow_rule(signals, target, row_weights, row, m):
    """The columns of a conjunction that holds in ``row``: added while the m-estimate rises, dropped while it stays."""
    prior = row_weights[target].sum() / row_weights.sum()

    def judge(columns):
        cover = signals[:, list(columns)].all(axis=1)
        right, wrong = int(row_weights[cover & target].sum()), int(row_weights[cover & ~target].sum())
        return (right + m * prior) / (right + wrong + m), right

    columns = []
    while True:
        longer = [[*columns, j] for j in range(signals.shape[1]) if signals[row, j] and j not in columns]
        best = max(longer, key=judge, default=columns)
        if judge(best)[0] <= judge(columns)[0]:
            break
        columns = best
    columns.sort()
    while columns:
        shorter = [[k for k in columns if k != j] for j in columns]
        best = max(shorter, key=lambda rule: judge(rule)[0])
        if judge(best)[0] < judge(columns)[0]:
            break
        columns = best
    return columns


def encode(rows, values, not_equal=False):
    """For every row the truth of every literal, where ``values`` are those of every column."""
    return [
        [truth for cell, known in zip(row, values, strict=True) for truth in encode_cell(cell, known, not_equal)]
        for row in rows
    ]


def encode_cell(cell, known, not_equal=False):
    equal = [is_same(cell, value) for value in known]
    if not_equal and len(known) > 2:
        return equal + [any(equal) and not truth for truth in equal]
    return equal


def is_same(cell, value):
    return not pd.isna(cell) and kind(cell) == kind(value) and bool(cell == value)


def kind(cell):
    if type(cell).__name__ in ("bool", "bool_"):
        return "Boolean"
    if isinstance(cell, str):
        return "text"
    return "numeric" if isinstance(cell, numbers.Number) else type(cell).__name__


def values_of(cells):
    """The different values of a column without declared ones, in order."""
    found = []
    for cell in cells:
        if not pd.isna(cell) and not any(is_same(cell, value) for value in found):
            found.append(cell)
    return sorted(found, key=lambda cell: (kind(cell), cell))


def counting_scores(units, bias, rows):
    """The scores (n_rows, n_outputs) that ``units`` of (inputs, need, points) give: where fewer than need fail."""
    scores = np.tile(np.array(bias), (len(rows), 1))
    for inputs, need, points in units:
        for r, row in enumerate(rows):
            if sum(not row[j] for j in inputs) < need:
                scores[r] += points
    return scores


def counting_loss(scores, scale, weights, loss="logistic"):
    """The loss in nats of rows that weigh ``weights`` (n_rows, n_classes): softmax, or that of one output's margin."""
    if loss != "logistic":
        margin = scale * (scores + 0.5) * [-1, 1]  # what speaks for each of the two classes
        return float((weights * (np.maximum(0, 1 - margin) if loss == "hinge" else margin <= 0)).sum())
    margins = scale * (np.column_stack([0 * scores, scores + 0.5]) if scores.shape[1] == 1 else scores)
    return float((weights * (np.log(np.exp(margins).sum(axis=1, keepdims=True)) - margins)).sum())


def counting_size(units):
    """Points, and the inputs of units that join several; points for and points against take a unit each."""
    size = 0
    for inputs, need, points in units:
        size += int(np.abs(points).sum())
        if len(inputs) > 1:
            size += (len(inputs) + (need > 1)) * any(p > 0 for p in points)
            size += (len(inputs) + (len(inputs) - need + 1 > 1)) * any(p < 0 for p in points)
    return size
