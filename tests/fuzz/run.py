"""Fuzz for a while: ``python tests/fuzz/run.py --seconds 60``; a case again: ``--case model:123``.

Cases are numbered, and a number is always the same case. They run in a process that may take no more than 500 MB
beside what it starts with; one that dies is a failure as well.
"""

import argparse
import multiprocessing
import random
import sys
import time

import models
import tables
from contract import bound_memory, broken_by

KINDS = {
    "model": (models.make_case, models.check),
    "file": (tables.make_file, tables.check_file),
    "frame": (tables.make_frame, tables.check_frame),
}


def failure_of(kind: str, number: int) -> str:
    """How a case fails, "" if it does not."""
    make, check = KINDS[kind]
    case = make(random.Random(f"{kind} {number}"))
    return broken_by(lambda: check(case))


def work(first: int, seconds: float, connection) -> None:
    """Run cases from ``first`` on, and tell of each before and of failures after."""
    for kind in KINDS:
        failure_of(kind, 0)  # compiles
    bound_memory()
    end, number = time.monotonic() + seconds, first
    while time.monotonic() < end:
        for kind in KINDS:
            connection.send((kind, number, None))
            if failure := failure_of(kind, number):
                connection.send((kind, number, failure))
        number += 1
    connection.send((None, number, None))


def fuzz(first: int, seconds: float) -> tuple[int, list[str]]:
    """The number after the last one, and all failures, each kind of them once."""
    end, failures = time.monotonic() + seconds, dict[str, str]()
    while (left := end - time.monotonic()) > 0:
        mine, its = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=work, args=(first, left, its))
        process.start()
        its.close()
        kind, number, failure = "start", first, None
        try:
            while kind is not None:
                kind, number, failure = mine.recv()
                if failure:
                    failures.setdefault(_gist(failure), f"{kind}:{number}: {failure}")
        except EOFError:
            process.join()
            failures.setdefault(f"{kind} died", f"{kind}:{number}: the process ended with {process.exitcode}")
        process.join()
        first = number + 1
    return first, list(failures.values())


def _gist(failure: str) -> str:
    lines = failure.strip().splitlines()
    return next((line for line in reversed(lines) if "rulenet" in line), "") + lines[-1][:40]


def main() -> int:
    """The number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", help="one case alone, such as model:123")
    options = parser.parse_args()
    if options.case:
        kind, number = options.case.split(":")
        failure = failure_of(kind, int(number))
        print(KINDS[kind][0](random.Random(f"{kind} {number}")))
        print(failure or "holds")
        return bool(failure)
    last, failures = fuzz(options.first, options.seconds)
    print(f"{last - options.first} cases of each of {', '.join(KINDS)}; {len(failures)} kinds of failure")
    for failure in failures:
        print(f"\n{failure}")
    return len(failures)


if __name__ == "__main__":
    sys.exit(min(main(), 100))
