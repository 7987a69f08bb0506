"""An op on the boxes of a partition of its domain computes what it computes as a whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from common.host_jit import run_host
from common.oracles.operands import interpret
from mlir import ir
from mlir.dialects import arith, func, tensor, tosa

from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.op_box import run_on_box
from forebay.regions import Box, tiles

ADD = """
func.func @main(%a: tensor<6x10xi32>, %b: tensor<6x10xi32>) -> tensor<6x10xi32> {
  %e = tensor.empty() : tensor<6x10xi32>
  %y = linalg.add ins(%a, %b : tensor<6x10xi32>, tensor<6x10xi32>)
                  outs(%e : tensor<6x10xi32>) -> tensor<6x10xi32>
  return %y : tensor<6x10xi32>
}"""
BROADCAST = """
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<6x10xi32>, %b: tensor<10xi32>) -> tensor<6x10xi32> {
  %e = tensor.empty() : tensor<6x10xi32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<6x10xi32>, tensor<10xi32>) outs(%e : tensor<6x10xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %s = arith.subi %p, %q : i32
    linalg.yield %s : i32
  } -> tensor<6x10xi32>
  return %y : tensor<6x10xi32>
}"""
BACKWARDS = """
func.func @main(%a: tensor<8x12xi32>) -> tensor<6x10xi32> {
  %e = tensor.empty() : tensor<6x10xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (-d0 + 6, d1 + 2)>,
                                        affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x12xi32>) outs(%e : tensor<6x10xi32>) {
  ^bb0(%p: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %n = arith.index_cast %k : index to i32
    %s = arith.addi %p, %n : i32
    linalg.yield %s : i32
  } -> tensor<6x10xi32>
  return %y : tensor<6x10xi32>
}"""
TRANSPOSED = """
func.func @main(%a: tensor<10x6xi32>) -> tensor<6x10xi32> {
  %e = tensor.empty() : tensor<6x10xi32>
  %y = linalg.transpose ins(%a : tensor<10x6xi32>) outs(%e : tensor<6x10xi32>) permutation = [1, 0]
  return %y : tensor<6x10xi32>
}"""
PRODUCT = """
func.func @main(%a: tensor<6x4xi32>, %b: tensor<4x10xi32>) -> tensor<6x10xi32> {
  %c3 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<6x10xi32>
  %f = linalg.fill ins(%c3 : i32) outs(%e : tensor<6x10xi32>) -> tensor<6x10xi32>
  %y = linalg.matmul ins(%a, %b : tensor<6x4xi32>, tensor<4x10xi32>)
                     outs(%f : tensor<6x10xi32>) -> tensor<6x10xi32>
  return %y : tensor<6x10xi32>
}"""
POOLED = """
func.func @main(%a: tensor<1x13x10x2xi32>) -> tensor<1x6x5x2xi32> {
  %c0 = arith.constant -2147483648 : i32
  %w = tensor.empty() : tensor<3x2xi32>
  %e = tensor.empty() : tensor<1x6x5x2xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x6x5x2xi32>) -> tensor<1x6x5x2xi32>
  %y = linalg.pooling_nhwc_max
    {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
    ins(%a, %w : tensor<1x13x10x2xi32>, tensor<3x2xi32>)
    outs(%f : tensor<1x6x5x2xi32>) -> tensor<1x6x5x2xi32>
  return %y : tensor<1x6x5x2xi32>
}"""
COPIED = """
func.func @main(%a: tensor<6x10xi32>) -> tensor<6x10xi32> {
  %e = tensor.empty() : tensor<6x10xi32>
  %y = memref_pool.copy %a into %e : tensor<6x10xi32>, tensor<6x10xi32> -> tensor<6x10xi32>
  return %y : tensor<6x10xi32>
}"""
SOFTMAX = """
func.func @main(%a: tensor<6x10xi8>) -> tensor<6x10xi8> {
  %y = tosa.custom %a {domain_name = "forebay.tflite", operator_name = "softmax",
       implementation_attrs = "", accel.softmax = {diff_min = -248 : i32,
       input_left_shift = 23 : i32, input_multiplier = 1717965619 : i32}}
       : (tensor<6x10xi8>) -> tensor<6x10xi8>
  return %y : tensor<6x10xi8>
}"""
CASES: dict[str, tuple[str, str, tuple[int, ...], Sequence[tuple[int, ...]]]] = {
    "add": (ADD, "linalg.add", (4, 3), [(6, 10), (6, 10)]),
    "broadcast": (BROADCAST, "linalg.generic", (5, 4), [(6, 10), (10,)]),
    "backwards": (BACKWARDS, "linalg.generic", (4, 3), [(8, 12)]),
    "transposed": (TRANSPOSED, "linalg.transpose", (1, 7), [(10, 6)]),
    "product": (PRODUCT, "linalg.matmul", (4, 4, 3), [(6, 4), (4, 10)]),
    "pooled": (POOLED, "linalg.pooling_nhwc_max", (1, 4, 2, 1, 2, 2), [(1, 13, 10, 2)]),
    "filled": (PRODUCT, "linalg.fill", (4, 3), [(6, 4), (4, 10)]),
    "copied": (COPIED, "memref_pool.copy", (4, 3), [(6, 10)]),
    "softmax": (SOFTMAX, "tosa.custom", (4, 10, 10), [(6, 10)]),
}
Starts = Callable[[Box], Sequence[int | ir.Value]]


def known(box: Box) -> Sequence[int | ir.Value]:
    return box.offsets


def unknown(box: Box) -> Sequence[int | ir.Value]:
    """Starts as values; the first stays a number."""
    index = ir.IndexType.get()
    first, *rest = box.offsets
    return [first, *(arith.ConstantOp(index, start).result for start in rest)]


def cut(text: str, name: str, sizes: Sequence[int], starts: Starts) -> str:
    """The module with one op replaced by ops on the tiles of its domain."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        op = next(op for op in ops_nested_in(module.operation) if op.operation.name == name)
        nest = loop_nest_of(op)
        assert nest is not None
        with ir.InsertionPoint(op):
            value = _destination(op)
            for tile in tiles(nest.domain, sizes):
                (value,) = run_on_box(op, starts(tile), tile.sizes, [value])
        op.operation.results[0].replace_all_uses_with(value)
        op.operation.erase()
        assert module.operation.verify()
        return str(module)


