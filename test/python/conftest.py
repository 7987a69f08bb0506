"""What tests in several folders need: the networks, and the settings of the garbage collector."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

# Drawing cases takes long on a busy machine; that is no fault of the tested code.
settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy machine")

DIGITS = ROOT / "examples" / "digits"

# Imports of modules and the collection of tests leave little garbage. The thresholds are between
# Python's and those of the command (`forebay.process.supervisor`).
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collections, which visit them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def digits() -> Path:
    """The network that ships with the project."""
    return DIGITS / "digits_int8.tflite"


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder of shared networks and their goldens; skips where it is missing."""
    shared = Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared"))
    if not (shared / "models" / "manifest.json").exists():
        pytest.skip("the shared networks are not here; FOREBAY_SHARED says where they are")
    return shared / "models"
