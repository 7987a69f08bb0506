"""Quotients and remainders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, elementwise, pairs


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["divsi", "remsi", "floordivsi", "ceildivsi"])
def test_signed_division(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    overflows = (a == np.iinfo(a.dtype).min) & (b == -1)
    a, b = a[(b != 0) & ~overflows], b[(b != 0) & ~overflows]
    exact = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    rules = {
        "divsi": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
        "remsi": lambda x, y: abs(x) % abs(y) * (1 if x >= 0 else -1),
        "floordivsi": lambda x, y: x // y,
        "ceildivsi": lambda x, y: -(-x // y),
    }
    expected = np.array([rules[op](x, y) for x, y in exact], a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["divui", "remui", "ceildivui"])
def test_unsigned_division(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    a, b = a[b != 0], b[b != 0]
    unsigned = f"uint{width}"
    x, y = [v.view(unsigned).astype(object) for v in (a, b)]
    rules = {"divui": x // y, "remui": x % y, "ceildivui": -(-x // y)}
    expected = rules[op].astype(unsigned).view(a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)
