"""A network with every kind of pool: two workspaces, two of constants, state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.network.model import (
    BufferInfo,
    GoldenStep,
    ModelInfo,
    PlannedPool,
    Port,
    Quantization,
)
from forebay.network.schedule import OperatorInfo, StepInfo
from forebay.pools import Fill, PoolKind

INPUT = Path(__file__).parents[2] / "python" / "codegen" / "inputs" / "gated_filter.mlir"
SAMPLES = np.array([[1, -2, 3, 100], [-128, 127, 0, 5]], np.int8)


def sums(samples: NDArray[np.int8]) -> list[int]:
    """What it answers, step by step."""
    weighed = samples.astype(np.int64) * [10, 20, 30, 40] * [1, -2, 3, -4]
    return np.cumsum(weighed.sum(axis=1)).tolist()


def _step(number: int, what: str, device: str, **uses: Any) -> StepInfo:
    return StepInfo("linalg.generic", device, "main", f"f: {what} #{number}", number, **uses)


MODEL = ModelInfo(
    name="gated filter",
    inputs=(Port("samples", "int8", (4,), 0.0078125, 0),),
    outputs=(Port("sum", "int32", (1,), 0.0009765625, 0),),
    pools=(
        PlannedPool(
            "dtcm", PoolKind.workspace, size=32, alignment=8, lower_bound=16, section=".dtcm"
        ),
        PlannedPool("sram", PoolKind.workspace, size=16, lower_bound=16, capacity=4096),
        PlannedPool("flash", PoolKind.constant, size=4),
        PlannedPool("tables", PoolKind.constant, size=8, fill=Fill.at_init),
        PlannedPool("kept", PoolKind.state, size=32),
    ),
    buffers=(
        BufferInfo("scaled", "dtcm", 0, 16, 0, 2, "int32", (4,)),
        BufferInfo("weighed", "sram", 0, 16, 1, 3, "int32", (4,)),
        BufferInfo("total", "kept", 16, 4, 0, 3, "int32", ()),
        BufferInfo("weights", "flash", 0, 4, 1, 2, "int8", (4,), Quantization((0.125,), (0,), 4)),
        BufferInfo(
            "gains", "tables", 0, 8, 0, 1, "int16", (4,), Quantization((0.5, 0.25), (0, 0), 2)
        ),
    ),
    operators=(
        OperatorInfo(0, "MUL", "scaled", "cpu"),
        OperatorInfo(1, "MUL", "weighed", "npu", "mul", (), 4, 12),
        OperatorInfo(2, "ADD", "sum", "cpu", None, ("npu: has no state",), 0, 24),
    ),
    steps=(
        _step(0, "MUL scaled", "cpu", reads=(4,), writes=(0,), inputs=(0,)),
        _step(1, "MUL weighed", "npu", reads=(0, 3), writes=(1,), cycles=12),
        _step(2, "ADD sum", "cpu", reads=(1, 2), writes=(2,), outputs=(0,)),
    ),
    host="cpu",
    planner="auto",
    source_hash="fedcba9876543210" * 4,
    golden=tuple(
        GoldenStep((x,), (np.array([y], np.int32),))
        for x, y in zip(SAMPLES, sums(SAMPLES), strict=True)
    ),
)


def gated_filter() -> ir.Module:
    """The module, in the context that is current."""
    return ir.Module.parse(INPUT.read_text())
