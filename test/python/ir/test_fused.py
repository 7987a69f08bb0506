"""An ADD with its rescales and clamp is one value to the matcher."""

from __future__ import annotations

from pathlib import Path

import pytest
from common.tosa_text import Main
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite import import_model
from forebay.ir import fused
from forebay.ir.locations import operator_of
from forebay.ir.nested import ops_nested_in


@pytest.fixture
def sums(digits: Path):
    """Views of the network's two ADDs."""
    with ir.Context(), ir.Location.unknown():
        module = import_model(digits)
        roots = [op for op in ops_nested_in(module.operation) if isinstance(op, tosa.AddOp)]
        yield [fused.match(root) for root in roots], module


def test_an_add_holds_its_rescales_on_both_sides(sums) -> None:
    views, _ = sums
    assert [type(view) for view in views] == [fused.Add, fused.Add]
    for view in views:
        # TFLite brings the operand with the larger scale to 32 bits at once, the other one in two.
        assert sorted((len(view.source_rescales), len(view.other_rescales))) == [1, 2]
        assert fused.is_int8(view.source)
        assert fused.is_int8(view.other)
        assert fused.is_int8(view.result)
        assert view.epilogue.rescale is not None
        kinds = {operator_of(op.operation.location).kind for op in view.ops}
        assert kinds == {"ADD"}


def test_what_an_operator_ends_with_is_not_what_a_sum_begins_with(sums) -> None:
    views, module = sums
    begun = {
        rescale.op for view in views for rescale in (*view.source_rescales, *view.other_rescales)
    }
    roots = [op for op in ops_nested_in(module.operation) if fused.is_root(op)]
    others = [fused.match(op) for op in roots if not isinstance(op, tosa.AddOp)]
    assert begun
    assert len(others) > 5
    for view in others:
        assert not begun & set(view.ops)


def test_a_plain_sum_has_no_rescales() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(
            "func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %c = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %c : tensor<4xf32>\n}"
        )
        root = module.body.operations[0].regions[0].blocks[0].operations[0]
        view = fused.match(root)
        assert isinstance(view, fused.Add)
        assert (view.source_rescales, view.other_rescales) == ((), ())
        assert list(view.ops) == [root]
        assert (view.source, view.other) == (root.input1, root.input2)


def test_a_pool_in_front_of_a_sum_ends_before_the_rescale_to_32_bits() -> None:
    main = Main(("tensor<1x4x4x2xi8>",))
    narrow, wide = "tensor<1x2x2x2xi8>", "tensor<1x2x2x2xi32>"
    windows = "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"
    pooled = main.op("tosa.max_pool2d", [("%x0", main.inputs[0])], windows, narrow)
    widened = main.rescale(pooled, narrow, wide, ([1 << 30], [20]))
    total = main.op("tosa.add", [(widened, wide), (widened, wide)], "", wide)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(main.returning(total, wide))
        ops = {type(op): op for op in ops_nested_in(module.operation)}
        pool = fused.match(ops[tosa.MaxPool2dOp])
        assert pool is not None
        assert list(pool.ops) == [ops[tosa.MaxPool2dOp]]
        assert pool.epilogue.rescale is None


PRODUCT = """
func.func @f(%x: tensor<1x5x8xi8>) -> (tensor<1x5x4xi32>{second}) {{
  %w = "tosa.const"() <{{values = dense<1> : tensor<1x8x4xi8>}}> : () -> tensor<1x8x4xi8>
  %b = "tosa.const"() <{{values = dense<9> : tensor<1x{rows}x4xi32>}}>
      : () -> tensor<1x{rows}x4xi32>
  %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %z, %z : (tensor<1x5x8xi8>, tensor<1x8x4xi8>, tensor<1xi8>,
      tensor<1xi8>) -> tensor<1x5x4xi32>
  %1 = tosa.add %b, %0 : (tensor<1x{rows}x4xi32>, tensor<1x5x4xi32>) -> tensor<1x5x4xi32>
  return %1{returned} : tensor<1x5x4xi32>{second}
}}"""


@pytest.mark.parametrize(
    ("rows", "is_used_again", "has_bias"), [(1, False, True), (5, False, False), (1, True, False)]
)
def test_a_constant_row_added_to_a_product_is_its_bias(
    rows: int, is_used_again: bool, has_bias: bool
) -> None:
    second, returned = (", tensor<1x5x4xi32>", ", %0") if is_used_again else ("", "")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PRODUCT.format(rows=rows, second=second, returned=returned))
        roots = [op for op in ops_nested_in(module.operation) if fused.is_root(op)]
        views = [fused.match(op) for op in roots]
        product = views[0]
        assert isinstance(product, fused.MatMul)
        assert (product.bias is not None) == has_bias
        assert [type(view) for view in views[1:]] == ([] if has_bias else [fused.Add])
        assert product.result == (product.ops[-1].result)
        assert len(product.ops) == (2 if has_bias else 1)
