"""A machine that always adds into accumulators, and scales and clips while it stores.

rom, dram ── load ──> spad ── multiply, add ──> acc ── store: scale, clip, narrow ──> dram
"""

from __future__ import annotations

from forebay.api.target import (
    Computation,
    Device,
    Int8Convolution,
    Int8FullyConnected,
    Intrinsic,
    Operand,
    Pool,
    Queue,
    Target,
    TileLimit,
    Transfer,
)

BOTH, OWN = ("cpu", "npu"), ("npu",)
PLACES = {"sums": "acc", "y": "dram"}
END = ("multipliers", "shifts")


def operands(*names: str, sums: str) -> tuple[Operand, ...]:
    """Operands in the scratchpad, except for sums and the result, which is in main memory."""
    access = {"sums": sums, "y": "out"}
    return tuple(Operand(n, access.get(n, "in"), PLACES.get(n, "spad")) for n in names)


def parts(
    prefix: str, computes: Computation, reduced: tuple[str, ...], kept: tuple[str, ...], **limits
) -> tuple[Intrinsic, ...]:
    """Return the calls that begin and continue sums, and the one that stores the results."""
    shared = {"computes": computes, "limits": limits, "queue": "run", "cycles": cycles}
    first = operands("x", "weights", "bias", "sums", sums="out")
    middle = operands("x", "weights", "sums", sums="inout")
    end = operands("sums", *END, "y", sums="in")
    return (
        Intrinsic(f"{prefix}_begin", f"npu_{prefix}_begin", first, reduced, **shared),
        Intrinsic(f"{prefix}_add", f"npu_{prefix}_add", middle, reduced, **shared),
        Intrinsic(
            f"{prefix}_store",
            f"npu_{prefix}_store",
            end,
            (*kept, "y_zero_point", "low", "high"),
            computes=computes,
            queue="out",
            cycles=lambda: 40,
        ),
    )


def cycles():
    """Any number."""
    return 50


def target(spad: int = 8192, acc: int = 4096, depth: int = 64) -> Target:
    """Return the machine; `depth` is the most of a reduction that a call adds."""
    rows = ("rows", "columns")
    image = ("y_height", "y_width", "y_depth")
    window = ("height", "width", "depth", "kernel_height", "kernel_width")
    strides = ("stride_y", "stride_x", "dilation_y", "dilation_x", "top", "left", "x_zero_point")
    npu = Device(
        "npu",
        kind="npu",
        intrinsics=(
            *parts(
                "fc",
                Int8FullyConnected(),
                (*rows, "depth", "x_zero_point"),
                rows,
                depth=TileLimit(most=depth),
            ),
            *parts(
                "conv",
                Int8Convolution(),
                (*image, *window, *strides),
                image,
                depth=TileLimit(most=depth),
                kernel_height=TileLimit(is_whole=True),
                kernel_width=TileLimit(is_whole=True),
            ),
        ),
        transfers=(Transfer("load", "npu_load", ("dram", "rom"), ("spad",), rank=4, queue="in"),),
        queues=tuple(Queue(name, f"npu_{name}", depth=4) for name in ("in", "run", "out")),
    )
    pools = (
        Pool("dram", "workspace", readers=BOTH, writers=BOTH),
        Pool("spad", "workspace", spad, base=0, local=True, readers=OWN, writers=OWN),
        Pool("acc", "workspace", acc, base=0x8000, local=True, readers=OWN, writers=OWN),
        Pool("rom", "constant", readers=BOTH),
    )
    return Target("accumulating_machine", (Device("cpu", kind="cpu", host=True), npu), pools)
