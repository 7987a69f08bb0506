"""Comparisons of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import WIDTHS, assert_all_agree, elementwise, pairs

PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal,
              "sgt": np.greater, "sge": np.greater_equal, "ult": np.less, "ule": np.less_equal,
              "ugt": np.greater, "uge": np.greater_equal}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_integer_comparisons(kernel: Any, predicate: str, width: int) -> None:
    a, b = pairs(width)
    x, y = (v.view(f"uint{width}") if predicate[0] == "u" else v for v in (a, b))
    expected = PREDICATES[predicate](x, y)
    op = f"%r = arith.cmpi {predicate}, %x0, %x1 : i{width}"
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", "i1"), [a, b], expected)
