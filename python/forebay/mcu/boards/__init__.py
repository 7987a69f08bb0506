"""The boards: one per file, found by a search of this folder.

Internal: may change without notice.
"""

from __future__ import annotations

import importlib
import pkgutil

from forebay.mcu.board import Board
from forebay.mcu.errors import McuError


def names() -> list[str]:
    """Return the names of all boards."""
    return sorted(_boards())


def load(name: str) -> Board:
    """Return the board of this name; raise `McuError` with the known names if there is none."""
    boards = _boards()
    if name not in boards:
        raise McuError(f"there is no board '{name}'; boards: {', '.join(sorted(boards))}")
    return boards[name]


def _boards() -> dict[str, Board]:
    files = [module.name for module in pkgutil.iter_modules(__path__)]
    found: list[Board] = [importlib.import_module(f"{__name__}.{file}").BOARD for file in files]
    return {board.name: board for board in found}
