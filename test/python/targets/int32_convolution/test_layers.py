"""Operators as layers: their sums, with the zero point in the bias, are those of the model."""

from collections.abc import Iterator

import numpy as np
import pytest
from common import conv_layer
from common.conv_layer import Layer
from common.oracles import numpy_kernels
from common.tosa_text import Main, tensor, type_of
from mlir import ir

from forebay.api.operators import MatMul, elements_of, is_int8, match, shape_of
from forebay.ir.nested import ops_nested_in
from forebay.targets.int32_convolution import layers
from forebay.targets.int32_convolution.conditions import CONDITIONS
from forebay.targets.int32_convolution.layers import layer_of

DENSE = (
    Layer(),
    Layer(size=(9, 8), stride=(2, 1), pad=(0, 0, 2, 0), kernel=(3, 5)),
    Layer(dilation=(2, 2), pad=(2, 2, 2, 2), per_channel=False, clamp=(-5, 40)),
    Layer(kernel=(1, 1), pad=(0, 0, 0, 0), batch=3),
    Layer(kernel=(1, 1), pad=(0, 0, 0, 0), stride=(2, 1)),
)
DEPTHWISE = (
    Layer(depthwise=True, channels=1, depth=5),
    Layer(depthwise=True, channels=2, depth=3, stride=(2, 2), pad=(1, 1, 1, 0)),
    Layer(depthwise=True, channels=4, depth=1),
)


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def view_of(text: str):
    """The only operator of a module, with the module, which must outlive it."""
    module = ir.Module.parse(text)
    (view,) = [v for op in ops_nested_in(module.operation) if (v := match(op)) is not None]
    return module, view


def sums_of(layer: layers.Layer, x: np.ndarray) -> np.ndarray:
    """The sums of a layer by its definition, point by point."""
    g = layer.geometry
    image = x.reshape(g.height, g.width, g.depth).astype(np.int64)
    sums = np.tile(layer.bias.astype(np.int64), (g.y_height, g.y_width, 1))
    for y, x_, ky, kx in np.ndindex(g.y_height, g.y_width, g.kernel_height, g.kernel_width):
        row = y * g.stride_y + ky * g.dilation_y - g.top
        column = x_ * g.stride_x + kx * g.dilation_x - g.left
        inside = 0 <= row < g.height and 0 <= column < g.width
        point = image[row, column] if inside else np.full(g.depth, layer.border)
        weights = layer.weights[:, ky, kx].astype(np.int64)
        sums[y, x_] += weights[:, 0] * point if g.depthwise else weights @ point
    return sums


@pytest.mark.parametrize("operator", [*DENSE, *DEPTHWISE], ids=str)
def test_sums_are_those_of_the_operator(operator: Layer) -> None:
    _module, view = view_of(operator.text())
    x = operator.source()
    kernel = numpy_kernels.depthwise if operator.depthwise else numpy_kernels.convolution
    expected = kernel(
        x.astype(np.int64) - conv_layer.SOURCE,
        elements_of(view.weights).astype(np.int64),
        stride=operator.stride,
        dilation=operator.dilation,
        pad=operator.pad,
    )
    layer = layer_of(view)
    sums = sums_of(layer, x)
    np.testing.assert_array_equal(
        sums.reshape(expected.shape), expected + elements_of(view.bias).reshape(-1)
    )


@pytest.mark.parametrize(
    ("operator", "depthwise", "macs"),
    [
        (Layer(), 0, 9 * 8 * 5 * 9 * 3),
        (DEPTHWISE[0], 1, 9 * 8 * 5 * 9),
        (DEPTHWISE[1], 0, 5 * 4 * 6 * 9 * 3),
        (DEPTHWISE[2], 0, 9 * 8 * 4 * 9),
    ],
    ids=["dense", "depthwise", "two results per channel", "one channel"],
)
def test_only_one_result_per_channel_is_depthwise(
    operator: Layer, depthwise: int, macs: int
) -> None:
    _module, view = view_of(operator.text())
    layer = layer_of(view)
    assert (layer.geometry.depthwise, layer.geometry.macs) == (depthwise, macs)


