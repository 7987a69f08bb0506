"""What is said about tools that are not there, or fail."""

import pytest

from forebay.mcu import ToolError, boards
from forebay.mcu.tools import missing, require, run_tool


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    board = boards.load("mps2-an386")
    message = "there is no arm-none-eabi-gcc in PATH; on Debian: apt-get install gcc-arm-none-eabi"
    with pytest.raises(ToolError, match=f"^{message}$"):
        require(board.compiler)
    assert [tool.package for tool in missing(board)] == ["gcc-arm-none-eabi", "qemu-system-arm"]


def test_a_failing_tool_is_quoted(tmp_path) -> None:
    with pytest.raises(ToolError, match=r"^sh failed \(-c echo why >&2; exit 3\):\nwhy\n$"):
        run_tool(["sh", "-c", "echo why >&2; exit 3"], tmp_path)
