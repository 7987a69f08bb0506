"""Sweeps over networks, boards, compilers or drawn cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], fast: int = 1) -> list[Any]:
    """Return the values as parameters of a test; those after the first `fast` are slow."""
    return sweep_cases(((value,) for value in values), fast)


def sweep_cases(cases: Iterable[tuple[Any, ...]], fast: int = 1) -> list[Any]:
    """Return tuples of values as parameters of a test with several; see `sweep`."""
    return [
        pytest.param(*case, marks=() if number < fast else pytest.mark.slow)
        for number, case in enumerate(cases)
    ]
