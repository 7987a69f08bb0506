"""How many threads the compiled search may use; plans do not depend on it."""

from __future__ import annotations

import os

VARIABLE = "FOREBAY_THREADS"


def threads() -> int:
    """`FOREBAY_THREADS`, or as many as this process may run at once; the search uses two at most.

    Raises `ValueError` if the variable is not a positive number.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{VARIABLE} is {text!r}; give it a number of threads, 1 or more")
    return int(text)
