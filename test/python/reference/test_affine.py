"""Affine expressions on numbers and arrays, and their linear form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from mlir import ir

from forebay.reference.affine import dims_of, evaluate, linear

d0, d1 = 0, 1


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context():
        yield


def expr(text: str) -> ir.AffineExpr:
    map_ = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<(d0, d1)[s0] -> ({text})>")).value
    return map_.results[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("d0 * 3 + d1 - 2", -7 * 3 + 5 - 2),
        ("d0 floordiv 2", -4),
        ("d0 ceildiv 2", -3),
        ("d0 mod 4", 1),
        ("s0 * 2 + d1", 25),
    ],
)
def test_divisions_round_as_mlir_defines_them(text: str, value: int) -> None:
    assert evaluate(expr(text), [-7, 5], [10]) == value


def test_arrays_are_evaluated_element_by_element() -> None:
    found = evaluate(expr("d0 * 2 + d1"), [np.arange(3), np.int64(1)])
    assert found.tolist() == [1, 3, 5]


def test_the_linear_form_has_no_factor_of_zero() -> None:
    form = linear(expr("(d0 + d1) * 3 - d1 * 3 + 4"), 2)
    assert form is not None
    assert (dict(form.factors), form.constant) == ({d0: 3}, 4)
    assert linear(expr("d0 mod 4"), 2) is None
    assert linear(expr("d0 floordiv 4 + d1"), 2) is None


def test_the_dimensions_of_an_expression_are_those_that_it_names() -> None:
    assert dims_of(expr("d1 * 2 + 1")) == {d1}
    assert dims_of(expr("(d0 + d1) floordiv 2")) == {d0, d1}
    assert dims_of(expr("s0 + 3")) == set()