def _destination(op: ir.OpView) -> ir.Value:
    if isinstance(op, tosa.CustomOp):
        kind = ir.RankedTensorType(op.operation.results[0].type)
        return tensor.EmptyOp(list(kind.shape), kind.element_type).result
    return op.operands[len(op.operands) - 1]


def arrays(text: str, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    kind = np.int8 if "xi8>" in text else np.int32
    rng = np.random.default_rng(3)
    return [rng.integers(-100, 100, shape).astype(kind) for shape in shapes]


def interpreted(text: str, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
    return interpret(text, inputs)


@pytest.mark.parametrize("starts", [known, unknown])
@pytest.mark.parametrize("name", CASES)
def test_boxes_compute_what_the_whole_op_computes(name: str, starts: Starts) -> None:
    text, op, sizes, shapes = CASES[name]
    inputs = arrays(text, shapes)
    run = interpreted if name == "copied" else run_host  # no host lowering knows the pools' copy
    (found,) = run(cut(text, op, sizes, starts), *inputs)
    (expected,) = run(text, *inputs)
    np.testing.assert_array_equal(found, expected)


def test_only_the_elements_of_the_box_are_read() -> None:
    boxed = cut(BROADCAST, "linalg.generic", (6, 10), known)
    assert boxed.count("extract_slice") == 3
    parts = cut(BROADCAST, "linalg.generic", (2, 10), known)
    assert parts.count("tensor<6x10xi32> to tensor<2x10xi32>") == 2 * 3


def buffers(body: str) -> str:
    return f"func.func @main(%a: memref<6x10xi32>, %b: memref<6x10xi32>) {{\n{body}\nreturn\n}}"


@pytest.mark.parametrize(
    "body",
    [
        "linalg.copy ins(%a : memref<6x10xi32>) outs(%b : memref<6x10xi32>)",
        "memref.copy %a, %b : memref<6x10xi32> to memref<6x10xi32>",
        "memref_pool.copy %a into %b : memref<6x10xi32>, memref<6x10xi32>",
    ],
)
def test_boxes_of_ops_on_buffers_are_views(body: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(buffers(body))
        (main,) = module.body.operations
        assert isinstance(main, func.FuncOp)
        op = main.entry_block.operations[0]
        with ir.InsertionPoint(op):
            assert run_on_box(op, [2, 0], [3, 10], [op.operands[1]]) == []
        op.operation.erase()
        assert module.operation.verify()
        text = str(module)
    view = "memref<6x10xi32> to memref<3x10xi32, strided<[10, 1], offset: 20>>"
    assert text.count(view) == 2


def refused(text: str, name: str, sizes: Sequence[int]) -> str:
    with pytest.raises(RefusedError) as error:
        cut(text, name, sizes, known)
    return str(error.value)


def test_rows_of_a_softmax_stay_whole() -> None:
    assert "2 of the 10 elements of the rows of a softmax" in refused(
        SOFTMAX, "tosa.custom", (6, 2, 10)
    )


def test_an_index_with_a_quotient_has_no_slice() -> None:
    text = BACKWARDS.replace("(-d0 + 6, d1 + 2)", "(d0 floordiv 2, d1)").replace("8x12x", "3x10x")
    assert "has an index with a quotient" in refused(text, "linalg.generic", (2, 10))


def test_an_op_without_a_loop_nest_is_refused() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(ADD)
        op = module.body.operations[0].regions[0].blocks[0].operations[0]
        with pytest.raises(RefusedError, match=r"tensor\.empty has no loop nest"):
            run_on_box(op, [0, 0], [1, 1], [])


def test_cases_are_cut_in_every_dimension() -> None:
    for text, name, sizes, _ in CASES.values():
        with ir.Context():
            module = ir.Module.parse(text)
            ops = ops_nested_in(module.operation)
            nest = loop_nest_of(next(op for op in ops if op.operation.name == name))
            assert nest is not None
            pairs = list(itertools.zip_longest(sizes, nest.domain.sizes))
            assert any(size < extent for size, extent in pairs)
