"""Table 2 against the naive algorithm, which evaluates the whole network anew for every flip.

``python -m benchmarks.bench_reproduce`` trains the paper's three networks on one fold both ways (a few minutes), checks
that the networks are equal, and prints the times, also for all 40 fits of each network.
"""

from time import perf_counter

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import shuffle

from rulenet.datasets import make_artificial
from rulenet.experiments.paper.learners import NETWORKS, to_literals
from rulenet.network import Network
from rulenet.training.initialise import RandomInit

SEED, N_FITS = 5, 40


def evaluate(weights, rows):
    """The output by matrix products: an AND is a product of negations that stays zero."""
    for i, layer in enumerate(weights):
        negate = i % 2 == 0
        rows = ((rows ^ negate).astype(np.float32) @ layer.T.astype(np.float32) > 0) ^ negate
    return rows[:, 0]


def places(weights):
    """Every weight in scan order."""
    for i, layer in enumerate(weights):
        n_units, n_inputs = layer.shape
        for a in range(n_units if i == 0 else n_inputs):
            for b in range(n_inputs if i == 0 else n_units):
                yield (i, a, b) if i == 0 else (i, b, a)


def flip(weights, i, unit, source):
    """The weights of one unit before the flip, to be put back."""
    before = weights[i][unit].copy()
    if i == 0 and not before[source]:
        weights[i][unit, source ^ 1] = False  # two literals an attribute: the sibling is next door
    weights[i][unit, source] = not before[source]
    return before


def climb(weights, rows, target):
    """Flip after flip, each the best of all, every one tried."""
    while True:
        correct = int((evaluate(weights, rows) == target).sum())
        best, best_place = correct, None
        for place in places(weights):
            before = flip(weights, *place)
            found = int((evaluate(weights, rows) == target).sum())
            weights[place[0]][place[1]] = before
            if found > best:
                best, best_place = found, place
        if best_place is None:
            return
        flip(weights, *best_place)


def train(weights, rows, target, seed, n_epochs=5, batch_size=50):
    """Algorithm 1 as run for the published tables."""
    order = np.arange(len(rows))
    for _ in range(n_epochs):
        accuracies = []
        for b in range(len(rows) // batch_size):
            order = shuffle(order, random_state=seed + b)
            batch = order[b * batch_size : (b + 1) * batch_size]
            climb(weights, rows[batch], target[batch])
            accuracies.append((evaluate(weights, rows) == target).mean())
        if max(accuracies) == 1:
            break
    climb(weights, rows, target)
    return weights


def main() -> None:
    X, y = make_artificial(SEED)
    fold, _ = next(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
    X, y = X.iloc[fold], y.iloc[fold]
    rows, groups = to_literals(X), np.repeat(np.arange(10), 2)
    target = (y == y.value_counts().index[0]).to_numpy()
    for name, network in NETWORKS.items():
        model = network(SEED + 1).fit(X, y)  # compiled now
        start = perf_counter()
        model = network(SEED + 1).fit(X, y)
        ours = perf_counter() - start
        init = RandomInit(network.avg_rule_length, network.init_prob)
        weights = [w.copy() for w in init.start(groups, network.hidden_layer_sizes, "and", SEED + 1).weights]
        start = perf_counter()
        naive = Network(train(weights, rows, target, SEED + 1))
        seconds = perf_counter() - start
        assert naive == model.network_, "the naive algorithm finds another network"
        print(
            f"{name:8} naive {seconds:8.2f} s   rulenet {ours:6.3f} s   {seconds / ours:6.0f} times; "
            f"{N_FITS} fits: {N_FITS * seconds / 60:6.1f} min and {N_FITS * ours:5.1f} s"
        )


if __name__ == "__main__":
    main()
