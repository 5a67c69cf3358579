"""Compiling before the first fit, kernel by kernel, in a process that finds nothing kept."""

import os
import subprocess
import sys
import tempfile

CODE = """
import time
import numpy as np
from numba.core import event
from rulenet import RuleNetworkClassifier

class Seconds(event.Listener):
    def on_start(self, given):
        self.start = time.thread_time()

    def on_end(self, given):
        kernel = given.data["dispatcher"].py_func
        name = f"{kernel.__module__.removeprefix('rulenet.')}.{kernel.__qualname__}"
        print(name, time.thread_time() - self.start, sep="\\t")

event.register("numba:compile", Seconds())
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3)).round(2)
y = (X[:, 0] > X[:, 1]) ^ (rng.random(400) < 0.2)
RuleNetworkClassifier(random_state=0).fit(X, y)
"""


def report() -> str:
    compiled = measure()
    lines = [
        "## Compiling",
        "\nWhat the default `fit` of a noisy table of 400 rows and two classes compiles where nothing is kept; seconds "
        "of processor time.\n",
        "| kernel | seconds |",
        "|---|---:|",
    ]
    lines += [f"| `{name}` | {seconds:.2f} |" for name, seconds in sorted(compiled, key=lambda pair: -pair[1])]
    return "\n".join([*lines, f"| all | {sum(seconds for _, seconds in compiled):.2f} |", "\nThe target is 7.\n"])


def measure() -> list[tuple[str, float]]:
    """The kernels that were compiled, and how long that took."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    return [(name, float(seconds)) for name, seconds in (line.split("\t") for line in done.stdout.splitlines())]
