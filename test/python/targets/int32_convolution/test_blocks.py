"""Weights in blocks: each block is the matrix that an array of lanes multiplies by."""

from collections.abc import Iterator

import numpy as np
import pytest
from common.conv_layer import Layer
from mlir import ir

from forebay.api.operators import match
from forebay.ir.nested import ops_nested_in
from forebay.targets.int32_convolution.blocks import block_rows, blocked_weights, channel_blocks
from forebay.targets.int32_convolution.layers import layer_of


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def layer(operator: Layer):
    module = ir.Module.parse(operator.text())
    (view,) = [v for op in ops_nested_in(module.operation) if (v := match(op)) is not None]
    return layer_of(view)


@pytest.mark.parametrize(("channels", "blocks"), [(1, 1), (16, 1), (17, 2)])
def test_a_partial_block_is_a_block(channels: int, blocks: int) -> None:
    assert channel_blocks(channels, 16) == blocks


@pytest.mark.parametrize("lanes", [4, 16])
def test_a_dense_block_has_inputs_as_rows(lanes: int) -> None:
    dense = layer(Layer(depth=19, channels=21))
    blocks = blocked_weights(dense, lanes)
    assert blocks.shape == (-(-21 // lanes), -(-19 // lanes), 3, 3, lanes, lanes)
    for out, ky, kx, depth in np.ndindex(21, 3, 3, 19):
        found = blocks[out // lanes, depth // lanes, ky, kx, depth % lanes, out % lanes]
        assert found == dense.weights[out, ky, kx, depth]
    assert np.count_nonzero(blocks) == np.count_nonzero(dense.weights)


def test_fewer_inputs_than_lanes_need_no_zeros() -> None:
    dense = layer(Layer(depth=3, channels=21))
    blocks = blocked_weights(dense, 16, block_rows(dense.geometry, 16))
    assert blocks.shape == (2, 1, 3, 3, 3, 16)
    np.testing.assert_array_equal(blocks[1, 0, 2, 1, :, 4], dense.weights[20, 2, 1])


def test_a_depthwise_block_is_diagonal() -> None:
    depthwise = layer(Layer(depthwise=True, channels=1, depth=19))
    blocks = blocked_weights(depthwise, 16)
    assert blocks.shape == (2, 1, 3, 3, 16, 16)
    for channel, ky, kx in np.ndindex(19, 3, 3):
        weight = depthwise.weights[channel, ky, kx, 0]
        assert blocks[channel // 16, 0, ky, kx, channel % 16, channel % 16] == weight
    assert np.count_nonzero(blocks) == np.count_nonzero(depthwise.weights)
