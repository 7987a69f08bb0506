"""What the body of a sum of products multiplies."""

from __future__ import annotations

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers the dialects)
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.product import ProductFactor, product_of

TEXT = """
func.func @f(%x: memref<8xi8>, %w: memref<2x8xi8>, %o: memref<2xi32>) {{
  accel.reduce [2 | 8] ins(%x, %w : memref<8xi8>, memref<2x8xi8>) outs(%o : memref<2xi32>)
    maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>] init {{
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    }} body {{
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %c5 = arith.constant 5 : i32
      {lines}
      accel.yield %sum : i32
    }} finish {{
    ^bb0(%acc: i32, %count: i32):
      accel.yield {result} : i32
    }}
  return
}}
"""
PRODUCT = """
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c5 : i32
      %x3 = arith.addi %x2, %c5 : i32
      %w1 = arith.extui %w0 : i8 to i32
      %product = arith.muli %x3, %w1 : i32
      %sum = arith.addi %acc, %product : i32
"""
LARGEST = """
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.maxsi %acc, %x1 : i32
"""


def factors_of(lines: str, result: str = "%acc") -> tuple[ProductFactor, ...] | None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(lines=lines, result=result))
        (op,) = [op for op in ops_nested_in(module.operation) if isinstance(op, ReduceOp)]
        return product_of(op)


def test_constants_that_are_added_to_an_element_are_its_offset() -> None:
    assert factors_of(PRODUCT) == (
        ProductFactor(2, 10, is_signed=True),
        ProductFactor(0, 0, is_signed=False),
    )


@pytest.mark.parametrize(("lines", "result"), [(LARGEST, "%acc"), (PRODUCT, "%count")])
def test_other_bodies_and_counts_are_no_products(lines: str, result: str) -> None:
    assert factors_of(lines, result) is None


FLOATS = """
func.func @f(%x: memref<8x{kind}>, %w: memref<2x8x{kind}>, %o: memref<2x{kind}>) {{
  accel.reduce [2 | 8] ins(%x, %w : memref<8x{kind}>, memref<2x8x{kind}>)
    outs(%o : memref<2x{kind}>)
    maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>] init {{
      %zero = arith.constant 0.0 : {kind}
      accel.yield %zero : {kind}
    }} body {{
    ^bb0(%acc: {kind}, %x0: {kind}, %w0: {kind}):
      %product = arith.mulf {product} : {kind}
      %sum = arith.addf {sum} : {kind}
      accel.yield %sum : {kind}
    }} finish {{
    ^bb0(%acc: {kind}, %count: i32):
      accel.yield %acc : {kind}
    }}
  return
}}
"""


@pytest.mark.parametrize(
    ("kind", "product", "sum_", "is_product"),
    [
        ("f32", "%x0, %w0", "%acc, %product", True),
        ("f32", "%w0, %x0", "%acc, %product", True),
        ("f64", "%x0, %w0", "%acc, %product", False),
        ("f32", "%x0, %x0", "%acc, %product", False),
        ("f32", "%acc, %w0", "%x0, %product", False),
    ],
)
def test_a_product_of_two_floats_is_added(
    kind: str, product: str, sum_: str, *, is_product: bool
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(FLOATS.format(kind=kind, product=product, sum=sum_))
        (op,) = [op for op in ops_nested_in(module.operation) if isinstance(op, ReduceOp)]
        assert product_of(op) == ((ProductFactor(), ProductFactor()) if is_product else None)
