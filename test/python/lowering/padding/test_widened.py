"""Windows with zero weights behind their columns: where they are, and that the bits stay."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.padded_layers import kernels_in, on_buffers, text_of
from mlir import ir
from mlir.dialects import memref

import forebay
from forebay.driver.compiled import Compiled
from forebay.ir.nested import ops_of
from forebay.lowering.padding.padding import source_padding_of
from forebay.lowering.padding.widened import widening_of

WORD = 4


@pytest.mark.parametrize(
    ("layer", "columns"),
    [
        (Layer(depth=3, kernel=(3, 3)), 4),
        (Layer(depth=1, kernel=(5, 3)), 4),
        (Layer(depth=1, kernel=(3, 5)), 8),
        (Layer(depth=2, size=(9, 9), kernel=(3, 3), stride=(2, 2)), 4),
        (Layer(depth=6, kernel=(1, 3), pad=(0, 0, 0, 0)), 4),
        (Layer(depth=6, kernel=(3, 1), pad=(0, 0, 0, 0)), None),
        (Layer(depth=4, kernel=(3, 3)), None),
        (Layer(depth=3, kernel=(3, 4)), None),
        (Layer(depth=3, kernel=(3, 3), dilation=(1, 2)), None),
        (Layer(depth=3, kernel=(3, 3), channels=1, depthwise=True), None),
        (Layer(depth=3, kernel=(3, 3), weights_zero_point=1), None),
    ],
)
def test_rows_of_windows_become_whole_words(layer: Layer, columns: int | None) -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(layer.text())
        (kernel,) = kernels_in(module)
        found = widening_of(kernel, WORD)
        assert (found is None) == (columns is None)
        if found is None or columns is None:
            return
        rows, old = layer.kernel
        assert found.reduction == tuple(n for n in (rows, columns, layer.depth) if n != 1)
        assert found.shape == (layer.channels, rows, columns, layer.depth)
        weights = np.arange(math.prod(found.shape) // columns * old)
        weights = weights.reshape(layer.channels, rows, old, layer.depth)
        values = found.values_of(weights)
        np.testing.assert_array_equal(values[:, :, :old], weights)
        assert not values[:, :, old:].any()


def test_the_source_has_the_columns_that_wider_windows_read() -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(Layer(size=(9, 8), depth=3, pad=(1, 1, 1, 1)).text())
        (kernel,) = kernels_in(module)
        plain, wide = (source_padding_of(kernel, w) for w in (None, widening_of(kernel, WORD)))
        assert plain is not None and wide is not None
        assert (plain.padded[1:], wide.padded[1:]) == ((11, 10, 3), (11, 11, 3))
        assert wide.before == plain.before


@pytest.mark.parametrize(
    "layer",
    [
        Layer(size=(12, 12), depth=3, channels=16),
        Layer(size=(12, 13), depth=1, channels=8, kernel=(5, 3), stride=(1, 2)),
        Layer(size=(9, 13), depth=2, channels=32, pad=(0, 0, 0, 0), batch=2),
        Layer(size=(8, 8), depth=3, channels=16, stride=(2, 2), pad=(0, 1, 0, 1)),
    ],
)
def test_wider_windows_give_the_same_bits(tmp_path: Path, layer: Layer) -> None:
    batch, *size, depth = layer.out
    second = Layer(
        size=(size[0], size[1]), depth=depth, kernel=(1, 1), pad=(0, 0, 0, 0), batch=batch
    )
    (tmp_path / "net.mlir").write_text(text_of(layer, second))
    wide = forebay.compile(tmp_path / "net.mlir", cpu="cascadelake", budget="1M")
    plain = forebay.compile(tmp_path / "net.mlir", optimize="size")
    weights = layer.channels * math.prod(layer.kernel) * layer.depth
    in_wide, in_plain = (weights in _sizes(own) for own in (wide, plain))
    assert in_plain and not in_wide, "the weights have zeros behind them"
    expected = plain.run(layer.source())
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(wide.run(layer.source(), engine=engine), expected)


def _sizes(compiled: Compiled) -> set[int]:
    """Return the numbers of elements of the constants."""
    found = ops_of(compiled.planned, memref.GlobalOp)
    return {math.prod(ir.ShapedType(own.type_.value).shape) for own in found}
