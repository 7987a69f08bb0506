"""Expressions of MLIR as data have the same values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mlir import ir

from forebay.ir.structured.affine_expression import affine_of


def test_expressions_have_the_values_of_the_map() -> None:
    with ir.Context():
        text = "affine_map<(i, j) -> (i * 3 - j, (i + j) floordiv 4, (i - j) mod 3, i ceildiv 2)>"
        results = ir.AffineMapAttr(ir.Attribute.parse(text)).value.results
        for i, j in itertools.product(range(-6, 7), repeat=2):
            values = [affine_of(expression).at((i, j)) for expression in results]
            assert values == [i * 3 - j, (i + j) // 4, (i - j) % 3, int(np.ceil(i / 2))]
        with pytest.raises(TypeError, match="'s0' is no expression of dimensions"):
            affine_of(ir.AffineExpr.get_symbol(0))
