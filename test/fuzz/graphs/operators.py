"""One function per kind of operator: it reads values of a drawing and appends the operator.

A function that finds nothing to read appends nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from common.model_file import T

from fuzz.graphs.drawing import MOST_ELEMENTS, Drawing, Shape, Value

Draw = Callable[[Drawing], None]
ACTIVATIONS = [0, 0, 0, 1, 2, 3]


def elementwise(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    name = d.rng.choice(
        ["LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "RELU", "RELU6", "QUANTIZE", "SOFTMAX"]
    )
    fixed = {"LOGISTIC": (1 / 256, -128), "SOFTMAX": (1 / 256, -128), "TANH": (1 / 128, 0)}
    quantization = fixed.get(name, (d.scale(), d.zero_point()))
    if name == "RELU6" or (name == "RELU" and d.rng.random() < 0.5):
        quantization = x.quantization
    options = {"LEAKY_RELU": "LeakyReluOptions", "SOFTMAX": "SoftmaxOptions"}.get(name, "")
    fields = {
        "LEAKY_RELU": {"Alpha": d.rng.choice([0.0, 0.1, 0.3, 1.0, 2.5])},
        "SOFTMAX": {"Beta": d.rng.choice([1.0, 1.0, 0.3, 7.0])},
    }
    out = d.value(x.shape, *quantization)
    d.emit(name, [x.index], [out], options, **fields.get(name, {}))


def binary(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    name = d.rng.choice(["ADD", "ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM"])
    alike = name in ("MINIMUM", "MAXIMUM")
    others = [v for v in d.values if broadcasts(x.shape, v.shape)]
    others = [v for v in others if not alike or v.quantization == x.quantization]
    quantization = x.quantization if alike else (d.scale(), d.zero_point())
    if others and d.rng.random() < 0.75:
        y = d.rng.choice(others)
    else:
        shape = [1 if d.rng.random() < 0.3 else n for n in x.shape]
        y = d.constant(shape[d.rng.randint(0, max(0, len(shape) - 1)) :], *quantization)
    if d.rng.random() < 0.5:
        x, y = y, x
    shape = np.broadcast_shapes(x.shape, y.shape)
    if math.prod(shape) > MOST_ELEMENTS:
        return
    out = d.value(shape, *(x.quantization if alike else (d.scale(), d.zero_point())))
    options = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}
    fields = {} if alike else {"FusedActivationFunction": d.rng.choice(ACTIVATIONS)}
    d.emit(name, [x.index, y.index], [out], options.get(name, "MaximumMinimumOptions"), **fields)


def broadcasts(a: Shape, b: Shape) -> bool:
    pairs = zip(reversed(a), reversed(b), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs) and max(len(a), len(b)) <= 4


def _window(size: int, kernel: int, stride: int, dilation: int, same: bool) -> int:
    reach = (kernel - 1) * dilation + 1
    return -(-size // stride) if same else -(-(size - reach + 1) // stride)


def weights_of(d: Drawing, shape: Shape, dimension: int) -> T:
    data = np.array([d.rng.randint(-127, 127) for _ in range(math.prod(shape))], np.int8)
    scales = [10 ** d.rng.uniform(-3, -1) for _ in range(shape[dimension])]
    scale = scales if d.rng.random() < 0.7 else scales[0]
    return T(shape, "int8", scale, 0, data.reshape(shape), dimension=dimension)


def convolution(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None:
        return
    depthwise, same = d.rng.random() < 0.4, d.rng.random() < 0.6
    _, height, width, depth = x.shape
    kernel = [d.rng.choice([1, 2, 3, 3, 5]) for _ in "yx"]
    stride, dilation = [d.rng.choice([1, 1, 2, 3]) for _ in "yx"], [1, 1]
    if d.rng.random() < 0.15:
        stride, dilation = [1, 1], [d.rng.choice([1, 2]) for _ in "yx"]
    sizes = [
        _window(*each, same) for each in zip((height, width), kernel, stride, dilation, strict=True)
    ]
    if min(sizes) < 1:
        return
    if depthwise:
        channels = depth * d.rng.choice([1, 1, 2])
        weights = weights_of(d, (1, *kernel, channels), 3)
    else:
        channels = d.rng.choice([1, 3, 8, 16, 16, 17, 32])
        weights = weights_of(d, (channels, *kernel, depth), 0)
    if math.prod(sizes) * channels > MOST_ELEMENTS:
        return
    out = d.value((x.shape[0], *sizes, channels), *_result_of(d, x, weights))
    inputs = [x.index, d.tensor(weights), *_bias(d, x, weights, channels)]
    names = ["StrideH", "StrideW", "DilationHFactor", "DilationWFactor"]
    fields = dict(zip(names, [*stride, *dilation], strict=True))
    fields |= {"Padding": int(not same), "FusedActivationFunction": d.rng.choice(ACTIVATIONS)}
    if depthwise:
        fields["DepthMultiplier"] = channels // depth
    name = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    d.emit(name, inputs, [out], f"{'Depthwise' if depthwise else ''}Conv2DOptions", **fields)


def _result_of(d: Drawing, x: Value, weights: T) -> tuple[float, int]:
    """A scale that leaves some values inside of the range; rarely any scale."""
    if d.rng.random() < 0.1:
        return d.scale(), d.zero_point()
    spread = math.sqrt(weights.data.size / np.atleast_1d(weights.scale).size) * 70  # type: ignore
    scale = float(np.max(weights.scale)) * x.scale * spread * d.rng.uniform(0.2, 3)  # type: ignore
    return float(np.float32(scale)), d.zero_point()


def _bias(d: Drawing, x: Value, weights: T, channels: int) -> list[int]:
    if d.rng.random() < 0.15:
        return []
    data = np.array([d.rng.randint(-5000, 5000) for _ in range(channels)], np.int32)
    scales = [float(np.float32(x.scale) * np.float32(s)) for s in np.atleast_1d(weights.scale)]  # type: ignore
    return [d.tensor(T((channels,), "int32", scales, data=data))]


def fully_connected(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    depth, channels = x.shape[-1], d.rng.choice([1, 5, 16, 20])
    rows = math.prod(x.shape) // depth
    if rows * channels > MOST_ELEMENTS:
        return
    keep = d.rng.random() < 0.5
    weights = weights_of(d, (channels, depth), 0)
    shape = (*x.shape[:-1], channels) if keep else (rows, channels)
    out = d.value(shape, *_result_of(d, x, weights))
    inputs = [x.index, d.tensor(weights), *_bias(d, x, weights, channels)]
    fields = {"FusedActivationFunction": d.rng.choice(ACTIVATIONS), "KeepNumDims": keep}
    d.emit("FULLY_CONNECTED", inputs, [out], "FullyConnectedOptions", **fields)


def pooling(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None:
        return
    same = d.rng.random() < 0.5
    kernel, stride = ([d.rng.choice([1, 2, 2, 3, 5]) for _ in "yx"] for _ in range(2))
    sizes = [
        _window(n, k, s, 1, same) for n, k, s in zip(x.shape[1:3], kernel, stride, strict=True)
    ]
    if min(sizes) < 1:
        return
    out = d.value((x.shape[0], *sizes, x.shape[3]), *x.quantization)
    names = ["FilterHeight", "FilterWidth", "StrideH", "StrideW"]
    fields = dict(zip(names, [*kernel, *stride], strict=True))
    fields |= {"Padding": int(not same), "FusedActivationFunction": d.rng.choice(ACTIVATIONS)}
    name = d.rng.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"])
    d.emit(name, [x.index], [out], "Pool2DOptions", **fields)


def mean(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    rank = len(x.shape)
    axes = d.rng.sample(range(rank), d.rng.randint(1, rank))
    if rank == 4 and d.rng.random() < 0.5:
        axes = [1, 2]
    keep = d.rng.random() < 0.5 or len(axes) == rank
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes]
    out = d.value(shape, x.scale * d.rng.choice([1.0, 0.5, 1.7]), d.zero_point())
    axes = [a - rank if d.rng.random() < 0.2 else a for a in axes]
    d.emit("MEAN", [x.index, d.integers(axes)], [out], "ReducerOptions", KeepDims=keep)


def padding(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    amounts = [[d.rng.choice([0, 0, 1, 2]) for _ in range(2)] for _ in x.shape]
    shape = [n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True)]
    if math.prod(shape) > MOST_ELEMENTS:
        return
    out = d.value(shape, *x.quantization)
    inputs = [x.index, d.integers(amounts)]
    if d.rng.random() < 0.5:
        d.emit("PAD", inputs, [out], "PadOptions")
    else:
        fill = d.constant((1,), *x.quantization)
        d.emit("PADV2", [*inputs, fill.index], [out], "PadV2Options")


def joining(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    alike = [v for v in d.values if v.quantization == x.quantization]
    pack = d.rng.random() < 0.3
    axis = d.rng.randrange(len(x.shape) + pack)
    if pack:
        fitting = [v for v in alike if v.shape == x.shape]
    else:
        fitting = [
            v
            for v in alike
            if len(v.shape) == len(x.shape)
            and all(
                i == axis or m == n for i, (m, n) in enumerate(zip(v.shape, x.shape, strict=True))
            )
        ]
    chosen = [d.rng.choice(fitting) for _ in range(d.rng.randint(0, 2))] if fitting else []
    if d.rng.random() < 0.4:
        chosen.append(d.constant(x.shape, *x.quantization))
    chosen.insert(d.rng.randint(0, len(chosen)), x)
    width = len(chosen) if pack else sum(v.shape[axis] for v in chosen)
    shape = [*x.shape[:axis], width, *x.shape[axis + (not pack) :]]
    if math.prod(shape) > MOST_ELEMENTS or len(shape) > 5:
        return
    out = d.value(shape, *x.quantization)
    given = axis - len(shape) if d.rng.random() < 0.3 else axis
    indices = [v.index for v in chosen]
    if pack:
        d.emit("PACK", indices, [out], "PackOptions", Axis=given, ValuesCount=len(chosen))
    else:
        d.emit("CONCATENATION", indices, [out], "ConcatenationOptions", Axis=given)


def reshaping(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    kind = d.rng.choice(["RESHAPE", "RESHAPE", "EXPAND_DIMS", "SQUEEZE"])
    if kind == "SQUEEZE" and ones and len(ones) < len(x.shape):
        gone = d.rng.sample(ones, d.rng.randint(1, len(ones)))
        out = d.value([n for i, n in enumerate(x.shape) if i not in gone], *x.quantization)
        d.emit("SQUEEZE", [x.index], [out], "SqueezeOptions", SqueezeDims=sorted(gone))
    elif kind == "EXPAND_DIMS" and len(x.shape) < 4:
        axis = d.rng.randint(0, len(x.shape))
        out = d.value([*x.shape[:axis], 1, *x.shape[axis:]], *x.quantization)
        d.emit("EXPAND_DIMS", [x.index, d.integers([axis])], [out], "ExpandDimsOptions")
    else:
        shape = _factors(d, math.prod(x.shape))
        out = d.value(shape, *x.quantization)
        d.emit("RESHAPE", [x.index, d.integers(shape)], [out], "ReshapeOptions", NewShape=shape)


def _factors(d: Drawing, count: int) -> list[int]:
    shape: list[int] = []
    for _ in range(d.rng.randint(0, 3)):
        divisors = [n for n in range(1, min(count, 16) + 1) if count % n == 0]
        shape.append(d.rng.choice(divisors))
        count //= shape[-1]
    shape.append(count)
    d.rng.shuffle(shape)
    return shape


def slicing(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    begin = [d.rng.randrange(n) for n in x.shape]
    end = [d.rng.randint(b + 1, n) for b, n in zip(begin, x.shape, strict=True)]
    size = [e - b for b, e in zip(begin, end, strict=True)]
    if d.rng.random() < 0.5 or len(x.shape) > 4:
        out = d.value(size, *x.quantization)
        d.emit("SLICE", [x.index, d.integers(begin), d.integers(size)], [out], "SliceOptions")
        return
    masks = [d.rng.choice([0, 0, d.rng.randrange(16)]) for _ in range(2)]
    shrink = d.rng.choice([0, 0, d.rng.randrange(2 ** len(size) - 1)])
    begin = [0 if masks[0] >> i & 1 and not shrink >> i & 1 else b for i, b in enumerate(begin)]
    end = [
        n if masks[1] >> i & 1 and not shrink >> i & 1 else e
        for i, (e, n) in enumerate(zip(end, x.shape, strict=True))
    ]
    end = [b + 1 if shrink >> i & 1 else e for i, (b, e) in enumerate(zip(begin, end, strict=True))]
    masks = [mask & ~shrink for mask in masks]
    shape = [e - b for i, (b, e) in enumerate(zip(begin, end, strict=True)) if not shrink >> i & 1]
    out = d.value(shape, *x.quantization)
    inputs = [x.index, d.integers(begin), d.integers(end), d.integers([1] * len(begin))]
    fields = {"BeginMask": masks[0], "EndMask": masks[1], "ShrinkAxisMask": shrink}
    d.emit("STRIDED_SLICE", inputs, [out], "StridedSliceOptions", **fields)


def splitting(d: Drawing) -> None:
    x = d.pick()
    if x is None or not x.shape:
        return
    axis = d.rng.randrange(len(x.shape))
    count = d.rng.choice([n for n in range(1, 5) if x.shape[axis] % n == 0])
    if x.shape[axis] <= 4 and len(x.shape) > 1 and d.rng.random() < 0.5:
        shape = [*x.shape[:axis], *x.shape[axis + 1 :]]
        outs = [d.value(shape, *x.quantization) for _ in range(x.shape[axis])]
        d.emit("UNPACK", [x.index], outs, "UnpackOptions", Axis=axis, Num=len(outs))
    else:
        shape = [*x.shape[:axis], x.shape[axis] // count, *x.shape[axis + 1 :]]
        outs = [d.value(shape, *x.quantization) for _ in range(count)]
        d.emit("SPLIT", [d.integers(axis), x.index], outs, "SplitOptions", NumSplits=count)


def transposition(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    order = d.rng.sample(range(len(x.shape)), len(x.shape))
    out = d.value([x.shape[i] for i in order], *x.quantization)
    d.emit("TRANSPOSE", [x.index, d.integers(order)], [out], "TransposeOptions")


def resizing(d: Drawing) -> None:
    x = d.pick(rank=4)
    if x is None:
        return
    sizes = [
        d.rng.choice([n, 2 * n, 3 * n, max(1, n // 2), d.rng.randint(1, 9)]) for n in x.shape[1:3]
    ]
    shape = (x.shape[0], *sizes, x.shape[3])
    if math.prod(shape) > MOST_ELEMENTS:
        return
    corners, centers = d.rng.choice([(False, False), (True, False), (False, True)])
    name = d.rng.choice(["ResizeBilinear", "ResizeNearestNeighbor"])
    out = d.value(shape, *x.quantization)
    operator = {"ResizeBilinear": "RESIZE_BILINEAR"}.get(name, "RESIZE_NEAREST_NEIGHBOR")
    fields = {"AlignCorners": corners, "HalfPixelCenters": centers}
    d.emit(operator, [x.index, d.integers(sizes)], [out], f"{name}Options", **fields)


def through_floats(d: Drawing) -> None:
    x = d.pick()
    if x is None:
        return
    middle = d.tensor(T(x.shape, "float32"))
    out = d.value(x.shape, d.scale(), d.zero_point())
    d.emit("DEQUANTIZE", [x.index], [Value(middle, x.shape, 0.0, 0)])
    d.values.pop()
    d.emit("QUANTIZE", [middle], [out])


def state(d: Drawing) -> None:
    """A new variable: read, and assigned what is computed from it, or something else."""
    if len(d.variables) == 2:
        return
    x = d.pick()
    if x is None:
        return
    name = f"cell{len(d.variables)}"
    initial = d.constant(x.shape, *x.quantization)
    d.variables.append((name, d.tensors[initial.index]))
    fields = {"SharedName": name, "Container": ""}
    handle = d.tensor(T((), "resource", name=name))
    old = d.value(x.shape, *x.quantization)
    d.emit("VAR_HANDLE", [], [Value(handle, (), 0.0, 0)], "VarHandleOptions", **fields)
    d.values.pop()
    writes = d.rng.random()
    if writes < 0.3:
        d.emit("ASSIGN_VARIABLE", [handle, x.index], [], "AssignVariableOptions")
    d.emit("READ_VARIABLE", [handle], [old], "ReadVariableOptions")
    new = x
    if writes > 0.5:
        new = d.value(x.shape, *x.quantization)
        d.emit("ADD", [old.index, x.index], [new], "AddOptions")
    if writes >= 0.3:
        d.emit("ASSIGN_VARIABLE", [handle, new.index], [], "AssignVariableOptions")


KINDS: list[Draw] = [
    elementwise, elementwise, elementwise, binary, binary, binary, convolution, convolution,
    convolution, fully_connected, pooling, pooling, mean, padding, joining, joining, reshaping,
    slicing, splitting, transposition, resizing, through_floats,
]  # fmt: skip
