"""A convolution engine of 8 columns: weights in a memory of their own, one queue for everything."""

from __future__ import annotations

from forebay.api.target import (
    Device,
    Int8Convolution,
    Intrinsic,
    Operand,
    Pool,
    Queue,
    Target,
    TileLimit,
    Transfer,
    ceil_div,
)

COLUMNS = 8
LAYOUT = "y_depth/8 kernel_height kernel_width depth y_depth%8"


def cycles(*, y_height, y_width, y_depth, depth, kernel_height, kernel_width):
    """One MAC per column and cycle, after 12 cycles."""
    return 12 + y_height * y_width * ceil_div(y_depth, 8) * depth * kernel_height * kernel_width


def target(image: int = 8192, weights: int = 4096, rank: int = 3) -> Target:
    """Return the machine; `image` and `weights` are bytes, `rank` is that of the DMA."""
    both, own = ("cpu", "engine"), ("engine",)
    convolution = Intrinsic(
        "convolve",
        "engine_convolve",
        (
            Operand("x", "in", "image", alignment=8),
            Operand("weights", "in", "weights", alignment=8),
            Operand("bias", "in", "weights", alignment=8),
            Operand("multipliers", "in", "weights", alignment=8),
            Operand("shifts", "in", "weights", alignment=8),
            Operand("y", "out", "image", alignment=8),
        ),
        computes=Int8Convolution(),
        layouts={"weights": LAYOUT},
        limits={
            "y_depth": TileLimit(multiple=COLUMNS),
            "kernel_height": TileLimit(most=5),
            "kernel_width": TileLimit(most=10),
            "stride_y": (1, 2),
            "stride_x": (1, 2),
            "dilation_y": (1,),
            "dilation_x": (1,),
        },
        queue="all",
        cycles=cycles,
    )
    dma = {"queue": "all", "rank": rank, "latency": 8, "bandwidth": 4}
    return Target(
        "column_engine",
        (
            Device("cpu", kind="cpu", host=True),
            Device(
                "engine",
                kind="engine",
                intrinsics=(convolution,),
                transfers=(
                    Transfer("load", "engine_load", ("dram",), ("image",), **dma),
                    Transfer("fill", "engine_fill", ("flash",), ("weights",), **dma),
                    Transfer("store", "engine_store", ("image",), ("dram",), **dma),
                ),
                queues=(Queue("all", "engine_all", depth=2),),
            ),
        ),
        (
            Pool("dram", "workspace", readers=both, writers=both),
            Pool("image", "workspace", image, base=0, local=True, readers=own, writers=own),
            Pool(
                "weights", "workspace", weights, base=0x10000, local=True, readers=own, writers=own
            ),
            Pool("flash", "constant", readers=both),
        ),
    )
