"""Bits and shifts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, edges, elementwise, pairs

OPERATORS = {"andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OPERATORS)
def test_bits(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    with np.errstate(over="ignore"):
        expected = OPERATORS[op](a, b)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["shli", "shrsi", "shrui"])
def test_shifts(kernel: Any, op: str, width: int) -> None:
    a = np.repeat(edges(width), width)
    b = np.tile(np.arange(width, dtype=a.dtype), len(edges(width)))
    unsigned = a.view(f"uint{width}").astype(object)
    by = b.astype(object)
    rules = {"shli": (unsigned << by) % 2**width, "shrsi": a.astype(object) >> by,
             "shrui": unsigned >> by}  # fmt: skip
    expected = (rules[op] % 2**width).astype(f"uint{width}").view(a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("op", ["andi", "ori", "xori"])
def test_boolean_logic(kernel: Any, op: str) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    expected = {"andi": a & b, "ori": a | b, "xori": a ^ b}[op]
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i1", 4, "i1", "i1")
    assert_all_agree(kernel, body, [a, b], expected)


def test_negation_by_xor_with_true(kernel: Any) -> None:
    a = np.array([False, True])
    op = "%t = arith.constant true\n%r = arith.xori %x0, %t : i1"
    assert_all_agree(kernel, elementwise(op, 2, "i1", "i1", 1), [a], ~a)
