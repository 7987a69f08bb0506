"""Operators that TFLite Micro lacks; its network has others in their place, by definition equal.

GELU, EXP   GATHER from a table of the 256 results, computed here in float32 as LiteRT does
DENSIFY     the dense constant
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from common.model_file import Op, Sparsity, T

from fuzz.graphs.drawing import MOST_ELEMENTS, Drawing, Value
from fuzz.graphs.operators import Draw

F32 = np.float32
MOST_STORED = 255
"""Positions of stored elements are of uint8."""


def function(d: Drawing) -> None:
    """GELU in both forms, or EXP."""
    x = d.pick()
    if x is None or not x.shape:
        return
    name, compute, fields = d.rng.choice(FUNCTIONS)
    out = d.value(x.shape, d.scale(), d.zero_point())
    table = T((256,), "int8", out.scale, out.zero_point, _table(x, out, compute))
    wide, numbers = (d.tensor(T(x.shape, "int32")) for _ in range(2))
    operator = Op(name, [x.index], [out.index], f"{name.capitalize()}Options", fields)
    d.replace(
        operator,
        [
            Op("CAST", [x.index], [wide], "CastOptions"),
            Op("ADD", [wide, d.integers([128])], [numbers], "AddOptions"),
            Op("GATHER", [d.tensor(table), numbers], [out.index], "GatherOptions", {"Axis": 0}),
        ],
    )
    d.values.append(out)


def sparse_weights(d: Drawing) -> None:
    """DENSIFY of the weights of a FULLY_CONNECTED."""
    x = d.pick()
    if x is None or not x.shape:
        return
    depth, channels = x.shape[-1], d.rng.choice([1, 4, 9])
    rows = math.prod(x.shape) // depth
    if rows * channels > MOST_ELEMENTS or depth * channels > MOST_STORED:
        return
    dense = np.array(
        [
            [d.rng.choice([0, 0, d.rng.randint(-127, 127)]) for _ in range(depth)]
            for _ in range(channels)
        ],
        np.int8,
    )
    segments = [0, *np.cumsum((dense != 0).sum(1)).tolist()]
    levels = Sparsity([0, 1], [channels, (segments, np.nonzero(dense)[1].tolist())])
    scale = d.scale()
    stored = d.tensor(T(dense.shape, "int8", scale, data=dense[dense != 0], sparsity=levels))
    weights = d.tensor(T(dense.shape, "int8", scale))
    d.replace(Op("DENSIFY", [stored], [weights], "DensifyOptions"), [])
    d.constants[weights] = T(dense.shape, "int8", scale, data=dense)
    spread = x.scale * scale * math.sqrt(depth) * 70
    out = d.value((rows, channels), float(F32(spread)), d.zero_point())
    d.emit("FULLY_CONNECTED", [x.index, weights], [out], "FullyConnectedOptions")


def _table(x: Value, out: Value, compute: Callable[[np.float32], np.float32]) -> np.ndarray:
    """The results of all int8 values from -128 on."""
    inverse = F32(1) / F32(out.scale)
    reals = [F32(x.scale) * F32(n - x.zero_point) for n in range(-128, 128)]
    with np.errstate(over="ignore"):
        scaled = np.array([compute(real) * inverse for real in reals], F32)
    rounded = np.copysign(np.floor(np.abs(scaled.astype(float)) + 0.5), scaled)
    limited = np.clip(rounded, -(2.0**31), 2.0**31 - 128)
    return np.clip(limited + out.zero_point, -128, 127).astype(np.int8)


def _exact_gelu(x: np.float32) -> np.float32:
    return F32(F32(0.5) * x * F32(math.erfc(float(x * F32(-math.sqrt(0.5))))))


def _approximate_gelu(x: np.float32) -> np.float32:
    inner = F32(math.sqrt(2 / math.pi)) * (x + F32(0.044715) * x * x * x)
    return F32(F32(0.5) * x * (F32(1) + F32(math.tanh(float(inner)))))


def _exponential(x: np.float32) -> np.float32:
    return F32(min(math.exp(min(float(x), 700.0)), float(np.finfo(F32).max)))


FUNCTIONS = [
    ("GELU", _exact_gelu, {"Approximate": False}),
    ("GELU", _approximate_gelu, {"Approximate": True}),
    ("EXP", _exponential, {}),
]
REPLACED_KINDS: list[Draw] = [function, function, sparse_weights]
