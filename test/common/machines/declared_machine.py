"""A machine that declares every ready computation, with operands dense or in blocks.

dram ── load ──> spad ── calls ──> spad ── store ──> dram
"""

from __future__ import annotations

from forebay.api.target import (
    Computation,
    Device,
    Int8Add,
    Int8AveragePool,
    Int8Convolution,
    Int8Depthwise,
    Int8FullyConnected,
    Int8MatMul,
    Int8MaxPool,
    Intrinsic,
    Operand,
    Pool,
    Target,
    TileLimit,
    Transfer,
)

HOST, NPU = ("cpu",), ("npu",)
BLOCKS = {
    "x": "depth/8 height width depth%8",
    "weights": "y_depth/8 depth/8 kernel_height kernel_width depth%8 y_depth%8",
    "y": "y_depth/8 y_height y_width y_depth%8",
}
CHANNELS = {
    "x": "channels/8 height width channels%8",
    "y": "channels/8 y_height y_width channels%8",
}


def operands(*names: str) -> tuple[Operand, ...]:
    """Operands in the scratchpad; `y` is the result."""
    return tuple(Operand(name, "out" if name == "y" else "in", "spad") for name in names)


def intrinsic(name: str, computes: Computation, *, per_channel: bool = False, **rest) -> Intrinsic:
    """An intrinsic with all scalars of its computation."""
    taken = ()
    if per_channel:
        names = [n for n in computes.axes if n != computes.sums]
        taken = operands(*names)
    return Intrinsic(name, f"npu_{name}", taken, computes=computes, pools={"all": "spad"}, **rest)


def target(*, spad: int = 1 << 20, blocks: int = 0, rank: int = 4, most: int = 1 << 20) -> Target:
    """The machine; with `blocks`, images and weights lie in blocks of 8 channels."""
    pools, most_rows = {"y_height": TileLimit(most=most)}, {"rows": TileLimit(most=most)}
    return Target(
        "declared_machine",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "npu",
                kind="npu",
                intrinsics=(
                    intrinsic("fc", Int8FullyConnected(), per_channel=not blocks, limits=most_rows),
                    intrinsic(
                        "conv",
                        Int8Convolution(),
                        per_channel=True,
                        limits=pools,
                        layouts=BLOCKS if blocks else {},
                    ),
                    intrinsic(
                        "depthwise",
                        Int8Depthwise(),
                        per_channel=True,
                        limits=pools,
                        layouts=CHANNELS if blocks else {},
                    ),
                    intrinsic("matmul", Int8MatMul()),
                    intrinsic("add", Int8Add()),
                    intrinsic("max_pool", Int8MaxPool(), layouts=CHANNELS if blocks else {}),
                    intrinsic("average_pool", Int8AveragePool()),
                ),
                transfers=(
                    Transfer("load", "npu_load", ("dram", "rom"), ("spad",), rank=rank),
                    Transfer("store", "npu_store", ("spad",), ("dram",), rank=rank),
                ),
            ),
        ),
        pools=(
            Pool("dram", "workspace", readers=HOST + NPU, writers=HOST + NPU),
            Pool("spad", "workspace", spad, base=0, local=True, readers=NPU, writers=NPU),
            Pool("rom", "constant", readers=HOST + NPU),
        ),
    )
