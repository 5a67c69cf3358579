"""Processes that start at once where nothing is compiled yet."""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import clusters

N_PROCESSES = 8
FIT = "import clusters; print(clusters.fit(clusters.make_table(300)))"


def start_at_once(n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """The same network in all of them, without a word: each compiles, and all write to one folder."""
    expected, failures = clusters.fit(clusters.make_table(300)), list[str]()
    for number in range(min(n_times, 2)):
        with tempfile.TemporaryDirectory() as folder:
            crowd = [_begin(folder, draws.randrange(2**32)) for _ in range(N_PROCESSES)]
            for process in crowd:
                found, told = (text.strip() for text in process.communicate())
                if (found, told) != (expected, ""):
                    failures.append(f"start {number}: {found!r} {told[-200:]!r}")
            if not any(path.is_file() for path in Path(folder).rglob("*")):
                failures.append(f"start {number}: nothing was kept")
    return min(n_times, 2), failures


def _begin(folder: str, hash_seed: int) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {"NUMBA_CACHE_DIR": folder, "PYTHONPATH": paths, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(
        [sys.executable, "-c", FIT],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
