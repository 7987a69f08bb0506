"""What all importers need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with ir.Context() as context:
        yield context
