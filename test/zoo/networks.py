"""The networks of the zoo, by name: functions without arguments that return a file."""

from __future__ import annotations

import numpy as np
from common.model_file import Graph, Op, T, constant

from zoo.layers import RELU, Net


def separable_int8() -> bytes:
    """Three depthwise separable layers on a picture."""
    net, x, y = _separable("AVERAGE_POOL_2D")
    return net.file([x], [y])


def _separable(pool: str) -> tuple[Net, int, int]:
    net = Net(1)
    x = net.value((1, 24, 24, 3), 1.0, "picture", -3)
    y = net.conv(x, 8, 3, stride=2)
    for channels, stride in ((16, 1), (24, 2), (32, 1)):
        y = net.conv(net.depthwise(y, stride), channels, 1)
    pooled = net.value((1, 1, 1, 32), net.deviations[y], zero=-128)
    net.tensors[pooled].scale = net.tensors[y].scale
    fields = {"FilterHeight": 6, "FilterWidth": 6, "StrideH": 6, "StrideW": 6, "Padding": 1}
    net.emit(pool, [y], [pooled], "Pool2DOptions", **fields)
    return net, x, net.softmax(net.dense(net.reshape(pooled, (1, 32)), 10, gain=3))


def separable_uint8() -> bytes:
    """The network of `signed_twin` in uint8."""
    net, x, y = _separable("MAX_POOL_2D")
    for tensor in net.tensors:
        if tensor.dtype == "int8":
            tensor.dtype, tensor.zero_point = "uint8", tensor.zero_point + 128
            if tensor.data is not None:
                tensor.data = tensor.data.view(np.uint8) ^ 128
    return net.file([x], [y])


def signed_twin() -> bytes:
    """Int8 with a maximum in place of the mean, whose rounding depends on the sign."""
    net, x, y = _separable("MAX_POOL_2D")
    return net.file([x], [y])


def residual_int8() -> bytes:
    """Two residual blocks, the second with half the resolution."""
    net = Net(2)
    x = net.value((1, 16, 16, 3), 1.0, "picture", 5)
    y = net.conv(x, 8, 3)
    y = net.add(net.conv(net.conv(y, 8, 3), 8, 3, act=0), y, RELU)
    inner = net.conv(net.conv(y, 16, 3, stride=2), 16, 3, act=0)
    y = net.add(inner, net.conv(y, 16, 1, stride=2, act=0), RELU)
    return net.file([x], [net.softmax(net.dense(net.mean(y, (1, 2)), 10, gain=3))])


def autoencoder_int8() -> bytes:
    """Fully connected layers from 96 values to 8 and back."""
    net = Net(3)
    x = y = net.value((1, 96), 1.0, "frame", 0)
    for channels in (48, 8, 48):
        y = net.dense(y, channels, RELU)
    return net.file([x], [net.dense(y, 96)])


def streaming_int8() -> bytes:
    """Frames of 20 values: the last three are the state."""
    net = Net(4)
    x = net.value((1, 1, 1, 20), 1.0, "frame", -10)
    state = T((1, 3, 1, 20), "int8", net.tensors[x].scale, -10)
    handle = net.tensor(T((), "resource", name="frames_handle"))
    net.emit("CALL_ONCE", [], [], "CallOnceOptions", InitSubgraphIndex=1)
    net.emit("VAR_HANDLE", [], [handle], "VarHandleOptions", SharedName="frames", Container="")
    kept = net.tensor(state)
    net.emit("READ_VARIABLE", [handle], [kept], "ReadVariableOptions")
    window = net.value((1, 4, 1, 20), 1.0, zero=-10)
    net.emit("CONCATENATION", [kept, x], [window], "ConcatenationOptions", Axis=1)
    newest = net.tensor(state)
    bounds = [net.constant(v) for v in ([0, 1, 0, 0], [1, 4, 1, 20], [1, 1, 1, 1])]
    net.emit("STRIDED_SLICE", [window, *bounds], [newest], "StridedSliceOptions")
    net.emit("ASSIGN_VARIABLE", [handle, newest], [], "AssignVariableOptions")
    filters, bias, deviation = net.weights(window, (16, 4, 1, 20), 0)
    y = net.value((1, 1, 1, 16), deviation, zero=-128)
    fields = {"StrideH": 1, "StrideW": 1, "Padding": 1, "FusedActivationFunction": RELU}
    net.emit("CONV_2D", [window, filters, bias], [y], "Conv2DOptions", **fields)
    z = net.dense(net.reshape(y, (1, 16)), 2)
    initial = np.full((1, 3, 1, 20), -10, np.int8)
    tensors = [T((), "resource", name="frames_init"), constant(initial, "int8", scale=state.scale)]
    start = [
        Op("VAR_HANDLE", [], [0], "VarHandleOptions", {"SharedName": "frames", "Container": ""}),
        Op("ASSIGN_VARIABLE", [0, 1], [], "AssignVariableOptions"),
    ]
    return net.file([x], [net.softmax(z)], Graph(tensors, [], [], start))


