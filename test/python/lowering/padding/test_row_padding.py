"""Rows of a budget are padded where it has room for them, and the bits stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.conv_layer import Layer
from common.padded_layers import (
    count_padded_copies,
    kernels_in,
    on_buffers,
    padded_copies_in,
    peak_of,
    text_of,
)
from mlir import ir

import forebay
from forebay.cpus import schedule_of
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.module import module_of
from forebay.lowering.padding.row_padding import RowPadding

WIDE = Layer(size=(8, 16), depth=3, channels=8)
MIDDLE = Layer(size=(8, 16), depth=8, channels=8)
LAST = Layer(size=(7, 16), depth=8, channels=4, stride=(2, 1), pad=(1, 1, 1, 1))
NARROWER = Layer(size=(8, 16), depth=8, channels=8, kernel=(2, 1), pad=(0, 0, 0, 0))
NETWORK = (WIDE, MIDDLE, NARROWER, LAST)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "net.mlir").write_text(text_of(*NETWORK))
    return tmp_path / "net.mlir"


@pytest.mark.parametrize("cpu", ["generic", "cortex-m55", "cascadelake"])
def test_padded_rows_give_the_same_bits(model: Path, cpu: str) -> None:
    source = WIDE.source()
    plain = forebay.compile(model, optimize="size")
    smallest = peak_of(forebay.compile(model, budget="min"))
    found = forebay.compile(model, budget=2 * smallest, cpu=cpu)
    assert count_padded_copies(found) == 3 and peak_of(found) <= 2 * smallest < peak_of(plain)
    expected = plain.run(source)
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(found.run(source, engine=engine), expected)


def test_a_budget_has_room_for_some_copies_or_for_none(model: Path) -> None:
    smallest = peak_of(forebay.compile(model, budget="min"))
    counts: list[int] = []
    for budget in (smallest, smallest + 128, smallest + 256, 2 * smallest):
        compiled = forebay.compile(model, budget=budget)
        assert peak_of(compiled) <= budget
        counts.append(count_padded_copies(compiled))
    assert counts == [0, 1, 3, 3]


def test_a_capacity_has_room_for_the_copies_that_a_budget_has(model: Path) -> None:
    budget = 2 * peak_of(forebay.compile(model, budget="min"))
    pool = f"devices=cpu/workspace=workspace;access=cpu:rw;size={budget}"
    limited, found = forebay.compile(model, target=pool), forebay.compile(model, budget=budget)
    assert count_padded_copies(limited) == count_padded_copies(found) == 3
    assert peak_of(limited) == peak_of(found) <= budget


def test_code_for_size_has_none(model: Path) -> None:
    assert count_padded_copies(forebay.compile(model, budget=2048, optimize="size")) == 0


def test_the_smallest_budget_gets_no_byte_more(shared_models: Path) -> None:
    """Loops of person detection that are not at the peak have bytes left."""
    model = shared_models / "person_detect_int8.tflite"
    padded, plain = (
        networks.compiled(model, budget="min", optimize=goal) for goal in ("speed", "size")
    )
    assert peak_of(padded) == peak_of(plain)
    assert count_padded_copies(padded) > 0 and count_padded_copies(plain) == 0


def test_the_report_says_what_padded_rows_take(model: Path) -> None:
    smallest = peak_of(forebay.compile(model, budget="min"))
    steps = list(forebay.compile(model, budget=2 * smallest).memory_map.budgets or ())
    before, padded, last = steps[-3:]
    assert padded.step == "with padded rows" and padded.bytes >= before.bytes
    assert last.step == "plan" and last.bytes <= 2 * smallest


def test_copies_belong_to_the_pool_of_their_kernel() -> None:
    with ir.Context(), ir.Location.unknown():
        module = module_of(on_buffers(text_of(*NETWORK)).operation)
        padding = RowPadding(module, schedule_of("generic"), "workspace")
        assert [*padding.gains] == [0, 1, 3] and min(padding.gains.values()) > 0
        assert [padding.row_bytes(number) for number in padding.gains] == [18 * 3, 18 * 8, 18 * 8]
        assert not RowPadding(module, schedule_of("generic"), "other").gains
        before = str(module)
        clone = module_of(module.operation.clone().operation)
        padding.pad(clone, [3, 0])
        assert len(padded_copies_in(clone.operation)) == 2 and str(module) == before
        padding.apply([1])
        assert len(padded_copies_in(module.operation)) == 1


def test_copies_are_for_the_pool_that_they_prefer() -> None:
    with ir.Context(), ir.Location.unknown():
        module = module_of(on_buffers(text_of(WIDE, MIDDLE)).operation)
        pool = ir.Operation.parse("memref_pool.pool @other workspace")
        ir.InsertionPoint.at_block_begin(module.body).insert(pool)
        result = kernels_in(module)[0].output
        type_, both = ir.MemRefType(result.type), SpaceAttr.get(["workspace", "other"])
        result.set_type(ir.MemRefType.get(type_.shape, type_.element_type, memory_space=both))
        assert 0 in RowPadding(module, schedule_of("generic"), "workspace").gains
        assert not RowPadding(module, schedule_of("generic"), "other").gains
