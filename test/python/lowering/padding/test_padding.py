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