def lstm_int8() -> bytes:
    """An LSTM of 16 units over 12 steps, then a classifier on its last step."""
    net = Net(5)
    units, depth, steps = 16, 8, 12
    x = net.value((1, steps, depth), 1.0, "steps", 4)
    shapes = [(units, depth)] * 4 + [(units, units)] * 4
    weights = [
        net.tensor(T(s, "int8", 0.01, 0, net.rng.integers(-60, 61, s, dtype=np.int8)))
        for s in shapes
    ]
    scale = 0.01 * net.tensors[x].scale  # type: ignore[operator]
    biases = [
        net.tensor(T((units,), "int32", scale, data=net.rng.integers(-900, 901, units, np.int32)))
        for _ in range(4)
    ]
    hidden = net.tensor(T((1, units), "int8", 1 / 128, 0, is_variable=True))
    cell = net.tensor(T((1, units), "int16", 2.0**-11, 0, is_variable=True))
    y = net.tensor(T((1, steps, units), "int8", 1 / 128, 0))
    net.deviations[y] = 0.4
    absent = [-1] * 3
    inputs = [x, *weights, *absent, *biases, -1, -1, hidden, cell, *[-1] * 4]
    fields = {"FusedActivationFunction": 4, "TimeMajor": False, "CellClip": 10.0}
    net.emit(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], "UnidirectionalSequenceLSTMOptions", **fields
    )
    last = net.tensor(T((1, units), "int8", 1 / 128, 0))
    net.deviations[last] = 0.4
    bounds = [net.constant(v) for v in ([0, steps - 1, 0], [1, steps, units], [1, 1, 1])]
    net.emit("STRIDED_SLICE", [y, *bounds], [last], "StridedSliceOptions", ShrinkAxisMask=2)
    return net.file([x], [net.softmax(net.dense(last, 4, gain=3))])


def attention_int8() -> bytes:
    """Self-attention of 10 positions with one head of 16, a residual, a layer, a mean."""
    net = Net(6)
    x = net.value((1, 10, 16), 1.0, "positions", 0)
    query, key, value = (net.dense(x, 16, keep=True) for _ in range(3))
    scores = net.softmax(net.product(query, key, transposed=True))
    mixed = net.dense(net.product(scores, value), 16, keep=True)
    y = net.add(x, mixed)
    y = net.add(y, net.dense(net.dense(y, 32, RELU, keep=True), 16, keep=True))
    return net.file([x], [net.dense(net.mean(y, (1,)), 5, gain=3)])


def wide_16x8() -> bytes:
    """Convolutions, a sum, a mean and a layer on activations of 16 bits."""
    net = Net(7, "int16")
    x = net.value((1, 12, 12, 2), 1.0, "picture")
    y = net.conv(x, 8, 3, stride=2)
    y = net.add(net.conv(net.depthwise(y), 8, 1, act=0), y, RELU)
    return net.file([x], [net.dense(net.mean(y, (1, 2)), 6)])


NETWORKS = (
    *(separable_int8, residual_int8, autoencoder_int8, streaming_int8, lstm_int8),
    *(attention_int8, wide_16x8, separable_uint8),
)
