"""Walks of the default search: what a proposal costs, next to evaluating the whole network for it."""

import time

import numpy as np

from benchmarks import naive
from benchmarks.timing import seconds
from benchmarks.workloads import make_problem
from rulenet import Network, RandomInit, bits
from rulenet.anneal.walk import Walker
from rulenet.search.problem import Problem

N_ROWS = (128, 512, 2_048, 8_192, 32_768)
DEEP = (32, 16, 8, 4, 2)
SHAPES = ((8,), (32,), (32, 8, 2), DEEP, (128, 32, 8))
N_PROPOSALS = 100_000
# Half way down of a path's first cooling, at its lowest price.
WARM, PRICE = 0.2, 0.05
GO_ON = np.zeros(1, np.bool_)


def report() -> str:
    lines = [
        "## Proposals of the default search",
        "\nA walk at one temperature over a noisy table of 126 literals; nanoseconds of processor time of a proposal, "
        "one thread. Beside it, what evaluating the whole network takes: compiled, on packed rows, and in NumPy.\n",
        "| rows | hidden layers | edges | a proposal | whole network | ratio | NumPy | ratio |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    cases = [(n_rows, DEEP) for n_rows in N_ROWS] + [(512, shape) for shape in SHAPES]
    for n_rows, shape in dict.fromkeys(cases):
        problem = make_problem(n_rows)
        start = RandomInit().start(problem.relations, shape, "and", seed=0)
        walker = Walker.of(problem, start, seed=0)
        walk(walker)
        proposal = seconds(lambda walker=walker: walk(walker), clock=time.process_time) / N_PROPOSALS
        network = walker.network_now()
        compiled, lean = time_whole(problem, network)
        lines.append(
            f"| {n_rows:,} | {list(shape)} | {network.n_edges} | {proposal * 1e9:,.0f} | {compiled * 1e9:,.0f} | "
            f"{compiled / proposal:,.0f} | {lean * 1e9:,.0f} | {lean / proposal:,.0f} |"
        )
    return "\n".join([*lines, ""])


def walk(walker: Walker) -> None:
    walker.anneal(N_PROPOSALS, WARM, WARM, PRICE, GO_ON)


def time_whole(problem: Problem, network: Network, n_calls: int = 200) -> tuple[float, float]:
    """Seconds of evaluating and judging the whole network: ours, and NumPy's."""
    flat = network.flat()
    compiled = seconds(lambda: [problem.errors(flat) for _ in range(n_calls)], clock=time.process_time) / n_calls
    weights = [w.T.astype(np.float32) for w in network.weights]
    signals = bits.unpack(problem.literals, problem.n_rows).T.astype(np.float32)
    fires = bits.unpack(problem.target, problem.n_rows)
    lean = seconds(
        lambda: (naive.evaluate(weights, signals) != fires).sum(), budget=1.0, max_calls=50, clock=time.process_time
    )
    return compiled, lean
