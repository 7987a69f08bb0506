"""The loop nest of an op has its domain, its operands' shapes and its maps."""

from __future__ import annotations

import pytest
from common.programs.boxed_reduce import Window, straight
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.nested import ops_nested_in
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.regions import Affine, Box, LoopNest, Span, induction_variables, input_regions

a, b, c, d = induction_variables(4)


def nest_in(text: str, name: str) -> LoopNest | None:
    with ir.Context():
        module = ir.Module.parse(text)
        (op,) = (o for o in ops_nested_in(module.operation) if o.operation.name == name)
        return loop_nest_of(op)


def found_in(text: str, name: str) -> LoopNest:
    nest = nest_in(text, name)
    assert nest is not None
    return nest


def test_a_reduce_clamps_its_ins_and_not_its_params() -> None:
    window = Window(7, 3, 3, 4, height=14, stride=2, before=1)
    text = straight(window, [((0, 7), (0, 3))], [((0, 3), (0, 4))])
    nest = found_in(text, "accel.reduce")
    assert (nest.parallel, nest.reduction) == ((7, 3), (3, 4))
    x, w, bias = nest.inputs
    assert (x.index, x.shape, x.bits, x.clamped) == ((a * 2 + c - 1, d), (14, 4), 8, True)
    assert (w.index, w.clamped) == ((b, c, d), True)
    assert (bias.index, bias.bits, bias.clamped) == ((b,), 32, False)
    assert nest.outputs[0].index == (a, b)
    source, *_ = input_regions(nest, nest.domain_box(Box.at((0, 0), (2, 3))))
    assert source.window.spans[0] == Span(-1, 4)


def test_parallel_dimensions_come_first() -> None:
    text = """
    func.func @f(%a: tensor<5x4xi8>, %b: tensor<4x6xi8>, %c: tensor<6x5xi32>) {
      %r = linalg.generic {
          indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (k, j)>,
                           affine_map<(k, i, j) -> (j, i)>],
          iterator_types = ["reduction", "parallel", "parallel"]}
          ins(%a, %b : tensor<5x4xi8>, tensor<4x6xi8>) outs(%c : tensor<6x5xi32>) {
      ^bb0(%x: i8, %y: i8, %z: i32):
        linalg.yield %z : i32
      } -> tensor<6x5xi32>
      return
    }"""
    nest = found_in(text, "linalg.generic")
    assert (nest.parallel, nest.reduction) == ((5, 6), (4,))
    assert [access.index for access in nest.inputs] == [(a, c), (c, b)]
    assert nest.outputs[0].index == (b, a)


@pytest.mark.parametrize(
    ("op", "types", "parallel", "reduction", "index"),
    [
        (
            "linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : vector<2xi64>, "
            "strides = dense<3> : vector<2xi64>}",
            ("1x11x14x4xf32", "3x2x4x8xf32", "1x3x4x8xf32"),
            (1, 3, 4, 8),
            (3, 2, 4),
            (
                Affine.dimension(0),
                Affine.dimension(1) * 3 + Affine.dimension(4) * 2,
                Affine.dimension(2) * 3 + Affine.dimension(5) * 2,
                Affine.dimension(6),
            ),
        ),
        ("linalg.matmul", ("5x4xf32", "4x6xf32", "5x6xf32"), (5, 6), (4,), (a, c)),
    ],
)
def test_named_ops(
    op: str,
    types: tuple[str, str, str],
    parallel: tuple[int, ...],
    reduction: tuple[int, ...],
    index: tuple[Affine, ...],
) -> None:
    x, y, z = (f"memref<{type_}>" for type_ in types)
    text = f"""
    func.func @f(%x: {x}, %y: {y}, %z: {z}) {{
      {op} ins(%x, %y : {x}, {y}) outs(%z : {z})
      return
    }}"""
    nest = found_in(text, op.split(" ", maxsplit=1)[0])
    assert (nest.parallel, nest.reduction) == (parallel, reduction)
    assert nest.inputs[0].index == index


def test_a_copy_is_elementwise_and_scalars_are_no_operands() -> None:
    text = """
    func.func @f(%x: memref<2x3xi16>, %y: memref<2x3xi16>, %s: i16) {
      memref.copy %x, %y : memref<2x3xi16> to memref<2x3xi16>
      linalg.fill ins(%s : i16) outs(%y : memref<2x3xi16>)
      return
    }"""
    copy, fill = found_in(text, "memref.copy"), found_in(text, "linalg.fill")
    assert copy.parallel == fill.parallel == (2, 3)
    assert copy.inputs == copy.outputs == fill.outputs
    assert copy.inputs[0].bits == 16
    assert fill.inputs == ()


def test_an_element_of_a_softmax_needs_its_row() -> None:
    text = """
    func.func @f(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
      %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax",
        implementation_attrs = "", accel.softmax = {beta = 1.0 : f32}}
        : (tensor<3x10xf32>) -> tensor<3x10xf32>
      return %y : tensor<3x10xf32>
    }"""
    nest = found_in(text, "tosa.custom")
    (row,) = input_regions(nest, nest.domain_box(Box.at((1, 4), (1, 2))))
    assert row.box == Box.at((1, 0), (1, 10))


def test_shapes_that_vary_and_other_ops_have_no_nest() -> None:
    text = """
    func.func @f(%x: memref<?xi8>, %y: memref<?xi8>) {
      memref.copy %x, %y : memref<?xi8> to memref<?xi8>
      return
    }"""
    assert nest_in(text, "memref.copy") is None
    assert nest_in(text, "func.return") is None
