"""Boards that this machine has the tools for."""

import importlib.util
import shutil

import pytest
from common.sweep import sweep

from forebay.mcu import Board, boards
from forebay.mcu.tools import missing

FAST = "mps3-an547"
"""The board of all tests but the slow ones."""
BOARDS = [FAST, *(name for name in boards.names() if name != FAST)]


@pytest.fixture(scope="session", params=sweep(BOARDS))
def board(request: pytest.FixtureRequest) -> Board:
    """Each board in turn; skips where a compiler or an emulator is missing."""
    found = boards.load(request.param)
    return usable(found)


@pytest.fixture(scope="session")
def m55() -> Board:
    """The board with tightly coupled memories."""
    return usable(boards.load("mps3-an547"))


def usable(board: Board) -> Board:
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{board.name} needs the Debian packages {' '.join(packages)}")
    if shutil.which("cc") is None:
        pytest.skip("the counter of instructions needs a C compiler for this machine")
    if importlib.util.find_spec("elftools") is None:
        pytest.skip("images are read by pyelftools")
    return board
