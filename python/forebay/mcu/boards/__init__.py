"""The boards: one per file, found by a search of this folder.

A board has the name of its file, with dashes.

Internal: may change without notice.
"""

from __future__ import annotations

import importlib
import pkgutil

from forebay.mcu.board import Board
from forebay.mcu.errors import McuError


def names() -> list[str]:
    """Return the names of all boards, sorted."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Board:
    """Return the board of this name; raise `McuError` with the known names if there is none."""
    if name not in names():
        raise McuError(f"there is no board '{name}'; boards: {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}").BOARD
