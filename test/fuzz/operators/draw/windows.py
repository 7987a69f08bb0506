"""Convolutions, pools and resizing."""

from __future__ import annotations

import math

import numpy as np
from common.model_file import T

from fuzz.operators.draw.drawing import Drawing

TYPES = ("int8", "int8", "uint8", "int16", "float32", "hybrid")
ACTIVATIONS = (0, 0, 1, 2, 3)


def output(size: int, kernel: int, stride: int, dilation: int, same: bool) -> int:
    reach = (kernel - 1) * dilation + 1
    return -(-size // stride) if same else -(-(size - reach + 1) // stride)


def weights(d: Drawing, shape: tuple[int, ...], dimension: int, dtype: str) -> int:
    if dtype == "float32":
        return d.tensor(shape, dtype, constant=True)
    kind = "uint8" if dtype == "uint8" else "int8"
    data = d.random(shape, kind)
    if kind == "int8":
        data = np.clip(data, -127, 127).astype(np.int8)
    count = shape[dimension] if kind == "int8" and d.chance(0.6) else 1
    scales = [10 ** d.rng.uniform(-3, -1) for _ in range(count)]
    zero_point = d.rng.choice([0, 128, 120]) if kind == "uint8" else 0
    return d.add(
        T(shape, kind, scales if count > 1 else scales[0], zero_point, data, dimension=dimension)
    )


def computed_weights(d: Drawing, shape: tuple[int, ...], dtype: str) -> int:
    """Weights that are an input of the network: one scale, and no zero point."""
    return d.tensor(shape, dtype, None if dtype == "float32" else (10 ** d.rng.uniform(-3, -1), 0))


def bias(
    d: Drawing, x: int, w: int, channels: int, dtype: str, *, wide_only: bool = False
) -> list[int]:
    """A bias; of int32 beside int16 only where TFLite Micro does not read it as int64."""
    if d.chance(0.2):
        return []
    if dtype in ("float32", "hybrid"):
        return [d.tensor((channels,), "float32", constant=True)]
    kind = "int64" if dtype == "int16" and (wide_only or d.chance(0.8)) else "int32"
    data = d.random((channels,), kind, -3000, 3000)
    scales = [
        float(np.float32(d.tensors[x].scale) * np.float32(s))
        for s in np.atleast_1d(d.tensors[w].scale)
    ]  # type: ignore[arg-type]
    return [d.add(T((channels,), kind, scales if len(scales) > 1 else scales[0], data=data))]


def result(d: Drawing, x: int, w: int, shape: tuple[int, ...], dtype: str) -> int:
    """A result whose scale leaves some values inside of the range."""
    if dtype in ("float32", "hybrid"):
        return d.tensor(shape, "float32")
    terms = math.prod(d.tensors[w].shape) / shape[-1]
    spread = math.sqrt(terms) * 70 * (100 if dtype == "int16" else 1) * d.rng.uniform(0.3, 3)
    spread *= 1 / 200 if dtype == "int16" else 1
    scale = float(np.max(d.tensors[w].scale)) * d.tensors[x].scale * spread  # type: ignore[arg-type,operator]
    return d.tensor(shape, dtype, (float(np.float32(scale)), d.quantization(dtype)[1]))


def convolution(d: Drawing) -> None:
    dtype = d.rng.choice(TYPES)
    depthwise, same = d.chance(0.45), d.chance(0.5)
    batch = d.rng.choice([1, 1, 1, 2, 3])
    sizes = [d.rng.randint(1, 9) for _ in "yx"]
    depth = d.rng.choice([1, 2, 3, 4, 8])
    kernel = [d.rng.choice([1, 2, 3, 3, 4, 5]) for _ in "yx"]
    stride = [d.rng.choice([1, 1, 2, 3]) for _ in "yx"]
    dilation = [d.rng.choice([1, 1, 1, 2, 3]) for _ in "yx"]
    outputs = [output(*each, same) for each in zip(sizes, kernel, stride, dilation, strict=True)]
    if min(outputs) < 1:
        return convolution(d)
    x = d.tensor((batch, *sizes, depth), "float32" if dtype == "hybrid" else dtype)
    if depthwise:
        multiplier = d.rng.choice([1, 1, 2, 3])
        channels = depth * multiplier
        w = weights(d, (1, *kernel, channels), 3, dtype)
    else:
        groups = d.rng.choice([1, 1, 1, 2]) if depth % 2 == 0 else 1
        channels = d.rng.choice([1, 2, 3, 6, 8]) * groups
        own = (channels, *kernel, depth // groups)
        is_computed = dtype in ("int8", "float32") and d.chance(0.15)
        w = computed_weights(d, own, dtype) if is_computed else weights(d, own, 0, dtype)
    inputs = [x, w, *bias(d, x, w, channels, dtype, wide_only=depthwise)]
    out = result(d, x, w, (batch, *outputs, channels), dtype)
    names = ["StrideH", "StrideW", "DilationHFactor", "DilationWFactor"]
    fields = dict(zip(names, [*stride, *dilation], strict=True))
    fields |= {"Padding": int(not same), "FusedActivationFunction": d.rng.choice(ACTIVATIONS)}
    if depthwise:
        fields["DepthMultiplier"] = channels // depth
    name = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    return d.emit(name, inputs, [out], f"{'Depthwise' if depthwise else ''}Conv2DOptions", **fields)


def fully_connected(d: Drawing) -> None:
    dtype = d.rng.choice(TYPES)
    shape = d.shape(1, 4, 6)
    channels, depth = d.rng.choice([1, 3, 8]), shape[-1]
    if len(shape) > 1 and d.chance(0.2):
        depth *= shape[-2]
    rows = math.prod(shape) // depth
    keep = depth == shape[-1] and d.chance(0.5)
    x = d.tensor(shape, "float32" if dtype == "hybrid" else dtype)
    w = weights(d, (channels, depth), 0, dtype)
    inputs = [x, w, *bias(d, x, w, channels, dtype)]
    if len(inputs) == 2 and d.chance(0.5):
        inputs.append(-1)
    out = result(d, x, w, (*shape[:-1], channels) if keep else (rows, channels), dtype)
    if dtype in ("int8", "int16", "float32") and d.chance(0.3):
        _compute_at_run_time(d, w)
    activation = d.rng.choice(ACTIVATIONS)
    d.emit(
        "FULLY_CONNECTED",
        inputs,
        [out],
        "FullyConnectedOptions",
        FusedActivationFunction=activation,
        KeepNumDims=keep,
    )


def _compute_at_run_time(d: Drawing, w: int) -> None:
    """Make the weights an input, with one scale and any zero point."""
    tensor = d.tensors[w]
    assert tensor.data is not None
    d.values[w] = tensor.data
    scale = None if tensor.scale is None else float(np.atleast_1d(tensor.scale)[0])
    zero_point = d.rng.choice([0, 0, -3, 100]) if scale is not None else 0
    d.tensors[w] = T(tensor.shape, tensor.dtype, scale, zero_point)


def transpose_convolution(d: Drawing) -> None:
    dtype = d.rng.choice(("int8", "int8", "int16", "float32", "hybrid", "uint8"))
    same = d.chance(0.5)
    batch, sizes = d.rng.choice([1, 1, 2]), [d.rng.randint(1, 6) for _ in "yx"]
    depth, channels = d.rng.choice([1, 2, 4]), d.rng.choice([1, 3, 4])
    kernel = [d.rng.choice([1, 2, 3, 4]) for _ in "yx"]
    stride = [d.rng.choice([1, 2, 2, 3]) for _ in "yx"]
    if same:
        outputs = [n * s for n, s in zip(sizes, stride, strict=True)]
        if d.chance(0.3):
            outputs = [
                max(1, n - d.rng.randint(0, s - 1)) for n, s in zip(outputs, stride, strict=True)
            ]
    else:
        outputs = [(n - 1) * s + k for n, s, k in zip(sizes, stride, kernel, strict=True)]
    x = d.tensor((batch, *sizes, depth), "float32" if dtype == "hybrid" else dtype)
    w = weights(d, (channels, *kernel, depth), 0, dtype)
    shape = (batch, *outputs, channels)
    inputs = [d.integers(shape), w, x, *bias(d, x, w, channels, dtype, wide_only=True)]
    out = result(d, x, w, shape, dtype)
    d.emit(
        "TRANSPOSE_CONV",
        inputs,
        [out],
        "TransposeConvOptions",
        Padding=int(not same),
        StrideH=stride[0],
        StrideW=stride[1],
        FusedActivationFunction=d.rng.choice([0, 0, 1]),
    )


def pooling(d: Drawing) -> None:
    name = d.rng.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"])
    dtype = (
        "float32" if name == "L2_POOL_2D" else d.rng.choice(["int8", "uint8", "int16", "float32"])
    )
    same = d.chance(0.5)
    sizes = [d.rng.randint(1, 9) for _ in "yx"]
    kernel, stride = [d.rng.randint(1, 4) for _ in "yx"], [d.rng.choice([1, 2, 3]) for _ in "yx"]
    outputs = [output(n, k, s, 1, same) for n, k, s in zip(sizes, kernel, stride, strict=True)]
    if min(outputs) < 1:
        return pooling(d)
    batch, depth = d.rng.choice([1, 1, 2]), d.rng.randint(1, 6)
    quantization = d.quantization(dtype) if dtype != "float32" else None
    x = d.tensor((batch, *sizes, depth), dtype, quantization)
    out = d.tensor((batch, *outputs, depth), dtype, quantization)
    return d.emit(
        name,
        [x],
        [out],
        "Pool2DOptions",
        Padding=int(not same),
        StrideH=stride[0],
        StrideW=stride[1],
        FilterHeight=kernel[0],
        FilterWidth=kernel[1],
        FusedActivationFunction=d.rng.choice(ACTIVATIONS),
    )


def resize(d: Drawing) -> None:
    name = d.rng.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
    dtype = d.rng.choice(["int8", "uint8", "int16", "float32"])
    batch, depth = d.rng.choice([1, 1, 2]), d.rng.randint(1, 4)
    sizes, outputs = ([d.rng.randint(1, 8) for _ in "yx"] for _ in range(2))
    if d.chance(0.5):
        outputs = [n * d.rng.choice([1, 2, 3, 4]) for n in sizes]
    align, half = d.rng.choice([(False, False), (True, False), (False, True)])
    quantization = d.quantization(dtype) if dtype != "float32" else None
    x = d.tensor((batch, *sizes, depth), dtype, quantization)
    out = d.tensor((batch, *outputs, depth), dtype, quantization)
    options = (
        "ResizeBilinearOptions" if name == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    )
    d.emit(
        name, [x, d.integers(outputs)], [out], options, AlignCorners=align, HalfPixelCenters=half
    )


DRAWS = (
    convolution,
    convolution,
    convolution,
    convolution,
    fully_connected,
    fully_connected,
    transpose_convolution,
    transpose_convolution,
    pooling,
    pooling,
    resize,
    resize,
)
