"""Operators on two operands that broadcast."""

from __future__ import annotations

import numpy as np

from fuzz.operators.draw.drawing import Drawing, Shape

ARITHMETIC = {
    "ADD": ("AddOptions", ("int8", "uint8", "int16", "int32", "float32")),
    "SUB": ("SubOptions", ("int8", "uint8", "int16", "int32", "float32")),
    "MUL": ("MulOptions", ("int8", "uint8", "int16", "int32", "float32")),
    "DIV": ("DivOptions", ("int32", "float32")),
}
OTHERS = {
    "MINIMUM": ("int8", "uint8", "int16", "int32", "int64", "float32"),
    "MAXIMUM": ("int8", "uint8", "int16", "int32", "int64", "float32"),
    "SQUARED_DIFFERENCE": ("int8", "uint8", "int16", "int32", "float32"),
    "FLOOR_DIV": ("int8", "int16", "int32", "float32"),
    "FLOOR_MOD": ("int8", "int16", "int32", "int64", "float32"),
    "POW": ("float32", "int32"),
}
OPTIONS = {
    "MINIMUM": "MaximumMinimumOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "SQUARED_DIFFERENCE": "SquaredDifferenceOptions",
    "FLOOR_DIV": "FloorDivOptions",
    "FLOOR_MOD": "FloorModOptions",
    "POW": "PowOptions",
}
COMPARISONS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
COMPARED = ("int8", "uint8", "int16", "int32", "int64", "float32", "bool")


UNDEFINED = ("GREATER", "int16")
"""TFLite Micro compares by factors that it does not set."""


def broadcast(d: Drawing, most: int = 5) -> tuple[Shape, Shape]:
    """Two shapes that broadcast in any dimensions."""
    full = list(d.shape(0, most))
    both = []
    for _ in range(2):
        shape = [1 if d.chance(0.25) else n for n in full] if d.chance(0.6) else list(full)
        both.append(tuple(shape[d.rng.choice([0, 0, 0, d.rng.randint(0, len(shape))]) :]))
    return both[0], both[1]


def operands(d: Drawing, dtype: str, **bounds: float) -> tuple[int, int, Shape]:
    a, b = broadcast(d)
    constant = d.rng.choice([None, None, 0, 1])
    x, y = (
        d.tensor(shape, dtype, constant=constant == i, **bounds) for i, shape in enumerate((a, b))
    )
    return x, y, np.broadcast_shapes(a, b)


def arithmetic(d: Drawing) -> None:
    name = d.rng.choice(list(ARITHMETIC))
    options, types = ARITHMETIC[name]
    dtype = d.rng.choice(types)
    bounds = {"low": 1, "high": 9} if name == "DIV" else {}
    x, y, shape = operands(d, dtype, **bounds)
    out = d.tensor(shape, dtype)
    d.emit(name, [x, y], [out], options, FusedActivationFunction=d.rng.choice([0, 0, 1, 2, 3]))


def other(d: Drawing) -> None:
    name = d.rng.choice(list(OTHERS))
    dtype = d.rng.choice(OTHERS[name])
    bounds = {"low": 1, "high": 9} if name in ("FLOOR_DIV", "FLOOR_MOD", "POW") else {}
    if bounds and dtype in ("int8", "int16"):
        a, b = broadcast(d)
        x = d.tensor(a, dtype)
        values = d.random(b, dtype)
        y = d.tensor(b, dtype, values=np.where(values == 0, 3, values).astype(dtype))
        shape = np.broadcast_shapes(a, b)
    else:
        x, y, shape = operands(d, dtype, **bounds)
    if name in ("MINIMUM", "MAXIMUM"):
        d.tensors[y].scale, d.tensors[y].zero_point = d.tensors[x].scale, d.tensors[x].zero_point
        scale = d.tensors[x].scale
        out = d.tensor(shape, dtype, (scale, d.tensors[x].zero_point) if scale else None)  # type: ignore[arg-type]
    else:
        out = d.tensor(shape, dtype)
    d.emit(name, [x, y], [out], OPTIONS[name])


def comparison(d: Drawing) -> None:
    name = d.rng.choice(COMPARISONS)
    types = COMPARED if name in ("EQUAL", "NOT_EQUAL") else COMPARED[:-1]
    dtype = d.rng.choice([t for t in types if (name, t) != UNDEFINED])
    x, y, shape = operands(d, dtype)
    words = "".join(word.capitalize() for word in name.split("_"))
    d.emit(name, [x, y], [d.tensor(shape, "bool")], f"{words}Options")


def logical(d: Drawing) -> None:
    name = d.rng.choice(["LOGICAL_AND", "LOGICAL_OR"])
    x, y, shape = operands(d, "bool")
    kind = "LogicalAndOptions" if name == "LOGICAL_AND" else "LogicalOrOptions"
    d.emit(name, [x, y], [d.tensor(shape, "bool")], kind)


def prelu(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "uint8", "float32"])
    shape = d.shape(1)
    alpha = [1 if d.chance(0.5) else n for n in shape]
    if d.chance(0.3):
        alpha = alpha[d.rng.randint(0, len(alpha) - 1) :]
    x, y = d.tensor(shape, dtype), d.tensor(alpha, dtype, constant=d.chance(0.8))
    d.emit("PRELU", [x, y], [d.tensor(shape, dtype)])


def add_n(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "float32"])
    shape = d.shape(0)
    quantization = d.quantization("int8")
    count = d.rng.randint(2, 4)
    xs = [d.tensor(shape, dtype, quantization if d.chance(0.7) else None) for _ in range(count)]
    d.emit("ADD_N", xs, [d.tensor(shape, dtype)], "AddNOptions")


def select(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "uint8", "int16", "int32", "int64", "float32", "bool"])
    a, b = broadcast(d, 4)
    full = np.broadcast_shapes(a, b)
    mask = tuple(1 if d.chance(0.3) else n for n in full)
    mask = mask[d.rng.choice([0, 0, d.rng.randint(0, len(mask))]) :]
    quantization = d.quantization(dtype) if dtype in ("int8", "uint8", "int16") else None
    x, y = (d.tensor(s, dtype, quantization, constant=d.chance(0.2)) for s in (a, b))
    out = d.tensor(full, dtype, quantization)
    d.emit("SELECT_V2", [d.tensor(mask, "bool"), x, y], [out], "SelectV2Options")


def broadcast_args(d: Drawing) -> None:
    a, b = broadcast(d, 4)
    dtype = d.rng.choice(["int32", "int64"])
    shape = np.broadcast_shapes(a, b)
    if not shape or not a or not b:
        return add_n(d)
    x, y = d.integers(a, dtype), d.tensor((len(b),), dtype, values=np.array(b, dtype))
    return d.emit("BROADCAST_ARGS", [x, y], [d.tensor((len(shape),), dtype)])


DRAWS = (
    arithmetic,
    arithmetic,
    arithmetic,
    other,
    other,
    comparison,
    logical,
    prelu,
    add_n,
    select,
    broadcast_args,
)
