"""Conversions of integers and booleans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, edges, elementwise


@pytest.mark.parametrize("source", WIDTHS)
@pytest.mark.parametrize("result", WIDTHS)
@pytest.mark.parametrize("is_signed", [True, False])
def test_integer_conversions(kernel: Any, source: int, result: int, is_signed: bool) -> None:
    if source == result:
        pytest.skip("no conversion")
    a = edges(source)
    name = "trunci" if result < source else "extsi" if is_signed else "extui"
    seen = a if is_signed else a.view(f"uint{source}")
    expected = seen.astype(f"int{result}")
    op = f"%r = arith.{name} %x0 : i{source} to i{result}"
    body = elementwise(op, len(a), f"i{source}", f"i{result}", 1)
    assert_all_agree(kernel, body, [a], expected)


@pytest.mark.parametrize("is_signed", [True, False])
@pytest.mark.parametrize("result", WIDTHS)
def test_booleans_extend(kernel: Any, result: int, is_signed: bool) -> None:
    a = np.array([False, True])
    expected = np.array([0, -1 if is_signed else 1], f"int{result}")
    op = f"%r = arith.{'extsi' if is_signed else 'extui'} %x0 : i1 to i{result}"
    assert_all_agree(kernel, elementwise(op, 2, "i1", f"i{result}", 1), [a], expected)