def test_a_pointwise_layer_is_one_column_of_all_vectors() -> None:
    _module, view = view_of(DENSE[3].text())
    geometry = layer_of(view).geometry
    assert (geometry.height, geometry.width) == (3 * 9 * 8, 1)
    assert (geometry.y_height, geometry.y_width) == (3 * 9 * 8, 1)


def test_the_requantisation_has_a_factor_per_channel() -> None:
    _module, view = view_of(DENSE[2].text())
    rescale = layer_of(view).requantisation
    assert rescale.multipliers.shape == rescale.shifts.shape == (5,)
    assert len(set(rescale.multipliers.tolist())) == 1
    assert (rescale.low, rescale.high, rescale.zero_point) == (-5, 40, conv_layer.OUTPUT)


def matmul(*, constant: bool = True, batch: int = 1, zero: int = 0) -> str:
    rng = np.random.default_rng(3)
    a = rng.integers(-128, 128, (batch, 7, 6), dtype=np.int8)
    b = rng.integers(-128, 128, (batch, 6, 5), dtype=np.int8)
    main = Main((type_of(a),) if constant else (type_of(a), type_of(b)))
    other = main.constant(b) if constant else "%x1"
    operands = [("%x0", type_of(a)), (other, type_of(b))]
    operands += [(main.zero_point(z), "tensor<1xi8>") for z in (4, zero)]
    wide, narrow = tensor((batch, 7, 5), "i32"), tensor((batch, 7, 5), "i8")
    total = main.op("tosa.matmul", operands, "", wide)
    result = main.rescale(total, wide, narrow, ([1 << 30], [40]), zero_points=(0, 3))
    return main.returning(result, narrow)


def test_a_product_with_a_constant_matrix_is_a_layer() -> None:
    _module, view = view_of(matmul())
    assert isinstance(view, MatMul)
    assert all(holds(view) for _, holds in CONDITIONS)
    x = np.random.default_rng(9).integers(-128, 128, (1, 7, 6))
    expected = (x - 4) @ elements_of(view.other).astype(np.int64)
    np.testing.assert_array_equal(sums_of(layer_of(view), x)[:, 0], expected[0])


def failed(text: str) -> str | None:
    _module, view = view_of(text)
    return next((words for words, holds in CONDITIONS if not holds(view)), None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (matmul(), None),
        (Layer().text(), None),
        (matmul(constant=False), "constant weights and biases"),
        (matmul(zero=1), "weights with zero point 0"),
        (matmul(batch=2), "a batch of 1, or a kernel of 1x1 that covers all"),
        (Layer(batch=2).text(), "a batch of 1, or a kernel of 1x1 that covers all"),
        (Layer(weights_zero_point=1).text(), "weights with zero point 0"),
    ],
)
def test_conditions_name_what_is_missing(text: str, words: str | None) -> None:
    assert failed(text) == words


def test_sums_that_stay_int32_are_no_layer() -> None:
    main = Main(("tensor<1x4x4x3xi8>",))
    weights, bias = np.ones((2, 1, 1, 3), np.int8), np.ones(2, np.int32)
    operands = [("%x0", "tensor<1x4x4x3xi8>"), (main.constant(weights), type_of(weights))]
    operands.append((main.constant(bias), type_of(bias)))
    operands += [(main.zero_point(0), "tensor<1xi8>")] * 2
    window = "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
    wide = tensor((1, 4, 4, 2), "i32")
    kind = f"acc_type = i32, {window}, dilation = array<i64: 1, 1>"
    value = main.op("tosa.conv2d", operands, kind, wide)
    _module, view = view_of(main.returning(value, wide))
    assert not is_int8(view.result)
    assert shape_of(view.result) == (1, 4, 4, 2)
    assert failed(str(_module)) == "int8 operands and results"
