"""Sums, differences and products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, elementwise, pairs

OPERATORS = {"addi": np.add, "subi": np.subtract, "muli": np.multiply}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OPERATORS)
def test_wrapping_operators(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    with np.errstate(over="ignore"):
        expected = OPERATORS[op](a, b)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


def test_numbers_multiply_in_64_bits(kernel: Any) -> None:
    """C reads 1073741824 as an int; the product needs an i64."""
    a = np.array([False, True])
    op = """%big = arith.constant 1073741824 : i64
      %eight = arith.constant 8 : i64
      %one = arith.constant 1 : i64
      %p = arith.select %x0, %big, %one : i64
      %q = arith.select %x0, %eight, %one : i64
      %r = arith.muli %p, %q : i64"""
    body = elementwise(op, 2, "i1", "i64", 1)
    assert_all_agree(kernel, body, [a], np.array([1, 2**33], np.int64))


@pytest.mark.parametrize("op", ["addi", "subi", "muli"])
def test_arithmetic_of_booleans(kernel: Any, op: str) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    expected = a & b if op == "muli" else a ^ b
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i1", 4, "i1", "i1")
    assert_all_agree(kernel, body, [a, b], expected)
