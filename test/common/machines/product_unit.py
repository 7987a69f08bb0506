"""A unit that multiplies tiles of 4x4: partial sums in main memory, a DMA of 64-byte blocks."""

from __future__ import annotations

from forebay.api.target import (
    Device,
    Int8FullyConnected,
    Intrinsic,
    Operand,
    Pool,
    Target,
    TileLimit,
    Transfer,
    ceil_div,
)

SIDE = 4
SCALARS = ("rows", "depth", "columns", "x_zero_point")
END = ("multiplier", "shift", "y_zero_point", "low", "high")


def cycles(rows, depth, columns):
    """Tiles of 4x4 in as many cycles as the reduction is deep."""
    return 10 + ceil_div(rows, SIDE) * ceil_div(columns, SIDE) * depth


def operand(name: str, access: str = "in") -> Operand:
    """Return an operand: sums are in main memory, all others in the unit's."""
    return Operand(name, access, "dram" if name == "sums" else "tcm", alignment=16)


def target(tcm: int = 4096, depth: int = 128, granule: int = 64) -> Target:
    """Return the unit; `depth` is the most of a reduction that a call computes."""
    both, own = ("cpu", "unit"), ("unit",)
    computation = Int8FullyConnected()

    def part(name: str, operands: tuple[Operand, ...], scalars: tuple[str, ...]) -> Intrinsic:
        return Intrinsic(
            name,
            f"unit_{name}",
            operands,
            scalars,
            computes=computation,
            limits={
                "rows": TileLimit(multiple=SIDE),
                "columns": TileLimit(multiple=SIDE),
                "depth": TileLimit(multiple=SIDE, most=depth),
            },
            cycles=cycles,
        )

    x, weights, bias, y = operand("x"), operand("weights"), operand("bias"), operand("y", "out")
    intrinsics = (
        part("whole", (x, weights, bias, y), (*SCALARS, *END)),
        part("first", (x, weights, bias, operand("sums", "out")), SCALARS),
        part("middle", (x, weights, operand("sums", "inout")), SCALARS),
        part("last", (x, weights, operand("sums"), y), (*SCALARS, *END)),
    )
    dma = {"rank": 2, "granule": granule, "latency": 30, "bandwidth": 8}
    return Target(
        "product_unit",
        (
            Device("cpu", kind="cpu", host=True),
            Device(
                "unit",
                kind="unit",
                intrinsics=intrinsics,
                transfers=(
                    Transfer("read", "unit_read", ("dram", "flash"), ("tcm",), **dma),
                    Transfer("write", "unit_write", ("tcm",), ("dram",), **dma),
                ),
            ),
        ),
        (
            Pool("dram", "workspace", readers=both, writers=both),
            Pool("tcm", "workspace", tcm, base=0x2000, local=True, readers=own, writers=own),
            Pool("flash", "constant", readers=both),
        ),
    )
