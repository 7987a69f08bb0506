"""A device whose stage takes a buffer of all free bytes, wherever these are."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.api.dialects import accel
from forebay.api.target import (
    CallSite,
    Device,
    Int8,
    Intrinsic,
    Operand,
    Pool,
    Target,
    TypedPointer,
    empty_tensor,
    loop,
)

SIZE = 100


def scale(x: TypedPointer[Int8], y: TypedPointer[Int8]):
    for i in loop(SIZE):
        y[i] = x[i] << 1


def scale_beside(x: TypedPointer[Int8], y: TypedPointer[Int8], tile: TypedPointer[Int8], size):
    for i in loop(size):
        tile[i] = 0
    scale(x, y)


def stage(site: CallSite) -> Sequence[ir.Value] | None:
    (source,), (result,) = site.call.inputs, site.call.outputs
    size = site.free["sram"]
    tile = empty_tensor([size], ir.IntegerType.get_signless(8))
    config = {"size": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)}
    made = accel.CallOp(
        [result.type, tile.type], "npu.tiles", [source], [result, tile], config=config
    )
    return [made.result_tensors[0]]


def target(sram: int = 1000) -> Target:
    """The machine: buffers are aligned to 16 bytes, so not all free bytes are one range."""
    x, y = Operand("x", "in", "sram"), Operand("y", "out", "sram")
    npu = Device(
        "npu",
        kind="npu",
        intrinsics=(
            Intrinsic("scale", "npu_scale", (x, y), reference=scale),
            Intrinsic(
                "tiles",
                "npu_tiles",
                (x, y, Operand("tile", "out", "sram")),
                ("size",),
                reference=scale_beside,
            ),
        ),
        stage=stage,
    )
    pools = (Pool("sram", "workspace", sram), Pool("rom", "constant"))
    return Target("greedy_stage", (Device("cpu", kind="cpu", host=True), npu), pools)
