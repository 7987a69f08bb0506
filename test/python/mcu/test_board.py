"""The boards' memories, and what is said about boards that are not there."""

import itertools
import re

import pytest

from forebay.mcu import McuError, boards


def test_an_unknown_board_lists_the_known() -> None:
    message = f"there is no board 'mps3'; boards: {', '.join(boards.names())}"
    with pytest.raises(McuError, match=f"^{re.escape(message)}$"):
        boards.load("mps3")


@pytest.mark.parametrize("name", boards.names())
def test_a_board_has_the_name_of_its_file(name: str) -> None:
    assert boards.load(name).name == name


def test_the_boards_of_the_documentation_exist() -> None:
    assert {"mps2-an386", "mps3-an547", "riscv-virt"} <= set(boards.names())


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
