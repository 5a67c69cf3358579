"""Slow, obvious versions of what the compiled loops do. Imports nothing from rulenet.

A network here is ``(weights, first_gate)``: a list of Boolean arrays (n_units, n_inputs), and "and" or "or".
"""

import numpy as np


def evaluate(weights, first_gate, rows):
    """The output on Boolean ``rows`` (n_rows, n_literals), unit by unit."""
    is_and = first_gate == "and"
    for layer in weights:
        gate = np.all if is_and else np.any
        rows = np.column_stack([gate(rows[:, unit], axis=1) for unit in layer])
        is_and = not is_and
    return rows[:, 0]


def weight_correct(weights, first_gate, rows, target, row_weights):
    """The total weight of the rows predicted right."""
    return int(row_weights[evaluate(weights, first_gate, rows) == target].sum())


def flipped(weights, first_gate, groups, layer, unit, source):
    """A copy with one weight flipped; in an AND first layer a literal added takes the place of its siblings."""
    new = [w.copy() for w in weights]
    adds = not new[layer][unit, source]
    if adds and layer == 0 and first_gate == "and" and groups[source] >= 0:
        new[0][unit, groups == groups[source]] = False
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


def gains(weights, first_gate, groups, rows, target, row_weights):
    """{(layer, unit, source): gain} of every flip, in scan order, by evaluating the whole network anew."""
    before = weight_correct(weights, first_gate, rows, target, row_weights)
    return {
        place: weight_correct(flipped(weights, first_gate, groups, *place), first_gate, rows, target, row_weights)
        - before
        for place in scan_order(weights)
    }


def climb(weights, first_gate, groups, rows, target, row_weights, max_flips):
    """Take the first best flip until none wins or ``max_flips`` are done."""
    for _ in range(max_flips):
        table = gains(weights, first_gate, groups, rows, target, row_weights)
        place = max(table, key=table.__getitem__)
        if table[place] <= 0:
            break
        weights = flipped(weights, first_gate, groups, *place)
    return weights
