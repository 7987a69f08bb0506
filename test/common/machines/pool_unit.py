"""A unit that adds and pools, in rows of 32 bytes, without queues."""

from __future__ import annotations

from forebay.api.target import (
    Device,
    Int8Add,
    Int8AveragePool,
    Int8MaxPool,
    Intrinsic,
    Pool,
    Target,
    TileLimit,
    Transfer,
)


def target(memory: int = 4096, rank: int = 2, most: int = 16) -> Target:
    """Return the unit; calls pool at most `most` columns."""
    both, own = ("cpu", "unit"), ("unit",)
    windows = {"y_width": TileLimit(most=most)}
    shared = {"pools": {"all": "memory"}, "alignment": 32}
    return Target(
        "pool_unit",
        (
            Device("cpu", kind="cpu", host=True),
            Device(
                "unit",
                kind="unit",
                intrinsics=(
                    Intrinsic("add", "unit_add", computes=Int8Add(), **shared),
                    Intrinsic(
                        "most", "unit_most", computes=Int8MaxPool(), limits=windows, **shared
                    ),
                    Intrinsic(
                        "mean", "unit_mean", computes=Int8AveragePool(), limits=windows, **shared
                    ),
                ),
                transfers=(
                    Transfer("load", "unit_load", ("sram",), ("memory",), rank=rank),
                    Transfer("store", "unit_store", ("memory",), ("sram",), rank=rank),
                ),
            ),
        ),
        (
            Pool("sram", "workspace", readers=both, writers=both),
            Pool(
                "memory", "workspace", memory, base=0, unit=32, local=True, readers=own, writers=own
            ),
            Pool("flash", "constant", readers=both),
        ),
    )
