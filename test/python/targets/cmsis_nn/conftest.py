"""Boards on which networks are linked with the library."""

from __future__ import annotations

import pytest

from forebay.mcu import Board, boards
from forebay.mcu.tools import missing


@pytest.fixture
def board(request: pytest.FixtureRequest) -> Board:
    """The board of this name; skips where a compiler or an emulator is missing."""
    found = boards.load(request.param)
    packages = [tool.package for tool in missing(found)]
    if packages:
        pytest.skip(f"{found.name} needs the Debian packages {' '.join(packages)}")
    return found
