"""Sources are copied as a whole, else in strips, where the plan or a budget has room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.padded_layers import (
    count_padded_copies,
    on_buffers,
    padded_copies_in,
    peak_of,
    text_of,
)
from mlir import ir

import forebay
from forebay.cpus import schedule_of
from forebay.ir.machine.pools import pool_ops
from forebay.ir.module import module_of
from forebay.lowering.padding.candidates import PaddedSource, PaddingCandidates
from forebay.lowering.padding.choice import pad_within_plan
from forebay.lowering.padding.fitting import Pad, PaddedCopy, PaddingLimits

WIDE = Layer(size=(16, 16), depth=3, channels=8)
PEAK = Layer(size=(16, 16), depth=8, channels=8)
NARROW = Layer(size=(16, 16), depth=8, channels=2)
LATE = Layer(size=(16, 16), depth=2, channels=2)
NETWORK = (WIDE, PEAK, NARROW, LATE)
BYTES = 2 * 16 * 16 * 8
"""Source and result of the layer at the peak."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "net.mlir").write_text(text_of(*NETWORK))
    return tmp_path / "net.mlir"


def strips_in(compiled: forebay.Compiled) -> int:
    padded = [b for b in compiled.memory_map.buffers if b.name.startswith("padded")]
    return len(padded) - count_padded_copies(compiled)


def test_copies_take_no_bytes_of_the_plan(model: Path) -> None:
    compiled = forebay.compile(model)
    # Beside the sources with 8 channels is no room for a copy, but for strips of its rows.
    assert (
        count_padded_copies(compiled) == 2
        and strips_in(compiled) == 2
        and peak_of(compiled) <= BYTES
    )
    assert peak_of(forebay.compile(model, optimize="size")) == BYTES


def test_a_budget_allows_more_bytes(model: Path) -> None:
    compiled = forebay.compile(model, budget=BYTES + 1024)
    assert count_padded_copies(compiled) == 4 and BYTES < peak_of(compiled) <= BYTES + 1024


def test_a_budget_may_forbid_copies(model: Path) -> None:
    compiled = forebay.compile(model, budget="min")
    assert count_padded_copies(compiled) == strips_in(compiled) == 0


def test_code_for_size_has_no_copies(model: Path) -> None:
    assert count_padded_copies(forebay.compile(model, optimize="size")) == 0


TWO_POOLS = """
from forebay.api.target import Device, Pool, Target

TARGET = Target(
    "two_pools",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(Pool("dtcm", capacity=2304), Pool("sram"), Pool("weights", kind="constant")),
)
"""


def test_a_copy_moves_no_other_buffer(model: Path, tmp_path: Path) -> None:
    """With a second copy in dtcm the planner would put a result into sram."""
    (tmp_path / "two_pools.py").write_text(TWO_POOLS)
    found, plain = (
        {
            buffer.name: buffer.pool
            for buffer in compiled.memory_map.buffers
            if buffer.kind == "workspace" and not buffer.name.startswith("padded")
        }
        for compiled in (
            forebay.compile(model, target=tmp_path / "two_pools.py", optimize=goal)
            for goal in ("speed", "size")
        )
    )
    assert found == plain and {*plain.values()} == {"dtcm", "sram"}


def test_strips_that_save_most_are_tried_before_others(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gains, tried = list[dict[int, float]](), list[list[int]]()
    in_strips = PaddingCandidates.in_strips

    def found(
        candidates: PaddingCandidates,
        numbers: Iterable[int],
        least: int,
        *,
        has_row_lifetimes: bool,
    ) -> dict[int, PaddedSource]:
        strips = in_strips(candidates, numbers, least, has_row_lifetimes=has_row_lifetimes)
        gains.append({number: source.gain for number, source in strips.items()})
        return strips

    def none_fits(_limits: PaddingLimits, numbers: Sequence[int], _pad: Pad) -> tuple[int, ...]:
        tried.append([*numbers])
        return ()

    monkeypatch.setattr(PaddingCandidates, "in_strips", found)
    monkeypatch.setattr(PaddingLimits, "longest_prefix", none_fits)
    forebay.compile(model)
    for own, numbers in zip(gains, tried[1:], strict=True):
        assert numbers == sorted(own, key=lambda number: -own[number])
    assert len({*gains[0].values()}) == len(NETWORK) and tried[1] != sorted(tried[1])


def test_smaller_copies_replace_none_that_fit(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(1,), (0,)]

    def fitting(
        _limits: PaddingLimits, _copies: Sequence[PaddedCopy], _pad: Pad
    ) -> tuple[int, ...]:
        return found.pop(0)

    def none_fits(_limits: PaddingLimits, _numbers: Sequence[int], _pad: Pad) -> tuple[int, ...]:
        return ()

    monkeypatch.setattr(PaddingLimits, "fitting", fitting)
    monkeypatch.setattr(PaddingLimits, "longest_prefix", none_fits)
    compiled = forebay.compile(model, cpu="cascadelake", budget=2 * BYTES)
    (copy,) = padded_copies_in(compiled.planned)
    assert not found and ir.MemRefType(copy.output.type).shape == [1, 18, 18, 8]


def test_a_module_without_a_plan_stays_as_it_is() -> None:
    with ir.Context(), ir.Location.unknown():
        module = module_of(on_buffers(text_of(*NETWORK)).operation)
        (pool,) = (op for op in pool_ops(module.operation) if op.sym_name.value == "workspace")
        pool.operation.attributes["capacity"] = ir.IntegerAttr.get(
            ir.IntegerType.get_signless(64), BYTES - 1
        )
        before = str(module)
        pad_within_plan(module, schedule_of("generic"), {}, "auto")
        assert str(module) == before
        del pool.operation.attributes["capacity"]
        pad_within_plan(module, schedule_of("generic"), {}, "auto")
        assert str(module) != before
