"""Table 2 of the paper against the naive algorithm: three networks on one fold, and what it means for all fits."""

import time

from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks import naive
from benchmarks.timing import seconds
from rulenet import RandomInit
from rulenet.datasets import make_artificial
from rulenet.experiments.paper.learners import NETWORKS, PaperNetwork, to_literals

SEED, N_FITS = 5, 40


def report() -> str:
    lines = [
        "## Table 2 against the naive algorithm",
        f"\nThe paper's networks on one fold of data set {SEED}, seconds of processor time of a whole `fit`; both end "
        f"with the same weights (checked). Table 2 has {N_FITS} fits of each.\n",
        f"| network | naive | rulenet | ratio | {N_FITS} naive fits | {N_FITS} fits |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, network in NETWORKS.items():
        theirs, ours = compare(network)
        times = f"{N_FITS * theirs / 60:.1f} min | {N_FITS * ours:.1f} s"
        lines.append(f"| {name} | {theirs:.1f} | {ours:.3f} | {theirs / ours:,.0f} | {times} |")
    return "\n".join([*lines, ""])


def compare(network: PaperNetwork) -> tuple[float, float]:
    """Seconds of the naive algorithm, seconds of ours."""
    X, y = make_artificial(SEED)
    train, _ = next(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
    X, y = X.iloc[train], y.iloc[train]
    model = network(SEED + 1).fit(X, y)
    groups, target = model.encoding_.groups, y.to_numpy() == model.positive_class_
    init = RandomInit(network.avg_rule_length, network.init_prob)
    start = init.start(groups, network.hidden_layer_sizes, "and", SEED + 1)
    found = []
    with threadpool_limits(1):
        theirs = seconds(
            lambda: found.append(naive.fit(start, groups, to_literals(X), target, SEED + 1)[0]), clock=time.process_time
        )
    if found[0] != model.network_:
        raise AssertionError("the naive algorithm and rulenet ended with different weights")
    ours = seconds(lambda: [model.fit(X, y) for _ in range(20)], clock=time.process_time) / 20
    return theirs, ours
