"""What a session ran on."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("rulenet", "numpy", "numba", "scipy", "pandas", "scikit-learn", "joblib", "wittgenstein", "dask")


def describe_environment() -> dict[str, object]:
    """The time, the machine, and the versions of Python and of every package that matters.

    >>> sorted(describe_environment())
    ['cpus', 'machine', 'packages', 'python', 'started', 'system']
    """
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
