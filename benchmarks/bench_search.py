"""Strategies of search and start compared: same rows, same seeds, same threads."""

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.accuracy.sets import make_large
from rulenet import Anneal, Greedy, QuineMcCluskeyInit, RuleNetworkClassifier
from rulenet.datasets import make_artificial, make_parity, make_tic_tac_toe

# Seeds above those that the search was made with: nothing here is chosen on the paper's data.
FRESH_SEEDS = (3004, 3005, 3006)
# An eighth of the usual proposals: enough to compare, and all of it ends within ten minutes on two cores.
QUICK = 100_000


def quick(**options: Any) -> Anneal:
    return Anneal(**{"n_proposals": QUICK, "distil": False, **options})


STRATEGIES: dict[str, dict[str, Any]] = {
    "Anneal, default": {"search": Anneal()},
    "an eighth of the proposals, nothing distilled, as below": {},
    "the vote distilled where walks find little": {"search": quick(distil="auto")},
    "the vote distilled everywhere": {"search": quick(distil=True)},
    "without repairs": {"search": quick(repairs=0)},
    "without copies": {"search": quick(copies=0)},
    "many copies": {"search": quick(copies=0.2)},
    "without either": {"search": quick(repairs=0, copies=0)},
    "flat (32)": {"hidden_layer_sizes": (32,)},
    "deep (32, 8, 2)": {"hidden_layer_sizes": (32, 8, 2)},
    "deep (32, 16, 8, 4, 2)": {"hidden_layer_sizes": (32, 16, 8, 4, 2)},
    "first gate AND only": {"first_gate": "and"},
    "without not-equal conditions": {"not_equal": False},
    "one walk, price 0.2": {"search": quick(price=0.2, n_restarts=1)},
    "price 1": {"search": quick(price=1.0)},
    "0.2 seconds": {"search": Anneal(max_time=0.2)},
    "start: tree": {"init": "tree"},
    "start: RIPPER": {"init": "ripper"},
    "start: ESPRESSO": {"init": "espresso"},
    "start: Quine-McCluskey on 50 rows": {"init": QuineMcCluskeyInit(max_rows=50)},
    "start: layers": {"init": "layers"},
    "Greedy, the paper's": {"search": Greedy()},
    "Greedy, guided": {"search": Greedy(guided=True)},
    "Greedy, two flips at once": {"search": Greedy(flips_at_once=2)},
    "Greedy, guided, two flips at once": {"search": Greedy(guided=True, flips_at_once=2)},
    "Greedy from a tree": {"search": Greedy(), "init": "tree"},
    "Greedy from layers": {"search": Greedy(), "init": "layers"},
}


def tables() -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    for seed in FRESH_SEEDS:
        X, y = make_artificial(seed)
        yield f"artificial {seed}", X, np.asarray(y)
    X, y = make_artificial(FRESH_SEEDS[0])
    noise = np.random.default_rng(0).random(len(y)) < 0.1
    yield f"artificial {FRESH_SEEDS[0]}, a tenth of the labels wrong", X, np.asarray(y) ^ noise
    X, y = make_parity(10, 7)
    yield "parity 7 of 10", X, np.asarray(y) == np.max(y)
    X, y = make_large(8192)
    yield "8192 rows, 2% of the labels wrong", X, y
    X, y = make_tic_tac_toe()
    yield "tic-tac-toe", X, np.asarray(y) == y.iloc[0]


def report() -> str:
    rows = []
    for name, parameters in STRATEGIES.items():
        for table, X, y in tables():
            train, test = next(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
            options = {"search": quick(), **parameters}
            model = RuleNetworkClassifier(random_state=0, n_jobs=2, nominal="all", **options)
            begin = process_time()
            model.fit(X.iloc[train], y[train])
            seconds = process_time() - begin
            rows.append((name, table, model.score(X.iloc[test], y[test]), model.network_.size, seconds))
    frame = pd.DataFrame(rows, columns=["strategy", "table", "accuracy", "size", "CPU seconds"])
    accuracy = frame.pivot_table(index="strategy", columns="table", values="accuracy", sort=False)
    means = frame.groupby("strategy", sort=False)[["accuracy", "size", "CPU seconds"]].mean()
    columns = [*accuracy.columns, "mean", "size", "CPU seconds"]
    lines = ["## Search", "", __doc__ or "", "", "| strategy | " + " | ".join(columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for strategy in accuracy.index:
        cells = [f"{x:.4f}" for x in accuracy.loc[strategy]]
        mean = means.loc[strategy]
        cells += [f"{mean['accuracy']:.4f}", f"{mean['size']:.0f}", f"{mean['CPU seconds']:.1f}"]
        lines.append(f"| {strategy} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
