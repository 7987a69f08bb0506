"""Each operator alone, compared with ONNX's reference evaluator."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from common.sweep import sweep

import forebay
from forebay.frontends.onnx.lowering.registry import onnx_lowerings

IMAGE = [1, 4, 6, 8]
Build = Callable[[OnnxNetwork, str], str]


def _unary(kind: str, **attributes: Any) -> Build:
    return lambda net, x: net.op(kind, x, **attributes)


def _with(kind: str, *constants: Any, **attributes: Any) -> Build:
    return lambda net, x: net.op(kind, x, *(net.constant(c) for c in constants), **attributes)


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _i64(*values: int) -> Any:
    return np.array(values, np.int64)


def _normal(net: OnnxNetwork, x: str) -> str:
    constants = [_f32(4), _f32(4), _f32(4), np.abs(_f32(4)) + 1]
    return net.op("BatchNormalization", x, *(net.constant(c) for c in constants))


def _split(net: OnnxNetwork, x: str) -> str:
    a, b, c = net.op("Split", x, net.constant(_i64(1, 2, 1)), outputs=3, axis=1)
    return net.op("Concat", net.op("Add", a, c), b, a, axis=1)


def _two(kind: str) -> Build:
    return lambda net, x: net.op(kind, x, net.op("Transpose", x, perm=[0, 1, 2, 3]))


def _shape_chain(net: OnnxNetwork, x: str) -> str:
    batch = net.op("Gather", net.op("Shape", x), net.constant(_i64(0)), axis=0)
    rest = net.constant(_i64(-1))
    return net.op("Reshape", net.op("Relu", x), net.op("Concat", batch, rest, axis=0))


def _attention(net: OnnxNetwork, x: str) -> str:
    rows = net.op("Reshape", x, net.constant(_i64(1, 4, 48)))
    scores = net.op("MatMul", rows, net.op("Transpose", rows, perm=[0, 2, 1]))
    return net.op("MatMul", net.op("Softmax", scores, axis=-1), rows)


def _where(net: OnnxNetwork, x: str) -> str:
    zero = net.constant(np.float32(0.1))
    chosen = net.op("And", net.op("Greater", x, zero), net.op("Not", net.op("Less", x, zero)))
    return net.op("Where", chosen, x, net.op("Neg", x))


def _conv_axes(net: OnnxNetwork, x: str) -> str:
    y = net.op("Conv", x, net.constant(_f32(6, 4, 3, 3)), pads=[1] * 4)
    y = net.op("Add", y, net.constant(_f32(6, 1, 1)))
    y = net.op("Slice", y, net.constant(_i64(1)), net.constant(_i64(5)), net.constant(_i64(1)))
    y = net.op("Pad", y, net.constant(_i64(0, 0, 1, 0, 0, 1, 0, 2)))
    y = net.op("ReduceMean", y, net.constant(_i64(1)), keepdims=1)
    return net.op("Softmax", net.op("Concat", y, y, axis=1), axis=1)


FLOATS: dict[str, Build] = {
    **{k: _unary(k) for k in ("Abs", "Ceil", "Cos", "Elu", "Erf", "Exp", "Floor", "Gelu")},
    **{k: _unary(k) for k in ("HardSigmoid", "HardSwish", "LeakyRelu", "Neg", "Relu", "Round")},
    **{k: _unary(k) for k in ("Sigmoid", "Sin", "Tanh", "Identity", "Dropout", "Flatten")},
    **{k: _unary(k) for k in ("GlobalAveragePool", "GlobalMaxPool", "Softmax", "LogSoftmax")},
    "Log": lambda net, x: net.op("Log", net.op("Abs", x)),
    "Sqrt": lambda net, x: net.op("Sqrt", net.op("Abs", x)),
    "Reciprocal": lambda net, x: net.op("Reciprocal", net.op("Exp", x)),
    "Gelu tanh": _unary("Gelu", approximate="tanh"),
    "Clip": _with("Clip", np.float32(-0.5), np.float32(0.7)),
    "PRelu": _with("PRelu", _f32(4, 1, 1)),
    "BatchNormalization": _normal,
    "InstanceNormalization": _with("InstanceNormalization", _f32(4), _f32(4)),
    "LayerNormalization": _with("LayerNormalization", _f32(6, 8), _f32(6, 8), axis=-2),
    "Add": _two("Add"),
    "Sub": _with("Sub", _f32(6, 8)),
    "Mul": _with("Mul", _f32(4, 1, 1)),
    "Div": _with("Div", np.float32(3)),
    "Max": _two("Max"),
    "Min": _with("Min", np.float32(0.1)),
    "Pow": _with("Pow", np.float32(2)),
    "Conv": _with("Conv", _f32(8, 4, 3, 3), _f32(8), pads=[0, 1, 2, 1], strides=[2, 3]),
    "Conv groups": _with("Conv", _f32(6, 2, 3, 3), _f32(6), group=2, dilations=[2, 2]),
    "Conv depthwise": _with("Conv", _f32(8, 1, 2, 3), group=4, auto_pad="SAME_LOWER"),
    "MatMul": _with("MatMul", _f32(8, 5)),
    "Attention": _attention,
    "MaxPool": _unary("MaxPool", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    "MaxPool dilated": _unary(
        "MaxPool", kernel_shape=[3, 2], dilations=[2, 3], strides=[1, 2], pads=[2, 1, 3, 0]
    ),
    "MaxPool ceil": _unary("MaxPool", kernel_shape=[2, 3], strides=[3, 3], ceil_mode=1),
    "AveragePool": _unary("AveragePool", kernel_shape=[3, 3], strides=[2, 1], pads=[1] * 4),
    "AveragePool counted": _unary(
        "AveragePool", kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1
    ),
    "ReduceMean": _with("ReduceMean", _i64(2, 3), keepdims=0),
    **{f"Reduce{k}": _with(f"Reduce{k}", _i64(1, -1)) for k in ("Sum", "Max", "Min", "Prod")},
    "ReduceSum of all": lambda net, x: net.op("ReduceSum", net.op("Abs", x), keepdims=0),
    "ReduceMax of channels": lambda net, x: net.op(
        "ReduceMax",
        net.op("Conv", x, net.constant(_f32(6, 4, 1, 1))),
        net.constant(_i64(1)),
        keepdims=0,
    ),
    **{f"Reduce{k}": _with(f"Reduce{k}", _i64(2)) for k in ("L1", "L2", "LogSumExp", "SumSquare")},
    "ReduceLogSum": lambda net, x: net.op("ReduceLogSum", net.op("Exp", x), keepdims=0),
    "Einsum": lambda net, x: net.op(
        "Einsum", x, net.constant(_f32(8, 4, 3)), equation="bchw,wck->bkh"
    ),
    "Einsum one": _unary("Einsum", equation="bchw -> cb"),
    "Einsum implicit": _with("Einsum", _f32(8), equation="abcd,d"),
    "Sign": lambda net, x: net.op("Sign", net.op("Round", x)),
    "Softplus": lambda net, x: net.op("Softplus", net.op("Mul", x, net.constant(np.float32(20)))),
    "Sum": lambda net, x: net.op("Sum", x, net.constant(_f32(4, 1, 1)), x),
    "Trilu": _unary("Trilu", upper=0),
    "Trilu upper": _with("Trilu", _i64(2)),
    "Transpose": _unary("Transpose", perm=[0, 2, 3, 1]),
    "Reshape": _with("Reshape", _i64(0, -1, 4)),
    "Unsqueeze": _with("Unsqueeze", _i64(0, 3)),
    "Squeeze": _with("Squeeze", _i64(0)),
    "Expand": _with("Expand", _i64(3, 4, 6, 8)),
    "Tile": _with("Tile", _i64(1, 2, 1, 3)),
    "Split": _split,
    "Slice steps": _with("Slice", _i64(5, 1), _i64(-99, 8), _i64(2, 3), _i64(-2, 3)),
    "Gather": _with("Gather", _i64(3, -1, 0), axis=1),
    "GatherElements": _with(
        "GatherElements", np.random.default_rng(1).integers(-6, 6, (1, 4, 9, 8)), axis=2
    ),
    "Pad": _with("Pad", _i64(0, 1, 0, 2, 0, 0, 1, 0), np.float32(1.5)),
    "Where": _where,
    "Cast": lambda net, x: net.op("Cast", net.op("Cast", x, to=6), to=1),
    "Resize": _with("Resize", _f32(0), np.array([1, 1, 2, 2], np.float32), mode="nearest"),
    "Resize sizes": lambda net, x: net.op(
        "Resize", x, "", "", net.constant(_i64(1, 4, 9, 5)), mode="linear"
    ),
    "Resize floor": lambda net, x: net.op(
        "Resize",
        *(x, "", net.constant(np.array([1, 1, 2, 3], np.float32))),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    "DepthToSpace": _unary("DepthToSpace", blocksize=2),
    "DepthToSpace CRD": _unary("DepthToSpace", blocksize=2, mode="CRD"),
    "SpaceToDepth": _unary("SpaceToDepth", blocksize=2),
    "Shape": _shape_chain,
    "channels last": _conv_axes,
    "LpPool": _unary("LpPool", kernel_shape=[3, 2], pads=[1, 0, 1, 1], strides=[2, 1]),
    "LpPool p": _unary("LpPool", kernel_shape=[2, 2], p=3, dilations=[2, 1]),
    "LpNormalization": _unary("LpNormalization", axis=1),
    "Hardmax": _unary("Hardmax", axis=1),
    "Compress": _with("Compress", np.array([1, 0, 1, 1, 0, 1]) > 0, axis=2),
    "Compress of all": _with("Compress", np.arange(192) % 3 == 1),
}


def _first(table: dict[str, Build], *names: str) -> list[Any]:
    """Return all names; those named here are not slow."""
    return sweep([*names, *(n for n in table if n not in names)], fast=len(names))


def _run(net: OnnxNetwork, tmp_path: Path, x: Any) -> tuple[Any, Path]:
    path = net.save(tmp_path / "net.onnx")
    return forebay.compile(path).run(x), path


@pytest.mark.parametrize("name", _first(FLOATS, "channels last", "Attention", "Shape"))
def test_an_operator_on_floats_equals_the_reference(name: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(FLOATS[name](net, net.input("x", IMAGE)))
    x = _f32(*IMAGE, seed=2)
    y, path = _run(net, tmp_path, x)
    golden = np.asarray(reference(path, [x])[0])
    assert y.shape == golden.shape
    assert y.dtype == golden.dtype
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


def _q(build: Build, **settings: Any) -> Build:
    return lambda net, x: net.quantised(build(net, net.quantised(x)), **settings)


def _fire(net: OnnxNetwork, x: str) -> str:
    """Put together tensors of other quantisations."""
    q = net.quantised(x)
    return net.quantised(net.op("Concat", q, net.quantised(net.op("Tanh", q)), axis=1))


def _swish(net: OnnxNetwork, x: str) -> str:
    q = net.quantised(x)
    return net.quantised(net.op("Mul", q, net.op("Sigmoid", q)))


def _matmul(net: OnnxNetwork, x: str) -> str:
    q = net.quantised(x)
    other = net.quantised(net.op("Transpose", x, perm=[0, 1, 3, 2]))
    return net.quantised(net.op("MatMul", q, other), 0.5)


def _products(net: OnnxNetwork, x: str) -> str:
    q = net.quantised(x)
    w, _ = net.weights(8, 5, axis=1)
    return net.quantised(net.op("MatMul", q, w), 0.2)


def _conv1d(net: OnnxNetwork, x: str) -> str:
    q = net.op("Reshape", net.quantised(x), net.constant(_i64(1, 24, 8)))
    w, _ = net.weights(5, 24, 3)
    y = net.op("Conv", q, w, pads=[2, 0], dilations=[2])
    return net.quantised(net.op("Relu", y), 0.1)


def _unsigned_weights(net: OnnxNetwork, x: str) -> str:
    q = net.quantised(x)
    w, _ = net.weights(5, 4, 3, 3, axis=None, unsigned=True)
    return net.quantised(net.op("Conv", q, w, auto_pad="SAME_UPPER", strides=[2, 2]), 0.3)


QUANTISED: dict[str, Build] = {
    **{k: _q(_unary(k)) for k in ("Sigmoid", "Tanh", "HardSwish", "Gelu", "Erf", "LeakyRelu")},
    "Relu": _q(_unary("Relu")),
    "Clip": _q(_with("Clip", np.float32(-0.5), np.float32(0.7))),
    "Add": lambda net, x: net.quantised(net.op("Add", net.quantised(x), net.quantised(x, 0.02))),
    "Sub": lambda net, x: net.quantised(net.op("Sub", net.quantised(x), net.quantised(x, 0.02))),
    "Mul": _q(_with("Mul", _f32(4, 1, 1))),
    "Div": lambda net, x: net.quantised(
        net.op("Div", net.quantised(x), net.quantised(net.op("Exp", x)))
    ),
    "Swish": _swish,
    "Concat": _fire,
    "MatMul": _matmul,
    "MatMul constant": _products,
    "Conv1d": _conv1d,
    "Conv uint8 weights": _unsigned_weights,
    "Conv groups": lambda net, x: net.quantised(net.conv(net.quantised(x), (6, 2), 3, group=2)),
    "AveragePool": _q(_unary("AveragePool", kernel_shape=[3, 2], strides=[1, 2])),
    "AveragePool counted": _q(
        _unary("AveragePool", kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1)
    ),
    "GlobalAveragePool": _q(_unary("GlobalAveragePool")),
    "ReduceMean": _q(_with("ReduceMean", _i64(1, 3), keepdims=0)),
    "MaxPool": _q(_unary("MaxPool", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])),
    "MaxPool dilated": _q(_unary("MaxPool", kernel_shape=[2, 3], dilations=[3, 2], pads=[1] * 4)),
    "Pad": _q(_with("Pad", _i64(0, 1, 0, 2, 0, 0, 1, 0))),
    "Transpose": _q(_unary("Transpose", perm=[0, 2, 3, 1])),
    "Split": _q(_split),
    "Resize": _q(_with("Resize", _f32(0), np.array([1, 1, 2, 2], np.float32), mode="nearest")),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_linear_resize_of_integers_rounds_halves_to_even(dtype: type, tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    name = np.dtype(dtype).name
    scales = net.constant(np.array([1, 1, 2, 4], np.float32))
    net.output(net.op("Resize", net.input("x", IMAGE, name), "", scales, mode="linear"), name)
    limits = np.iinfo(dtype)
    x = np.random.default_rng(3).integers(limits.min, limits.max + 1, IMAGE).astype(dtype)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])


@pytest.mark.parametrize("unsigned", [False, True], ids=["int8", "uint8"])
@pytest.mark.parametrize("name", _first(QUANTISED, "Swish", "Concat", "MatMul constant"))
def test_an_operator_on_integers_has_the_bits_of_the_reference(
    name: str, unsigned: bool, tmp_path: Path
) -> None:
    net = OnnxNetwork(7, unsigned=unsigned)
    net.output(QUANTISED[name](net, net.input("x", IMAGE)))
    x = _f32(*IMAGE, seed=2)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])
    np.testing.assert_array_equal(y, exact_reference(path, [x])[0].astype(np.float32))


@pytest.mark.parametrize("scale", [2.0**-4, 2.0**-6])
def test_halves_round_to_even(scale: float, tmp_path: Path) -> None:
    """With scales that are powers of two, many sums lie between two integers."""
    net = OnnxNetwork(11)
    q = net.quantised(net.input("x", IMAGE), 2.0**-6, 3)
    weights = np.random.default_rng(1).integers(-9, 9, (5, 4, 3, 3)).astype(np.int8)
    w = net.op("DequantizeLinear", net.constant(weights), net.constant(np.float32(0.25)))
    net.output(net.quantised(net.op("Conv", q, w), scale, -7))
    x = _f32(*IMAGE, seed=2)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])


@pytest.mark.parametrize("count", [2, 3, 6])
def test_means_of_one_scale_round_halves_to_even(count: int, tmp_path: Path) -> None:
    net = OnnxNetwork(11)
    q = net.quantised(net.input("x", [1, 4, 6, 6]), 2.0**-5, 3)
    pooled = net.op("AveragePool", q, kernel_shape=[count, count], strides=[1, 1])
    net.output(net.quantised(pooled, 2.0**-5, -7))
    x = _f32(1, 4, 6, 6, seed=2)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, exact_reference(path, [x])[0].astype(np.float32))


def _qlinear(net: OnnxNetwork, kind: str, x: str) -> str:
    dtype = net.dtype
    kinds = np.iinfo(dtype)
    low, high = kinds.min, kinds.max
    at = [net.constant(np.float32(0.02)), net.constant(np.array((low + high) // 2 + 9, dtype))]
    to = [net.constant(np.float32(0.031)), net.constant(np.array((low + high) // 2 - 20, dtype))]
    rng = np.random.default_rng(4)

    def weights(*shape: int) -> list[str]:
        values = rng.integers(-128, 128, shape).astype(np.int8)
        return [
            net.constant(values),
            net.constant(rng.uniform(0.002, 0.01, shape[0]).astype(np.float32)),
            net.constant(np.zeros(shape[0], np.int8)),
        ]

    if kind == "QLinearConv":
        bias = net.constant(rng.integers(-900, 900, 8).astype(np.int32))
        return net.op(kind, x, *at, *weights(8, 4, 3, 3), *to, bias, strides=[2, 2])
    matrix = net.constant(rng.integers(-128, 128, (8, 6)).astype(np.int8))
    own = [net.constant(np.float32(0.01)), net.constant(np.array(0, np.int8))]
    return net.op(kind, x, *at, matrix, *own, *to)


@pytest.mark.parametrize("unsigned", [False, True], ids=["int8", "uint8"])
@pytest.mark.parametrize("kind", ["QLinearConv", "QLinearMatMul"])
def test_qlinear_operators_have_the_bits_of_the_reference(
    kind: str, unsigned: bool, tmp_path: Path
) -> None:
    net = OnnxNetwork(unsigned=unsigned)
    dtype = np.dtype(net.dtype).name
    net.output(_qlinear(net, kind, net.input("x", IMAGE, dtype)), dtype)
    limits = np.iinfo(net.dtype)
    x = np.random.default_rng(3).integers(limits.min, limits.max + 1, IMAGE).astype(net.dtype)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])


@pytest.mark.parametrize("zero_point", [-7, 4])
def test_qlinear_rounds_halves_to_even_behind_the_zero_point(
    zero_point: int, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x = net.input("x", IMAGE, "int8")
    rng = np.random.default_rng(8)
    weights = net.constant(rng.integers(-9, 10, (5, 4, 3, 3)).astype(np.int8))
    points = [
        (net.constant(np.float32(scale)), net.constant(np.array(zero, np.int8)))
        for scale, zero in ((2.0**-6, 3), (0.25, 0), (2.0**-4, zero_point))
    ]
    net.output(net.op("QLinearConv", x, *points[0], weights, *points[1], *points[2]), "int8")
    data = rng.integers(-128, 128, IMAGE).astype(np.int8)
    y, path = _run(net, tmp_path, data)
    np.testing.assert_array_equal(y, reference(path, [data])[0])


def test_borders_of_a_mean_are_computed_in_floats(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    q = net.quantised(net.input("x", IMAGE))
    pooled = net.op("AveragePool", q, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
    net.output(net.quantised(pooled))
    x = _f32(*IMAGE, seed=2)
    y, path = _run(net, tmp_path, x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])


def test_every_operator_is_tested() -> None:
    named = {name.split()[0] for name in (*FLOATS, *QUANTISED)}
    elsewhere = {
        *("And", "Or", "Not", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"),
        *("DequantizeLinear", "QuantizeLinear", "Table", "Size", "Gemm"),
        *("ConvInteger", "ConvTranspose", "DynamicQuantizeLinear", "MatMulInteger"),
        *("GRU", "LSTM", "RNN", "Xor"),
        *("GatherND", "OneHot", "ScatterElements", "ScatterND", "TopK"),
        *("Mean", "Mod", "If", "Loop", "Scan"),
        *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"),
        *("ArgMax", "ArgMin", "CumSum", "GroupNormalization", "LRN", "RMSNormalization"),
        *("AffineGrid", "GlobalLpPool", "GridSample"),
        *("BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"),
        *("CumProd", "EyeLike", "IsInf", "ReverseSequence"),
        *("Bernoulli", "Multinomial", "NonMaxSuppression", "NonZero", "Unique"),
        *("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
    }
    assert set(onnx_lowerings()) <= named | elsewhere
