"""The number of function calls: a measure of work that is the same in each run."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls_of(run: Callable[[], object]) -> int:
    """Return how many Python and C functions the call of `run` calls."""
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls
