"""Loading of the compiled core; planners check `available()` and use Python code without it."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import forebay.planning.core
from forebay.errors import Error

_NAME = "_core.so"
FILE = Path(__file__).with_name(_NAME)
"""The path to which a build in place writes the library."""
ABI = 3


class CoreMissingError(Error):
    """A planner needs the compiled core, which is not built or has the wrong version."""


@cache
def load_core() -> ctypes.CDLL:
    """Load the library; raise `CoreMissingError` when it is absent or has another version."""
    file = _find()
    library = ctypes.CDLL(str(file))
    if library.forebay_planning_abi() != ABI:
        raise CoreMissingError(f"{file} is of another version; build it again")
    library.forebay_first_fit.restype = ctypes.c_int64
    library.forebay_pack.restype = None
    return library


def _find() -> Path:
    """Return the path of the library; an editable install has two package folders to search."""
    folders = [Path(folder) for folder in forebay.planning.core.__path__]
    for folder in folders:
        if (folder / _NAME).exists():
            return folder / _NAME
    raise CoreMissingError(
        f"{FILE} is not built; install the package, or run python -m forebay.planning.core"
    )


@cache
def available() -> bool:
    """Return whether the compiled core can be loaded."""
    try:
        load_core()
    except CoreMissingError:
        return False
    return True
