"""What all importers need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from common.oracles.contexts import kernel_context
from mlir import ir


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with kernel_context() as context:
        yield context
