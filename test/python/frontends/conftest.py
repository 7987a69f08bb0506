"""Makes the helpers beside the tests importable, and finds what the tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlir import ir

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with ir.Context() as context:
        yield context


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of shared networks and their goldens."""
    shared = Path(os.environ.get("FOREBAY_SHARED", REPOSITORY.parent / "shared"))
    if not (shared / "models" / "manifest.json").exists():
        pytest.skip("the shared networks are not here; FOREBAY_SHARED says where they are")
    return shared / "models"
