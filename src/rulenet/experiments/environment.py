"""What a session ran on."""

import hashlib
import os
import platform
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("rulenet", "numpy", "numba", "scipy", "pandas", "scikit-learn", "joblib", "wittgenstein", "dask")


def describe_environment() -> dict[str, object]:
    """The time, the machine, and the versions of Python and of every package that matters.

    >>> sorted(describe_environment())
    ['code', 'cpus', 'machine', 'packages', 'python', 'started', 'system']
    """
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "code": code_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


@cache
def code_version() -> str:
    """A short digest of the sources of rulenet, to tell results of different versions apart."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
