"""Which memory a pool lies in: asked for, by its name, or the first with room."""

import pytest

from forebay.mcu import McuError, boards
from forebay.mcu.image.placement import PlacedPool, place
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import naming_of
from forebay.pools import Fill, PoolKind

MIB = 1 << 20
AN547 = boards.load("mps3-an547")


def placed(*pools: PlannedPool, **requests: str) -> dict[str, PlacedPool]:
    model = ModelInfo("net", (), (), pools, source_hash="")
    found = place(model, naming_of(model), AN547, requests)
    assert [it.pool for it in found] == list(pools)
    return {it.pool.name: it for it in found}


def memories(*pools: PlannedPool, **requests: str) -> dict[str, str]:
    return {name: it.memory.name for name, it in placed(*pools, **requests).items()}


def test_pools_take_the_first_home_with_room() -> None:
    small, large = (
        PlannedPool("a", PoolKind.workspace, size=300 << 10),
        PlannedPool("b", PoolKind.workspace, size=200 << 10),
    )
    assert memories(small, large) == {
        "a": "dtcm",
        "b": "sram",
    }  # 500 KiB and 64 kept: more than 512


def test_weights_too_large_for_flash_lie_in_ddr() -> None:
    assert memories(PlannedPool("w", PoolKind.constant, size=6 * MIB)) == {"w": "qspi"}
    assert memories(PlannedPool("w", PoolKind.constant, size=8 * MIB)) == {"w": "ddr"}


def test_requested_placements_come_first() -> None:
    first, asked = (
        PlannedPool("a", PoolKind.workspace, size=300 << 10),
        PlannedPool("b", PoolKind.workspace, size=300 << 10),
    )
    assert memories(first, asked, b="dtcm") == {"a": "sram", "b": "dtcm"}


def test_a_pool_with_a_memory_s_name_lies_there() -> None:
    assert memories(PlannedPool("isram", PoolKind.workspace, size=64)) == {"isram": "isram"}
    assert memories(PlannedPool("isram", PoolKind.workspace, size=64), isram="sram") == {
        "isram": "sram"
    }


def test_constants_filled_at_run_time_need_memory_that_is_written() -> None:
    assert memories(PlannedPool("w", PoolKind.constant, size=64, fill=Fill.at_init)) == {
        "w": "dtcm"
    }


def test_what_fits_nowhere_is_left_to_the_linker() -> None:
    assert memories(PlannedPool("w", PoolKind.workspace, size=999 * MIB)) == {"w": "ddr"}


def test_sections_and_symbols() -> None:
    weights, work, own = (
        PlannedPool("weights", PoolKind.constant, size=64),
        PlannedPool("Work", PoolKind.workspace, size=0),
        PlannedPool("own", PoolKind.workspace, size=64, section=".bss.fast"),
    )
    found = placed(weights, work, own)
    assert (found["weights"].section, found["weights"].symbol) == (
        ".rodata.pool.weights",
        "net_weights",
    )
    assert (found["Work"].section, found["Work"].symbol) == (".noinit.work", "work")
    assert found["Work"].size == 1
    assert found["own"].section == ".bss.fast"


def test_unknown_pools_and_memories_list_the_known() -> None:
    work = PlannedPool("work", PoolKind.workspace, size=64)
    with pytest.raises(
        McuError, match=r"^--pool wokr=sram: 'net' has no pool 'wokr'; pools: work$"
    ):
        placed(work, wokr="sram")
    with pytest.raises(
        McuError,
        match=r"^--pool work=tcm: mps3-an547 has no memory 'tcm'; "
        r"memories: itcm, sram, dtcm, isram, qspi, ddr$",
    ):
        placed(work, work="tcm")
