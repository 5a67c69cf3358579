"""Settings of all tests, and where the reference data are."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from browser import chromium

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # so that scikit-learn's check of array interfaces runs too

# The first call of a kernel compiles it, so there are no deadlines. CI must not fail by a lucky draw: it repeats its
# examples, while every other run looks for new ones.
IN_CI = os.environ.get("CI", "").lower() == "true"
settings.register_profile("rulenet", deadline=None, derandomize=IN_CI)
settings.load_profile("rulenet")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; tests that need it are skipped without, but never in CI."""
    if not SHARED_DATA.is_dir():
        reason = f"the reference data are not in {SHARED_DATA}"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return SHARED_DATA


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where pages are written to, and what they download."""
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def browser(folder):
    """One Chromium for all tests of pages."""
    with chromium(folder) as opened:
        yield opened
