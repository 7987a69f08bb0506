"""A reference computes the same on operands in any layout."""

from __future__ import annotations

import numpy as np
import pytest
from common.oracles.reference_jit import Reference

from forebay.api.target import Int8FullyConnected, Intrinsic, Operand
from forebay.computations.layout import common_blocks, rounded

SIZES = {"rows": 6, "depth": 10, "columns": 7}
LAYOUTS = [
    {},
    {"weights": "depth columns"},
    {"weights": "columns/4 depth columns%4"},
    {"x": "depth/4 rows depth%4", "weights": "depth/4 columns/2 columns%2 depth%4"},
    {"y": "columns/3 rows columns%3"},
    {"bias": "columns/2 columns%2", "y": "columns rows"},
]


@pytest.mark.parametrize("layouts", LAYOUTS)
def test_a_product(layouts: dict[str, str]) -> None:
    rng = np.random.default_rng(7)
    computes = Int8FullyConnected()
    operands = tuple(Operand(n, "out" if n == "y" else "in") for n in ("x", "weights", "bias", "y"))
    scalars = ("rows", "depth", "columns", "multiplier", "shift")
    intrinsic = Intrinsic("fc", "npu_fc", operands, scalars, computes=computes, layouts=layouts)
    laid_out = {o.name: intrinsic.layout_of(o.name) for o in operands}
    blocks = common_blocks(list(laid_out.values()))
    dense = {
        "x": rng.integers(-128, 128, (6, 10), np.int8),
        "weights": rng.integers(-128, 128, (7, 10), np.int8),
        "bias": rng.integers(-900, 900, 7, np.int32),
    }
    given = [laid_out[n].arranged(elements, blocks, 0) for n, elements in dense.items()]
    whole = rounded(SIZES, blocks)
    y = np.zeros(laid_out["y"].shape(whole), np.int8)
    Reference(intrinsic)([*given, y], {**whole, "multiplier": 1 << 30, "shift": 36})
    total = dense["x"].astype(np.int64) @ dense["weights"].astype(np.int64).T + dense["bias"]
    rounded_up, is_half = (total + 32) // 64, total % 64 == 32
    away = np.where(is_half & (total < 0), rounded_up - 1, rounded_up)
    expected = np.clip(away, -128, 127).astype(np.int8)
    is_element = laid_out["y"].arranged(np.ones(expected.shape, np.int8), blocks, 0) == 1
    arranged = laid_out["y"].arranged(expected, blocks, 0)
    np.testing.assert_array_equal(y[is_element], arranged[is_element])
