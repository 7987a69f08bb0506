"""A machine that multiplies by weights which stay in its array, a register.

rom ── load ──> spad ── preload ──> weights ── multiply ──> spad ── store ──> dram
"""

from __future__ import annotations

from forebay.api.target import (
    Device,
    Int8,
    Int8FullyConnected,
    Intrinsic,
    Operand,
    Pool,
    Register,
    Target,
    Transfer,
    TypedPointer,
    loop,
)

BOTH, NPU = ("cpu", "npu"), ("npu",)


def _preload(w: TypedPointer[Int8], weights: TypedPointer[Int8], columns, depth):
    for element in loop(columns * depth):
        weights[element] = w[element]


def target(*, spad: int = 65536, array: int = 2048) -> Target:
    """The machine; `array` is the number of weights that it keeps."""
    preload = Intrinsic(
        "preload",
        "npu_preload",
        (Operand("w", "in", "spad"),),
        scalars=("columns", "depth"),
        sets="weights",
        reference=_preload,
    )
    multiply = Intrinsic(
        "multiply",
        "npu_multiply",
        (
            Operand("x", "in", "spad"),
            Operand("weights", "in", "weights"),
            Operand("bias", "in", "spad"),
            Operand("y", "out", "spad"),
        ),
        computes=Int8FullyConnected(),
    )
    npu = Device(
        "npu",
        kind="npu",
        registers=(Register("weights", array),),
        intrinsics=(preload, multiply),
        transfers=(
            Transfer("load", "npu_load", ("dram", "rom"), ("spad",), rank=2),
            Transfer("store", "npu_store", ("spad",), ("dram",), rank=2),
        ),
    )
    return Target(
        "stationary_machine",
        devices=(Device("cpu", kind="cpu", host=True), npu),
        pools=(
            Pool("dram", readers=BOTH, writers=BOTH),
            Pool("spad", capacity=spad, base=0, local=True, readers=NPU, writers=NPU),
            Pool("rom", "constant", readers=BOTH),
        ),
    )
