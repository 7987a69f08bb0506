"""A device with state: a mode that a configuration sets, and weights that stay in its array.

Neither has an address. A `scale` needs the mode, a `multiply` needs mode and weights.
"""

from __future__ import annotations

from forebay.api.target import (
    Device,
    Int8,
    Int32,
    Intrinsic,
    LocalVariable,
    Operand,
    Pool,
    Register,
    Target,
    TypedPointer,
    loop,
)

SIDE = 4


def _set_mode(mode: TypedPointer[Int32], shift, bias):
    mode[0] = shift
    mode[1] = bias


def _preload(w: TypedPointer[Int8], weights: TypedPointer[Int8]):
    for i in loop(SIDE * SIDE):
        weights[i] = w[i]


def _scale(x: TypedPointer[Int8], y: TypedPointer[Int32], mode: TypedPointer[Int32], n):
    for i in loop(n):
        y[i] = (x[i].extend(Int32) << mode[0]) + mode[1]


def _multiply(
    x: TypedPointer[Int8],
    y: TypedPointer[Int32],
    mode: TypedPointer[Int32],
    weights: TypedPointer[Int8],
    rows,
):
    given, square = x.shaped(rows, SIDE), weights.shaped(SIDE, SIDE)
    for row in loop(rows):
        for column in loop(SIDE):
            total = LocalVariable(mode[1])
            for k in loop(SIDE):
                total.value += given[row, k].extend(Int32) * square[k, column].extend(Int32)
            y[row * SIDE + column] = total.value << mode[0]


ARRAY = Device(
    "array",
    kind="array",
    registers=(Register("mode", 8), Register("weights", SIDE * SIDE)),
    intrinsics=(
        Intrinsic(
            "set_mode",
            "array_set_mode",
            (),
            scalars=("shift", "bias"),
            sets="mode",
            reference=_set_mode,
        ),
        Intrinsic(
            "preload", "array_preload", (Operand("w", "in"),), sets="weights", reference=_preload
        ),
        Intrinsic(
            "scale",
            "array_scale",
            (Operand("x", "in"), Operand("y", "out")),
            scalars=("n",),
            needs="mode",
            reference=_scale,
        ),
        Intrinsic(
            "multiply",
            "array_multiply",
            (Operand("x", "in"), Operand("y", "out")),
            scalars=("rows",),
            needs=("mode", "weights"),
            reference=_multiply,
        ),
    ),
)
BOTH = ("cpu", "array")
TARGET = Target(
    "configured",
    devices=(Device("cpu", kind="cpu", host=True), ARRAY),
    pools=(Pool("ram", readers=BOTH, writers=BOTH), Pool("rom", "constant", readers=BOTH)),
)
