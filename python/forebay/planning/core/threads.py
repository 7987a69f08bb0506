"""The number of threads of the compiled search; plans do not depend on it."""

from __future__ import annotations

import os

VARIABLE = "FOREBAY_THREADS"


def threads() -> int:
    """Return the value of `FOREBAY_THREADS`, or else the number of CPUs available to this process.

    The search uses at most two threads. Raises `ValueError` if the variable is not a positive
    integer.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{VARIABLE} is {text!r}; give it a number of threads, 1 or more")
    return int(text)
