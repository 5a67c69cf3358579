"""One sweep over all flips: against the machine's AND-popcount rate, and how its cost grows."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.timing import seconds
from benchmarks.workloads import count_flips_seen, make_network, make_problem
from rulenet import Network, kernels
from rulenet.greedy.ascent import climb, gains_of_flips
from rulenet.search.problem import Problem
from rulenet.vectors import new_signals

DEEP = (32, 16, 8, 4, 2)


def report() -> str:
    parts = compare_with_roofline(), grow_rows(), grow_literals_and_units(), grow_needs_and_outputs()
    return "\n".join([*parts, share_among_threads()])


def compare_with_roofline() -> str:
    """Sweeps at connect-4's size next to a bare loop over words that stay in the cache."""
    problem = make_problem(60_000, n_attributes=42)
    network = make_network(problem.relations, DEEP)
    flat = network.flat()
    gains_of_flips(flat, problem)
    measure_roofline()
    rounds = [(seconds(lambda: gains_of_flips(flat, problem), max_calls=50), measure_roofline()) for _ in range(9)]
    # Both are of one moment, since the clock of a processor is not the same in the next.
    sweep, roofline = sorted(rounds, key=lambda pair: pair[0] * pair[1])[len(rounds) // 2]
    counted = count_flips_seen(network, gains_of_flips(flat, problem))
    rate = 2 * counted * problem.target.size / sweep
    return (
        "## One sweep against the roofline\n\n"
        f"{problem.n_rows:,} rows, {network.n_literals} literals, {list(DEEP)}: {flat.weights.size:,} flips, of which "
        f"{counted:,} are of units that the output can see; two AND-popcounts a flip and word, which a "
        "sweep does as one; the middle of nine rounds.\n\n"
        "| | Gword/s |\n|---|---:|\n"
        f"| bare loop `popcount(a & b)`, words in cache | {roofline / 1e9:.2f} |\n"
        f"| sweep, evaluation and observability included ({sweep * 1e3:.2f} ms) | {rate / 1e9:.2f} |\n\n"
        f"Ratio: {rate / roofline:.2f}. The target is 0.7.\n"
    )


@njit(nogil=True)
def count_ands(rows, mask, n_rounds):  # type: ignore[no-untyped-def]
    total = 0
    for _ in range(n_rounds):
        for i in range(rows.shape[0]):
            count = 0
            for w in range(mask.size):
                count += kernels.popcount(rows[i, w] & mask[w])
            total += count
    return total


def measure_roofline() -> float:
    """AND-popcounts a second on one core, of words that lie as vector registers read them fastest."""
    rows = new_signals(64, 256)
    rows[:] = np.random.default_rng(0).integers(0, 2**64, rows.shape, dtype=np.uint64)
    count_ands(rows, rows[0], 1)
    return rows.size * 100 / seconds(lambda: count_ands(rows, rows[0], 100), budget=0.5, max_calls=50)


def grow_rows() -> str:
    lines = [
        "## Growth with rows",
        f"\n126 literals, {list(DEEP)}; milliseconds of processor time, one thread.\n",
        "| rows | ms a sweep | times the row above | memory taken, MB | packed bits, MB |",
        "|---:|---:|---:|---:|---:|",
    ]
    before = None
    for n_rows in (10**4, 10**5, 10**6, 4 * 10**6):
        milliseconds, taken, packed = (float(x) for x in measure_apart(n_rows))
        growth = "" if before is None else f"{milliseconds / before:.1f}"
        lines.append(f"| {n_rows:,} | {milliseconds:.3g} | {growth} | {taken:.1f} | {packed:.1f} |")
        before = milliseconds
    lines.append(
        "\nEach in a process of its own; memory taken is the peak, the packed bits included, above that of the "
        "interpreter with all libraries loaded and kernels compiled. The targets are 11 times the time for 10 times "
        "the rows, and three times the packed bits plus 200 MB.\n"
    )
    return "\n".join(lines)


def measure_apart(n_rows: int) -> list[str]:
    """Milliseconds a sweep, megabytes taken and megabytes of packed bits, in a process of its own."""
    call = f"from benchmarks.bench_sweeps import measure; measure({n_rows})"
    return subprocess.run([sys.executable, "-c", call], check=True, capture_output=True, text=True).stdout.split()


def measure(n_rows: int) -> None:
    small = make_problem(1_000)
    flat = make_network(small.relations, DEEP).flat()
    gains_of_flips(flat, small)
    before = peak_bytes()
    problem = make_problem(n_rows)
    sweep = cpu_seconds(flat, problem)
    print(sweep * 1e3, (peak_bytes() - before) / 1e6, problem.literals.nbytes / 1e6)


def peak_bytes() -> int:
    """The most memory that this process ever had; that of getrusage is inherited from the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024


def cpu_seconds(flat: kernels.Flat, problem: Problem) -> float:
    """Processor time of a sweep, the best of five runs of several."""
    gains_of_flips(flat, problem)
    n_sweeps = max(1, 200_000 // problem.n_rows)
    run = seconds(lambda: [gains_of_flips(flat, problem) for _ in range(n_sweeps)], clock=time.process_time)
    return run / n_sweeps


def grow_literals_and_units() -> str:
    lines = [
        "## Growth with literals and units",
        "\n100,000 rows; milliseconds of processor time, one thread.\n",
        "| literals | hidden layers | flips seen | ms a sweep | ns a flip and 1,000 rows |",
        "|---:|---|---:|---:|---:|",
    ]
    deep = ((n_attributes, DEEP, 2) for n_attributes in (10, 40, 160, 640))
    flat = ((40, (n_units,), 9) for n_units in (32, 128, 512))
    for n_attributes, sizes, rule_length in (*deep, *flat):
        problem = make_problem(100_000, n_attributes)
        network = make_network(problem.relations, sizes, rule_length)
        n_flips = count_flips_seen(network, gains_of_flips(network.flat(), problem))
        sweep = cpu_seconds(network.flat(), problem)
        cells = (
            len(problem.literals),
            list(sizes),
            n_flips,
            f"{sweep * 1e3:.2f}",
            f"{sweep / n_flips / 100 * 1e9:.1f}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def grow_needs_and_outputs() -> str:
    """Sweeps of one network, with its own needs and outputs and with others; batches of 50 rows and many rows."""
    lines = [
        "## Growth with needs and outputs",
        f"\n126 literals, {list(DEEP)}; flips and changed needs, one thread; against plain units and one output.\n",
        "| rows | needs | outputs | µs a sweep | times the first row |",
        "|---:|---|---:|---:|---:|",
    ]
    for n_rows in (50, 60_000):
        problem = make_problem(n_rows)
        plain = make_network(problem.relations, DEEP)
        first = 0.0
        for need, n_outputs in ((1, 1), (2, 1), (4, 1), (1, 3), (2, 3)):
            rows = problem.rows._replace(target=np.tile(problem.target, (n_outputs, 1)))
            flat = with_needs(plain, need, n_outputs).flat()
            sweep = seconds_of_sweep(flat, rows, problem.relations.exclusive)
            first = first or sweep
            lines.append(f"| {n_rows:,} | {need} | {n_outputs} | {sweep * 1e6:.1f} | {sweep / first:.2f} |")
    return "\n".join(lines) + "\n"


def with_needs(network: Network, need: int, n_outputs: int) -> Network:
    """The network with several equal outputs, in which units count where they have enough inputs for it."""
    weights = [*network.weights[:-1], np.repeat(network.weights[-1], n_outputs, axis=0)]
    return Network(weights, network.first_gate, [np.minimum(need, np.maximum(w.sum(axis=1), 1)) for w in weights])


def seconds_of_sweep(flat: kernels.Flat, rows: kernels.Rows, exclusive: NDArray[np.int64]) -> float:
    """Processor time of a sweep of all flips and changed needs."""
    gains, need_gains = np.zeros(flat.weights.size, np.int64), np.zeros((flat.needs.size, 2), np.int64)
    n_words = rows.planes.shape[1]

    def sweep() -> None:
        kernels.add_all_gains(flat, rows, exclusive, 0, n_words, gains, need_gains)

    sweep()
    n_sweeps = max(1, 5_000 // n_words)
    return seconds(lambda: [sweep() for _ in range(n_sweeps)], clock=time.process_time) / n_sweeps


def share_among_threads() -> str:
    problem = make_problem(1_000_000)
    network = make_network(problem.relations, DEEP)
    climb(network.flat(), problem, 1, 1)  # what is compiled, or loaded, is so before
    one, two = (
        seconds(lambda n_jobs=n_jobs: climb(network.flat(), problem, 5, n_jobs), max_calls=3) for n_jobs in (1, 2)
    )
    return (
        "## Threads\n\n"
        f"Five greedy flips on 1,000,000 rows: {one * 1e3:.0f} ms on one thread, {two * 1e3:.0f} ms on two, "
        f"{one / two:.2f} times as fast; the weights are the same.\n"
    )
