"""Settings of all tests, and where the reference data are."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # so that scikit-learn's check of array interfaces runs too

settings.register_profile("rulenet", deadline=None)  # the first call of a kernel compiles it
settings.load_profile("rulenet")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; tests that need it are skipped without, but never in CI."""
    if not SHARED_DATA.is_dir():
        reason = f"the reference data are not in {SHARED_DATA}"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return SHARED_DATA
