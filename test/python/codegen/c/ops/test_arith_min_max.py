"""Minima and maxima."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, edges, elementwise, pairs

OPERATORS = {"maxsi": np.maximum, "minsi": np.minimum}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OPERATORS)
def test_signed(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    with np.errstate(over="ignore"):
        expected = OPERATORS[op](a, b)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("bounds", [(-5, 7), (7, -5), (3, 3)])
@pytest.mark.parametrize("order", [("minsi", "maxsi"), ("maxsi", "minsi")])
def test_two_bounds(kernel: Any, order: tuple[str, str], bounds: tuple[int, int]) -> None:
    """A clamp where the bounds are in order, and what the operators say where they are not."""
    a = edges(32)
    op = f"""%first = arith.constant {bounds[0]} : i32
      %second = arith.constant {bounds[1]} : i32
      %b = arith.{order[0]} %x0, %first : i32
      %r = arith.{order[1]} %b, %second : i32"""
    expected = OPERATORS[order[1]](OPERATORS[order[0]](a, bounds[0]), bounds[1]).astype(a.dtype)
    assert_all_agree(kernel, elementwise(op, len(a), "i32", "i32", 1), [a], expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["maxui", "minui"])
def test_unsigned(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    x, y = (v.view(f"uint{width}") for v in (a, b))
    expected = (np.maximum if op == "maxui" else np.minimum)(x, y).view(a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)
