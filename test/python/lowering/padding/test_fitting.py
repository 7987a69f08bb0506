"""Copies are made where the plan gets no more bytes, or where a budget allows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
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
from mlir.dialects.builtin import ModuleOp

import forebay
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.candidates import PaddedSource, PaddingCandidates
from forebay.lowering.padding.fitting import Pad, PaddedCopy, PaddingLimits
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import source_padding_of

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


def test_a_trial_plan_decides() -> None:
    """The live bytes say that a copy fits, and the plan of the padded program that it does not."""
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*NETWORK))
        kernels = kernels_in(module)
        space = SpaceAttr.get(["workspace"])
        copies = [
            PaddedCopy(kernel, number, 1, ("workspace",))
            for number, kernel in enumerate(kernels)
            if source_padding_of(kernel) is not None
        ]

        def pad(module: ModuleOp, numbers: Sequence[int]) -> None:
            kernels = ops_of(module, ReduceOp)
            for number in numbers:
                padding = source_padding_of(kernels[number])
                assert padding is not None
                pad_source(kernels[number], padding, space)

        before = str(module)
        chosen = PaddingLimits(module_of(module.operation), {}, "auto").fitting(copies, pad)
        # As with their true sizes: not the copies of 2,592 bytes of sources with 8 channels.
        assert chosen and {*chosen} <= {0, 3}
        assert str(module) == before


def test_a_planner_that_fails_is_explained_by_the_pass_that_plans(
    model: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text("def plan(buffers, pools):\n    raise ValueError('no idea')\n")
    with pytest.raises(forebay.Error, match=r"bad\.py:2:1: planner 'bad' crashed: .*no idea"):
        forebay.compile(model, planner=str(tmp_path / "bad.py"))


def test_the_copies_with_the_least_room_are_left_out_first() -> None:
    """Twice as many after each trial, so that there are few."""
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*NETWORK))
        kernels, tried = kernels_in(module), list[list[int]]()

        def pad(clone: ModuleOp, numbers: Sequence[int]) -> None:
            tried.append([*numbers])
            kernel = ops_of(clone, ReduceOp)[1]
            padding = source_padding_of(kernel)
            assert padding is not None
            pad_source(kernel, padding, SpaceAttr.get(["workspace"]))  # never fits

        limits = PaddingLimits(module_of(module.operation), {}, "auto")
        copies = [
            PaddedCopy(kernel, number, 3000 if kernel == kernels[-1] else 1, ("workspace",))
            for number, kernel in enumerate(kernels)
        ]
        assert limits.fitting(copies, pad) == ()
        assert tried[:2] == [[0, 1, 2, 3], [0, 1, 2]] and [*map(len, tried)] == [4, 3, 1]


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
