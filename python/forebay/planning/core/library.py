"""Loads the compiled core; planners ask `available()` and do without it where they can."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import forebay.planning.core

NAME = "_core.so"
FILE = Path(__file__).with_name(NAME)
"""Where a build in place puts it."""
ABI = 2


class CoreMissingError(RuntimeError):
    """A planner needs the compiled core and it was not built."""


@cache
def load() -> ctypes.CDLL:
    """The library; raises `CoreMissingError` when it is absent or of another version."""
    file = _find()
    library = ctypes.CDLL(str(file))
    if library.forebay_planning_abi() != ABI:
        raise CoreMissingError(f"{file} is of another version; build it again")
    library.forebay_first_fit.restype = ctypes.c_int64
    library.forebay_pack.restype = None
    return library


def _find() -> Path:
    """The library in one of the package's folders: an editable install has two."""
    folders = [Path(folder) for folder in forebay.planning.core.__path__]
    for folder in folders:
        if (folder / NAME).exists():
            return folder / NAME
    raise CoreMissingError(
        f"{FILE} is not built; install the package, or run python -m forebay.planning.core"
    )


@cache
def available() -> bool:
    """Whether the compiled core can be loaded."""
    try:
        load()
    except CoreMissingError:
        return False
    return True
