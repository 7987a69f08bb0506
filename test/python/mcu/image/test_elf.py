"""Pools in the image: each where it was placed, and mistakes that are found."""

from dataclasses import replace
from pathlib import Path

import pytest

from forebay.mcu import McuError, boards
from forebay.mcu.image.elf import (
    Elf,
    ElfSymbol,
    Section,
    check_placed_pools,
)
from forebay.mcu.image.placement import PlacedPool
from forebay.mcu.run.memory_use import memory_use
from forebay.network.model import PlannedPool
from forebay.pools import PoolKind

BOARD = boards.load("mps3-an547")
POOL = PlacedPool(
    PlannedPool("work", PoolKind.workspace, size=100, alignment=16),
    BOARD.memory("dtcm"),
    ".noinit.work",
    "work",
)
SECTION = Section(".noinit.work", 0x3000_0100, 100, 0x3000_0100, in_file=False)
SYMBOL = ElfSymbol("work", 0x3000_0100, 100, is_function=False)


def image(section: Section = SECTION, symbol: ElfSymbol = SYMBOL) -> Elf:
    return Elf(Path("net.elf"), (section,), (symbol,))


def refusal(elf: Elf, placed: PlacedPool = POOL) -> str:
    with pytest.raises(McuError) as caught:
        check_placed_pools(elf, BOARD, [placed])
    return str(caught.value)


def test_the_address_of_a_pool_is_its_object_s() -> None:
    assert check_placed_pools(image(), BOARD, [POOL]) == {"work": 0x3000_0100}


def test_a_missing_section_is_found() -> None:
    assert refusal(image(replace(SECTION, name=".bss"))) == (
        "pool 'work': the image has no section '.noinit.work'"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        replace(SYMBOL, name="other"),
        replace(SYMBOL, size=99),
        replace(SYMBOL, size=116),
        replace(SYMBOL, address=0x3000_0200),
        replace(SYMBOL, is_function=True),
    ],
)
def test_another_object_is_found(wrong: ElfSymbol) -> None:
    assert refusal(image(symbol=wrong)) == (
        "pool 'work': section '.noinit.work' does not hold one object 'work' of 100 bytes"
    )


@pytest.mark.parametrize("address", [0x1100_0000, 0x2FFF_FFF0, 0x3007_FFA0])
def test_another_memory_is_found(address: int) -> None:
    moved = image(replace(SECTION, address=address), replace(SYMBOL, address=address))
    assert refusal(moved) == (
        f"pool 'work' lies at {address:#010x}, which is not in memory 'dtcm' of mps3-an547"
    )


def test_a_wrong_alignment_is_found() -> None:
    moved = image(replace(SECTION, address=0x3000_0108), replace(SYMBOL, address=0x3000_0108))
    assert refusal(moved) == "pool 'work' at 0x30000108 is not aligned to 16"


def test_a_pool_that_takes_room_in_the_image_is_found() -> None:
    assert refusal(image(replace(SECTION, in_file=True))) == (
        "pool 'work': its section '.noinit.work' takes room in the image"
    )


def test_constants_that_are_not_in_the_image_are_found() -> None:
    weights = replace(POOL, pool=PlannedPool("work", PoolKind.constant, size=100, alignment=16))
    assert refusal(image(), weights) == (
        "pool 'work': its section '.noinit.work' is not part of the image"
    )


def test_initial_values_count_where_they_run_and_where_they_are_kept() -> None:
    data = Section(".data", 0x3000_0000, 32, 0x3800_0000, in_file=True)
    used = {it.name: it.sections for it in memory_use(Elf(Path(), (data, SECTION), ()), BOARD)}
    assert used["dtcm"] == {".data": 32, ".noinit.work": 100}
    assert used["qspi"] == {".data (initial values)": 32}
    assert used["itcm"] == {}
