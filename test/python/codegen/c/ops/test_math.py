"""Functions of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from common.arith_kernels import assert_all_agree, edges, elementwise


def test_absolute_value_and_leading_zeros(kernel: Any) -> None:
    a = edges(32)
    body = elementwise("%r = math.absi %x0 : i32", len(a), "i32", "i32", 1)
    assert_all_agree(kernel, body, [a], np.abs(a))
    zeros = np.array([32 - int(x).bit_length() for x in a.view("uint32")], "int32")
    body = elementwise("%r = math.ctlz %x0 : i32", len(a), "i32", "i32", 1)
    assert_all_agree(kernel, body, [a], zeros)
