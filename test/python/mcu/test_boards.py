"""The boards' memories, and what is said about boards and tools that are not there."""

import itertools
import re

import pytest

from forebay.mcu import McuError, ToolError, boards
from forebay.mcu.tools import missing, require, run


def test_an_unknown_board_lists_the_known() -> None:
    message = "there is no board 'mps3'; boards: mps2-an386, mps3-an547, riscv-virt"
    with pytest.raises(McuError, match=f"^{re.escape(message)}$"):
        boards.load("mps3")


@pytest.mark.parametrize("name", boards.names())
def test_memories_do_not_overlap(name: str) -> None:
    board = boards.load(name)
    for a, b in itertools.combinations(board.memories, 2):
        assert a.end <= b.address or b.end <= a.address


@pytest.mark.parametrize("name", boards.names())
def test_every_home_is_a_memory(name: str) -> None:
    board = boards.load(name)
    homes = itertools.chain([board.code, board.rodata, board.data], *board.homes.values())
    assert set(homes) <= {memory.name for memory in board.memories}


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    board = boards.load("mps2-an386")
    message = "there is no arm-none-eabi-gcc in PATH; on Debian: apt-get install gcc-arm-none-eabi"
    with pytest.raises(ToolError, match=f"^{message}$"):
        require(board.compiler)
    assert [tool.package for tool in missing(board)] == ["gcc-arm-none-eabi", "qemu-system-arm"]


def test_a_failing_tool_is_quoted(tmp_path) -> None:
    with pytest.raises(ToolError, match=r"^sh failed \(-c echo why >&2; exit 3\):\nwhy\n$"):
        run(["sh", "-c", "echo why >&2; exit 3"], tmp_path)
