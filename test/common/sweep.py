"""Sweeps over networks, boards, compilers or drawn cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], fast: int = 1) -> list[Any]:
    """Return the values as parameters of a test; those after the first `fast` are slow."""
    return [
        value if number < fast else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]
