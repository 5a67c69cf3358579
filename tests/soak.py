"""Commands killed at random moments: the old file stays whole, and the next run gives the same result.

``python tests/soak.py --kills 100`` kills every command so many times, then lets it write to a disk that is full. It
prints a table, and ends with the number of failures.
"""

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

RULENET = [sys.executable, "-m", "rulenet"]


def run(arguments: Sequence[str], folder: Path, **more) -> subprocess.CompletedProcess:
    """A command that runs to its end."""
    return subprocess.run([*RULENET, *arguments], cwd=folder, capture_output=True, text=True, **more)


def digest(path: Path) -> str | None:
    """What is in a file, None where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def kill_often(arguments: Sequence[str], folder: Path, output: str, n_kills: int, draws: random.Random) -> list[str]:
    """What went wrong in so many runs that were killed at random moments."""
    path, failures = folder / output, []
    begin = time.monotonic()
    done = run(arguments, folder)
    takes, whole = time.monotonic() - begin, digest(path)
    if done.returncode or whole is None:
        return [f"does not run: {done.stderr.strip()[-200:]}"]
    for number in range(n_kills):
        if number % 2:
            path.unlink(missing_ok=True)  # half of all runs begin without an old file
        process = subprocess.Popen(
            [*RULENET, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(draws.uniform(0.2, 1.05) * takes)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if digest(path) not in (whole, None if number % 2 else whole):
            failures.append(f"kill {number} left another file")
    run(arguments, folder)
    if digest(path) != whole:
        failures.append("the run after all kills gave another result")
    return failures


def fill_disk(arguments: Sequence[str], folder: Path, output: str, n_kills: int, draws: random.Random) -> list[str]:
    """What goes wrong where the disk is full: a limit on the size of files stands for it."""
    path, before = folder / output, digest(folder / output)
    limit = ["bash", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "-", *RULENET, *arguments]
    done = subprocess.run(limit, cwd=folder, capture_output=True, text=True)
    failures = [] if digest(path) == before else ["a full disk changed the old file"]
    if done.returncode != 1 or "Traceback" in done.stderr:
        failures.append(f"a full disk ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return failures


def make_table(folder: Path) -> None:
    """A table to learn from."""
    draws = random.Random(0)
    rows = [[draws.choice("abc"), draws.choice("xy"), round(draws.random(), 2)] for _ in range(60)]
    lines = [",".join(map(str, [*row, (row[0] == "a") ^ (row[2] > 0.5)])) for row in rows]
    (folder / "rows.csv").write_text("\n".join(["p,q,r,y", *lines]) + "\n")


def leftovers(folder: Path, expected: set[str]) -> list[str]:
    """Files that nobody asked for; those that a kill left half written have a name of their own."""
    found = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    return [f"left {name} behind" for name in sorted(found - expected)]


COMMANDS = {
    "fit -o": (["fit", "rows.csv", "--target", "y", "--quiet", "--seed", "0", "-o", "model.json"], "model.json"),
    "predict -o": (["predict", "model.json", "rows.csv", "-o", "out.csv"], "out.csv"),
    "page": (["page", "model.json", "rows.csv", "-o", "page.html"], "page.html"),
}


def main() -> int:
    """The number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draws, n_failures = random.Random(options.seed), 0
    trials: dict[str, Callable[..., list[str]]] = {f"{options.kills} kills": kill_often, "full disk": fill_disk}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_table(folder)
        for command, (arguments, output) in COMMANDS.items():
            for trial, function in trials.items():
                begin = time.monotonic()
                failures = function(arguments, folder, output, options.kills, draws)
                n_failures += len(failures)
                told = "; ".join(failures) or "old file whole, same result"
                print(f"{command:12} {trial:10} {time.monotonic() - begin:6.0f} s  {told}", flush=True)
        for failure in leftovers(folder, {"rows.csv", *(output for _, output in COMMANDS.values())}):
            n_failures += 1
            print(failure)
    return n_failures


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(min(main(), 100))
