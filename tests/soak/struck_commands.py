"""Faults that meet a command: kills, a full disk, a folder that may not be written to, a clock that jumps."""

import hashlib
import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import warm

FIT = ["fit", "rows.csv", "--target", "y", "--quiet", "--search", "greedy", "--seed", "0", "-o", "model.json"]
COMMANDS = {
    "fit -o": (FIT, "model.json"),
    "predict -o": (["predict", "model.json", "rows.csv", "--proba", "-o", "out.csv"], "out.csv"),
    "page": (["page", "model.json", "rows.csv", "--target", "y", "-o", "page.html"], "page.html"),
}
REPRODUCE = ["reproduce", "figure5", "--n-jobs", "1", "--out", "study"]
NOBODY = 65534


def make_table(folder: Path) -> None:
    """A table to learn from."""
    draws = random.Random(0)
    rows = [[draws.choice("abc"), draws.choice("xy"), round(draws.random(), 2)] for _ in range(300)]
    lines = [",".join(map(str, [*row, (row[0] == "a") ^ (row[2] > 0.5)])) for row in rows]
    (folder / "rows.csv").write_text("\n".join(["p,q,r,y", *lines]) + "\n")


def digest(path: Path) -> str | None:
    """What is in a file, None where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def told(folder: Path) -> str:
    """The end of what the last command said."""
    return (folder / ".told").read_text(errors="replace").strip()[-200:]


def run(arguments: Sequence[str], folder: Path, fault: Callable[[], None] | None = None) -> int:
    """The exit status of a command that runs to its end."""
    process = warm.start(warm.run_command, arguments, folder, fault)
    process.join()
    return process.exitcode or 0


class Trial:
    """A command whose file is known, and what goes wrong with it."""

    def __init__(self, command: str, folder: Path) -> None:
        self.arguments, output = COMMANDS[command]
        self.folder, self.path = folder, folder / output
        self.failures = list[str]()
        begin = time.monotonic()
        if run(self.arguments, folder):
            self.failures.append(f"does not run: {told(folder)}")
        self.takes, self.whole = time.monotonic() - begin, digest(self.path)

    def expect(self, before: str | None, what: str) -> None:
        """The file is the one that was there before, or the new one."""
        if digest(self.path) not in (before, self.whole):
            self.failures.append(f"{what} left another file")

    def end(self) -> list[str]:
        """All failures, once a last run has given the same result."""
        run(self.arguments, self.folder)
        if digest(self.path) != self.whole:
            self.failures.append("the run after all faults gave another result")
        return self.failures


def kill_often(command: str, folder: Path, n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """Kill a command at random moments, every second time while it writes; half of all begin without an old file."""
    trial, n_struck = Trial(command, folder), 0
    for number in range(20 * n_times):
        if n_struck == n_times:
            break
        if number % 4 > 1:
            trial.path.unlink(missing_ok=True)
        before = digest(trial.path)
        process = warm.start(warm.run_command, trial.arguments, folder)
        if number % 2:
            warm.wait_for_writing(folder, process, 30 * trial.takes)
            time.sleep(draws.uniform(0, 0.003))
        else:
            time.sleep(warm.moment(draws, trial.takes))
        n_struck += warm.kill(process)
        trial.expect(before, f"kill {number}")
    return n_struck, trial.end()


def fill_disk(command: str, folder: Path, n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """Let the disk be full after so many bytes: an error in one line, and the old file as it was."""
    trial = Trial(command, folder)
    size = trial.path.stat().st_size
    for number in range(n_times):
        limit = draws.randrange(size)
        status = run(trial.arguments, folder, lambda limit=limit: _limit_files(limit))
        _expect_refusal(trial, status, "a full disk")
        if number == 0 and (status := _run_on_small_disk(trial)) is not None:
            _expect_refusal(trial, status, "a small disk")
    return n_times, trial.end()


def _limit_files(n_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is printed is no file of this disk


def _run_on_small_disk(trial: Trial) -> int | None:
    """The exit status where the output is on a file system that is full; None where none can be made."""
    with _small_disk() as small:
        if small is None:
            return None
        output = small / trial.path.name
        output.write_bytes(b"old")
        with (small / "fill").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 512):
                pass
        status = run([*trial.arguments[:-1], str(output)], trial.folder)
        if output.read_bytes() != b"old" or len(list(small.iterdir())) != 2:
            trial.failures.append("a small disk changed the old file")
        return status


@contextmanager
def _small_disk() -> Iterator[Path | None]:
    with tempfile.TemporaryDirectory() as name:
        try:
            made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", name], capture_output=True)
        except OSError:
            made = None
        if made is None or made.returncode:
            yield None
            return
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", name], check=True)


def forbid_writing(command: str, folder: Path, n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """A folder that may be read only."""
    trial = Trial(command, folder)
    os.chmod(folder, 0o755 if os.geteuid() == 0 else 0o555)
    (folder / ".told").chmod(0o666)
    try:
        status = run(trial.arguments, folder, _become_nobody)
        _expect_refusal(trial, status, "a read-only folder")
    finally:
        os.chmod(folder, 0o755)
    return 1, trial.end()


def _become_nobody() -> None:
    if os.geteuid() == 0:  # whom no permissions hold back
        os.setuid(NOBODY)


def _expect_refusal(trial: Trial, status: int, what: str) -> None:
    if digest(trial.path) != trial.whole:
        trial.failures.append(f"{what} changed the old file")
    if status != 1 or "Traceback" in told(trial.folder):
        trial.failures.append(f"{what} ended with {status}: {told(trial.folder)}")


def jump_clock(command: str, folder: Path, n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """A clock that goes years back and forth at every look."""
    trial = Trial(command, folder)
    for _ in range(min(n_times, 10)):
        status = run(trial.arguments, folder, lambda: _break_clock(draws))
        if status or digest(trial.path) != trial.whole:
            trial.failures.append(f"a clock that jumps ended with {status}: {told(folder)}")
    return min(n_times, 10), trial.end()


def _break_clock(draws: random.Random) -> None:
    time.time = lambda: draws.uniform(0, 2e9)
    time.time_ns = lambda: draws.randrange(2 * 10**18)


def kill_study(folder: Path, n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """Kill a study at random moments and take it up again until it is done; then begin anew."""
    failures = list[str]()
    begin = time.monotonic()
    if run(REPRODUCE, folder):
        return 0, [f"does not run: {told(folder)}"]
    takes, expected = time.monotonic() - begin, _results(folder)
    n_struck = n_done = 0
    _forget(folder)
    while n_struck < n_times or not n_done:
        process = warm.start(warm.run_command, REPRODUCE, folder)
        time.sleep(draws.uniform(0, takes / 12))
        if n_struck < n_times and warm.kill(process):
            n_struck += 1
            continue
        process.join()
        n_done += 1
        if process.exitcode or _results(folder) != expected:
            failures.append(f"a study that was taken up gave another result: {told(folder)}")
        _forget(folder)
    return n_struck, failures


def _results(folder: Path) -> str:
    """What a study found, without times and sessions."""
    table = pd.read_csv(folder / "study" / "results.csv").drop(columns=["fit_seconds", "session", "memory"])
    return table.sort_values(["dataset", "learner", "seed", "fold"]).to_csv(index=False)


def _forget(folder: Path) -> None:
    for path in (folder / "study").iterdir():
        path.unlink()
