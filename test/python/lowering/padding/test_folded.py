"""The zero point of a padded source becomes part of the bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from common.conv_layer import SOURCE, Layer
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir

from forebay.ir.module import module_of
from forebay.lowering.blocks.product import product_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.folded import fold, folding_of

PADDED = Layer(size=(5, 4), depth=3, channels=4)


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 7])
@pytest.mark.parametrize("offset", [0, 128])
@pytest.mark.parametrize("of_weights", [0, -39])
def test_the_bias_takes_the_zero_point_times_the_sum_of_the_weights(
    seed: int, offset: int, of_weights: int
) -> None:
    """The zero point of the weights, where they have one, is in the sum."""
    drawn = [replace(layer, weights_zero_point=of_weights) for layer in drawn_layers(seed)]
    layers = [layer for layer in drawn if any(layer.pad)]
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*layers))
        constants = Constants(module_of(module.operation))
        for layer, kernel in zip(layers, kernels_in(module), strict=True):
            folding = folding_of(kernel, constants, offset)
            assert folding is not None
            weights = constants.values(kernel.inputs[1])
            old = constants.values(kernel.params[folding.bias])
            assert weights is not None and old is not None
            kept = 0 if layer.depthwise or of_weights else offset
            axes = (0, 1) if layer.depthwise else (1, 2, 3)
            sums = (weights - of_weights).sum(axis=axes).reshape(old.shape)
            np.testing.assert_array_equal(folding.values, old + (-SOURCE - kept) * sums)
            fold(kernel, folding, constants)
            found = constants.values(kernel.params[folding.bias])
            np.testing.assert_array_equal(found, folding.values)
            factors = product_of(kernel)
            assert factors is not None and factors[0].offset == kept


def test_constants_of_the_application_stay() -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(PADDED.text())
        (kernel,) = kernels_in(module)
        assert folding_of(kernel, Constants(module_of(module.operation)), 0) is not None
        text = str(module).replace(
            "@weights constant align 16", "@weights constant align 16 fill by_host"
        )
        other = ir.Module.parse(text)
        (kernel,) = kernels_in(other)
        assert folding_of(kernel, Constants(module_of(other.operation)), 0) is None


def test_sums_of_more_than_32_bits_stay() -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(PADDED.text())
        (kernel,) = kernels_in(module)
        constants = Constants(module_of(module.operation))
        wide = np.full(PADDED.channels, 2**31 - 1 - 1000)
        changed = constants.changed(kernel, kernel.params[0], wide)
        assert changed == kernel.params[0] and folding_of(kernel, constants, 0) is None
