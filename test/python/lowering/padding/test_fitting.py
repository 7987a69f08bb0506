"""Copies fit where the plan gets no more bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.padded_layers import (
    kernels_in,
    on_buffers,
    text_of,
)
from mlir import ir
from mlir.dialects.builtin import ModuleOp

import forebay
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.fitting import PaddedCopy, PaddingLimits
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
