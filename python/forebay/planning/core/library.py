"""Loads the compiled core; planners ask `available()` and do without it where they can."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("_core.so")
ABI = 1


class CoreMissingError(RuntimeError):
    """A planner needs the compiled core and it was not built."""


@cache
def load() -> ctypes.CDLL:
    """The library; raises `CoreMissingError` when it is absent or of another version."""
    if not FILE.exists():
        raise CoreMissingError(
            f"{FILE} is not built; install the package, or run python -m forebay.planning.core"
        )
    library = ctypes.CDLL(str(FILE))
    if library.forebay_planning_abi() != ABI:
        raise CoreMissingError(f"{FILE} is of another version; build it again")
    library.forebay_first_fit.restype = ctypes.c_int64
    library.forebay_pack.restype = None
    return library


@cache
def available() -> bool:
    """Whether the compiled core can be loaded."""
    try:
        load()
    except CoreMissingError:
        return False
    return True
