from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def digits() -> Path:
    return Path(__file__).parents[4] / "examples" / "digits"


@pytest.fixture(scope="session")
def model(digits: Path) -> Path:
    return digits / "digits_int8.tflite"


@pytest.fixture(scope="session")
def held_out(digits: Path) -> dict[str, np.ndarray]:
    with np.load(digits / "digits_heldout.npz") as file:
        return dict(file)
