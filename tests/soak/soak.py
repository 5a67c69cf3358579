"""Faults in long work: ``python tests/soak/soak.py --times 100`` prints a table, and ends with the number of failures.

Commands are run in children of a process that has all modules and kernels, so that faults meet their work.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import caches
import clusters
import struck_commands as commands
import warm

# Children have what is imported here.
import rulenet.cli
import rulenet.experiments.paper.figure5  # noqa: F401

Result = tuple[int, list[str]]
Trial = Callable[[Path, int, random.Random], Result]


def trials() -> Iterator[tuple[str, str, Trial]]:
    """What is struck, by what, and how."""
    faults = {
        "kill -9": commands.kill_often,
        "full disk": commands.fill_disk,
        "read-only folder": commands.forbid_writing,
        "clock that jumps": commands.jump_clock,
    }
    for command in commands.COMMANDS:
        for fault, function in faults.items():
            yield f"`{command}`", fault, lambda *all, f=function, c=command: f(c, *all)
    yield "`reproduce`", "kill -9", commands.kill_study
    yield "eight fits", "start at once, nothing compiled", lambda _, *all: caches.start_at_once(*all)
    yield "fit on Dask", "kill -9 of a worker", lambda _, *all: clusters.kill_workers(*all)
    yield "fit on Dask", "kill -9 of the scheduler", lambda _, *all: clusters.kill_schedulers(*all)


def main() -> int:
    """The number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only trials whose name has this text")
    options = parser.parse_args()
    n_failures = 0
    print("| what | fault | times | failures | seconds |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands.make_table(folder)
        warm.load_all(folder, [commands.FIT, *(arguments for arguments, _ in commands.COMMANDS.values())])
        for what, fault, trial in trials():
            if options.only not in f"{what} {fault}":
                continue
            begin = time.monotonic()
            n_times, failures = trial(folder, options.times, random.Random(f"{options.seed} {what} {fault}"))
            n_failures += len(failures)
            print(f"| {what} | {fault} | {n_times} | {len(failures)} | {time.monotonic() - begin:.0f} |", flush=True)
            for failure in failures[:10]:
                print(failure, file=sys.stderr, flush=True)
            for part in warm.parts(folder):
                (folder / part).unlink()
        known = {"rows.csv", "study", *(output for _, output in commands.COMMANDS.values())}
        for path in folder.iterdir():
            if path.name not in known and not path.name.startswith("."):
                n_failures += 1
                print(f"left {path.name} behind", file=sys.stderr)
    return n_failures


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(min(main(), 100))
