"""Products and sums that are wider than their operands."""

from __future__ import annotations

from typing import Any

import pytest
from common.arith_kernels import assert_all_agree, elementwise, pairs


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("name", ["mulsi_extended", "mului_extended"])
def test_whole_product(kernel: Any, name: str, width: int) -> None:
    a, b = pairs(width)
    x, y = (v if name == "mulsi_extended" else v.view(f"uint{width}") for v in (a, b))
    product = x.astype(object) * y.astype(object)
    expected = ((product ^ (product >> width)) % 2**width).astype(f"uint{width}").view(a.dtype)
    op = f"%low, %high = arith.{name} %x0, %x1 : i{width}\n%r = arith.xori %low, %high : i{width}"
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", f"i{width}"), [a, b], expected)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_sum_and_carry(kernel: Any, width: int) -> None:
    a, b = pairs(width)
    whole = a.view(f"uint{width}").astype(object) + b.view(f"uint{width}").astype(object)
    op = f"%sum, %carry = arith.addui_extended %x0, %x1 : i{width}, i1\n"
    op += f"%c = arith.extui %carry : i1 to i{width}\n%r = arith.subi %sum, %c : i{width}"
    expected = ((whole - (whole >> width)) % 2**width).astype(f"uint{width}").view(a.dtype)
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", f"i{width}"), [a, b], expected)
