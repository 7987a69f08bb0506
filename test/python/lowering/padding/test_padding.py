"""What is outside of the source of a kernel, by its windows."""

from __future__ import annotations

import numpy as np
import pytest
from common.conv_layer import SOURCE, Layer
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir

from forebay.lowering.padding.padding import SourcePadding, source_padding_of


def paddings_of(*layers: Layer) -> list[SourcePadding | None]:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*layers))
        return [source_padding_of(kernel) for kernel in kernels_in(module)]


@pytest.mark.parametrize("seed", range(12))
def test_padding_is_what_windows_reach_outside(seed: int) -> None:
    layers = drawn_layers(seed)
    for layer, found in zip(layers, paddings_of(*layers), strict=True):
        if not any(layer.pad):
            assert found is None
            continue
        assert found is not None and found.value == SOURCE
        top, bottom, left, right = layer.pad
        assert (found.before, found.after) == ((0, top, left, 0), (0, bottom, right, 0))
        assert found.shape == (layer.batch, *layer.size, layer.depth)
        assert found.elements == np.prod([layer.batch, *found.padded[1:3], layer.depth])


def test_kernels_that_are_no_products_have_no_padding() -> None:
    text = """
    func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
      %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>,
        stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      return %0 : tensor<1x4x4x2xf32>
    }"""
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text)
        (kernel,) = kernels_in(module)
        assert source_padding_of(kernel) is None


BOX = """
#x = affine_map<(y, c, k) -> (y + k - 1, c)>
#w = affine_map<(y, c, k) -> (k, c)>
#o = affine_map<(y, c) -> (y, c)>
func.func @main(%x: memref<8x4xi8>, %w: memref<{weights}x4xi8>, %o: memref<8x4xi32>) {{
  accel.reduce [8, 4 | 3] {box} ins(%x, %w : memref<8x4xi8>, memref<{weights}x4xi8>)
    outs(%o : memref<8x4xi32>) maps [#x, #w, #o] init {{
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    }} body {{
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    }} finish {{
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }}
  return
}}
"""


@pytest.mark.parametrize(
    ("weights", "box", "is_padded"),
    [(3, "", True), (3, "at [2, 0 | 0] sizes [4, 4 | 3]", False), (2, "", False)],
)
def test_parts_of_domains_and_clamped_weights_have_no_padding(
    weights: int, box: str, is_padded: bool
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(BOX.format(weights=weights, box=box))
        (kernel,) = kernels_in(module)
        assert (source_padding_of(kernel) is not None) == is_padded
