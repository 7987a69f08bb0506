"""One function per further kind of operator, in the form of `operators.py`."""

from __future__ import annotations

import math

import numpy as np
from common.model_file import T

from fuzz.graphs.drawing import MOST_ELEMENTS, Drawing, Value
from fuzz.graphs.operators import Draw, broadcasts, weights_of


def prelu(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    alphas = d.constant((1,) * (len(x.shape) - 1) + x.shape[-1:], d.scale(), d.zero_point())
    d.emit("PRELU", [x.index, alphas.index], [d.value(x.shape, d.scale(), d.zero_point())])


def squared_difference(d: Drawing) -> None:
    x, y = d.pick(), d.pick()
    if x is None or y is None or not broadcasts(x.shape, y.shape):
        return
    shape = np.broadcast_shapes(x.shape, y.shape)
    if math.prod(shape) <= MOST_ELEMENTS:
        out = d.value(shape, d.scale(), d.zero_point())
        d.emit("SQUARED_DIFFERENCE", [x.index, y.index], [out])


def log_softmax(d: Drawing) -> None:
    x = d.pick()
    if x is not None and x.shape:
        out = d.value(x.shape, 16 / 256, 127)
        d.emit("LOG_SOFTMAX", [x.index], [out], "LogSoftmaxOptions")


def batch_matmul(d: Drawing) -> None:
    x = d.pick()
    if x is None or len(x.shape) < 2:
        return
    swap_x, swap_y = d.rng.random() < 0.3, d.rng.random() < 0.5
    height, depth = x.shape[-2:][::-1] if swap_x else x.shape[-2:]
    width = d.rng.choice([1, 3, 8, 9])
    matrix = (width, depth) if swap_y else (depth, width)
    y = d.constant((*x.shape[:-2], *matrix), d.scale(), d.zero_point())
    out = d.value((*x.shape[:-2], height, width), d.scale(), d.zero_point())
    d.emit(
        "BATCH_MATMUL", [x.index, y.index], [out], "BatchMatMulOptions", AdjX=swap_x, AdjY=swap_y
    )


def grouped_convolution(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None or x.shape[3] % 2:
        return
    _, height, width, depth = x.shape
    channels = 2 * d.rng.choice([1, 3, 4])
    if height * width * channels > MOST_ELEMENTS:
        return
    weights = weights_of(d, (channels, *(d.rng.choice([1, 3]) for _ in "yx"), depth // 2), 0)
    out = d.value((x.shape[0], height, width, channels), d.scale(), d.zero_point())
    fields = {"Padding": 0, "StrideH": 1, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    d.emit("CONV_2D", [x.index, d.tensor(weights)], [out], "Conv2DOptions", **fields)


def transposed_convolution(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None:
        return
    batch, height, width, depth = x.shape
    stride, kernel = d.rng.choice([1, 2]), [d.rng.choice([1, 2, 3]) for _ in "yx"]
    channels, same = d.rng.choice([1, 3, 4]), d.rng.random() < 0.5
    sizes = [
        n * stride if same else (n - 1) * stride + k
        for n, k in zip((height, width), kernel, strict=True)
    ]
    if (same and min(kernel) < stride) or math.prod(sizes) * channels * batch > MOST_ELEMENTS:
        return
    weights = weights_of(d, (channels, *kernel, depth), 0)
    out = d.value((batch, *sizes, channels), d.scale(), d.zero_point())
    inputs = [d.integers(out.shape), d.tensor(weights), x.index]
    fields = {"Padding": int(not same), "StrideH": stride, "StrideW": stride}
    d.emit("TRANSPOSE_CONV", inputs, [out], "TransposeConvOptions", **fields)


def blocks(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None:
        return
    batch, height, width, depth = x.shape
    if height % 2 == 0 and width % 2 == 0:
        out = d.value((batch, height // 2, width // 2, 4 * depth), *x.quantization)
        d.emit("SPACE_TO_DEPTH", [x.index], [out], "SpaceToDepthOptions", BlockSize=2)
    elif depth % 4 == 0:
        out = d.value((batch, 2 * height, 2 * width, depth // 4), *x.quantization)
        d.emit("DEPTH_TO_SPACE", [x.index], [out], "DepthToSpaceOptions", BlockSize=2)


def gathering(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    axis = d.rng.randrange(len(x.shape))
    numbers = [d.rng.randrange(x.shape[axis]) for _ in range(d.rng.randint(1, 5))]
    shape = (*x.shape[:axis], len(numbers), *x.shape[axis + 1 :])
    if math.prod(shape) <= MOST_ELEMENTS:
        out = d.value(shape, *x.quantization)
        d.emit("GATHER", [x.index, d.integers(numbers)], [out], "GatherOptions", Axis=axis)


def extremum(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    axis = d.rng.randrange(len(x.shape))
    shape = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    out = d.value(shape, *x.quantization)
    name = d.rng.choice(["REDUCE_MAX", "REDUCE_MIN"])
    d.emit(name, [x.index, d.integers([axis])], [out], "ReducerOptions", KeepDims=True)


def choice(d: Drawing) -> None:
    """The larger of two values by a comparison, which has bools as its result."""
    x = d.pick()
    others = [v for v in d.values if x and v.shape == x.shape and v.quantization == x.quantization]
    if x is None or not others or x.scale >= 1:
        return
    y = d.rng.choice(others)
    condition = d.tensor(T(x.shape, "bool"))
    d.emit("GREATER", [x.index, y.index], [Value(condition, x.shape, 0.0, 0)])
    d.values.pop()
    out = d.value(x.shape, *x.quantization)
    d.emit("SELECT_V2", [condition, x.index, y.index], [out], "SelectV2Options")


def through_int16(d: Drawing) -> None:
    """LEAKY_RELU or a sum in 16 bits, between two QUANTIZEs."""
    x = d.pick()
    if x is None:
        return
    first, second = (10 ** d.rng.uniform(-4, -2) for _ in range(2))
    wide = d.tensor(T(x.shape, "int16", first))
    result = d.tensor(T(x.shape, "int16", second))
    out = d.value(x.shape, d.scale(), d.zero_point())
    d.emit("QUANTIZE", [x.index], [Value(wide, x.shape, 0.0, 0)])
    d.values.pop()
    middle = [Value(result, x.shape, 0.0, 0)]
    if d.rng.random() < 0.5:
        d.emit("LEAKY_RELU", [wide], middle, "LeakyReluOptions", Alpha=0.25)
    else:
        d.emit("ADD", [wide, wide], middle, "AddOptions")
    d.values.pop()
    d.emit("QUANTIZE", [result], [out])


def division(d: Drawing) -> None:
    """DIV by a constant without zeros, to a scale at which TFLite shifts by less than 32 bits."""
    x = d.pick()
    if x is None or not x.shape:
        return
    shape = [1 if d.rng.random() < 0.4 else n for n in x.shape]
    y = d.constant(shape, d.scale(), d.zero_point())
    divisors = d.tensors[y.index].data
    assert divisors is not None
    divisors[divisors == y.zero_point] = -1 if y.zero_point else 1
    scale = x.scale / y.scale / 2 ** d.rng.uniform(7, 10)
    out = d.value(x.shape, float(np.float32(scale)), d.zero_point())
    fields = {"FusedActivationFunction": d.rng.choice([0, 0, 1, 3])}
    d.emit("DIV", [x.index, y.index], [out], "DivOptions", **fields)


MORE_KINDS: list[Draw] = [
    prelu, squared_difference, log_softmax, batch_matmul, grouped_convolution,
    transposed_convolution, blocks, gathering, extremum, choice, through_int16,
]  # fmt: skip
