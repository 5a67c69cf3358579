"""Training over shards on Dask: what a round costs, and what more processes bring.

`python -m benchmarks dask`. A round is a call on every shard whose answers are added up.
"""

import os
import time
from collections.abc import Iterator

from benchmarks.bench_scale import frame
from benchmarks.timing import seconds
from rulenet import Count, Network, RuleNetworkClassifier
from rulenet.shards.data import Divided
from rulenet.shards.partitions import Partitions
from rulenet.shards.shards import errors, gains

N_PROCESSES = (1, 2, 4)
N_PARTITIONS = 8
SEARCHED = 20_000  # rows that the search sees
SHORT = Count(n_walks=2, n_folds=0, n_proposals=20_000)


STEPS = ("looking and packing", "a round: errors of a network", "a round: gains of all flips", "whole fit")


def report(n_rows: int = 1_000_000, n_columns: int = 20) -> str:
    lines = [
        "## Dask",
        f"\n{n_rows:,} rows x {n_columns} columns in {N_PARTITIONS} partitions, one thread a process, on a machine of "
        f"{os.cpu_count()} cores; seconds, the best of three for rounds, and how many times as fast that is as one "
        f"process. The search sees {SEARCHED:,} rows, in the process that calls `fit`.\n",
        f"| processes | {' | speed-up | '.join(STEPS)} | speed-up |",
        f"|---:|{'---:|---:|' * len(STEPS)}",
    ]
    first: tuple[float, ...] = ()
    for n_processes, took in zip(N_PROCESSES, measure(n_rows, n_columns), strict=True):
        first = first or took
        cells = (f"{mine:.3g} | {one / mine:.2f}" for one, mine in zip(first, took, strict=True))
        lines.append(f"| {n_processes} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def measure(n_rows: int, n_columns: int) -> Iterator[tuple[float, ...]]:
    """The seconds of every step, on more and more processes."""
    from dask import dataframe as dd
    from distributed import Client, LocalCluster

    table = frame(n_rows, n_columns, seed=0)
    for n_processes in N_PROCESSES:
        with (
            LocalCluster(
                n_workers=n_processes, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
            ) as cluster,
            Client(cluster),
        ):
            parts = dd.from_pandas(table, npartitions=N_PARTITIONS).persist()
            X, y = parts.drop(columns="label"), parts["label"]
            RuleNetworkClassifier(search=SHORT, random_state=0, max_search_rows=SEARCHED).fit(X, y)  # loads kernels
            start = time.perf_counter()
            ready = Divided(Partitions(X, y), None, SEARCHED).prepare((1,), None)
            packed = time.perf_counter() - start
            start = time.perf_counter()
            model = RuleNetworkClassifier(search=SHORT, random_state=0, max_search_rows=SEARCHED).fit(X, y)
            whole = time.perf_counter() - start
            shards, n_literals = ready.shards, len(ready.encoding.conditions)
            assert shards is not None
            network = _like(model.network_, n_literals)
            judged = seconds(lambda shards=shards, network=network: errors(shards, [network]), max_calls=3)
            swept = seconds(lambda shards=shards, network=network: gains(shards, network), max_calls=3)
            yield packed, judged, swept, whole


def _like(network: Network, n_literals: int) -> Network:
    """A network of the same shape over the literals of the search."""
    first = network.weights[0]
    more = [[bool(first[i, j % first.shape[1]]) for j in range(n_literals)] for i in range(len(first))]
    return Network([more, *network.weights[1:]], network.first_gate, network.needs)


if __name__ == "__main__":
    print(report())
