"""Post-training quantisation: convert float weights and ranges to TFLite's integers.

Activations are int8 per tensor, over the range seen in training. Filters are int8 and symmetric,
per output channel (per tensor for FULLY_CONNECTED). Biases are int32, at input scale x filter
scale.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data import INPUT_SCALE, INPUT_ZERO_POINT
from net import INPUT, LAYERS, SHAPES, Layer
from numpy.typing import NDArray

FLOAT_WEIGHTS = Path(__file__).with_name("digits_float.npz")
CHANNEL_AXIS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3}


@dataclass(frozen=True)
class Quantisation:
    """A quantisation real = scale * (code - zero_point); several scales are along `axis`."""

    scale: NDArray[np.float32]
    zero_point: int = 0
    axis: int = 0


@dataclass(frozen=True)
class TensorSpec:
    """A tensor of the model; a constant has `data`, an activation has None."""

    name: str
    shape: tuple[int, ...]
    quantisation: Quantisation | None
    data: NDArray[np.int8] | NDArray[np.int32] | None = None


def quantised_tensors(path: Path = FLOAT_WEIGHTS) -> list[TensorSpec]:
    """Return the input, then the constants and the output of each layer, in the model's order."""
    with np.load(path) as file:
        floats = dict(file)
    known = {INPUT: Quantisation(np.array([INPUT_SCALE]), INPUT_ZERO_POINT)}
    tensors = [TensorSpec(INPUT, SHAPES[INPUT], known[INPUT])]
    for layer in LAYERS:
        source = known[layer.inputs[0]]
        if layer.has_weights:
            tensors += _constants(layer, source, floats)
        if layer.operator == "RESHAPE":
            shape = np.array(layer.shape, np.int32)
            tensors.append(TensorSpec(f"{layer.output}/shape", shape.shape, None, shape))
        known[layer.output] = _output_quantisation(layer, source, floats)
        tensors.append(TensorSpec(layer.output, layer.shape, known[layer.output]))
    return tensors


def _constants(
    layer: Layer, source: Quantisation, floats: dict[str, NDArray[np.float32]]
) -> list[TensorSpec]:
    weight, bias = floats[f"{layer.output}/weight"], floats[f"{layer.output}/bias"]
    axis = CHANNEL_AXIS.get(layer.operator)
    others = tuple(i for i in range(weight.ndim) if i != axis)
    widest = np.abs(weight).max(axis=others, keepdims=True)
    scale = (widest / np.float32(127)).astype(np.float32)
    codes = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
    bias_scale = (scale.ravel() * source.scale).astype(np.float32)
    bias_codes = np.rint(bias / bias_scale.astype(np.float64)).astype(np.int32)
    filter_quantisation = Quantisation(scale.ravel(), 0, axis or 0)
    return [
        TensorSpec(f"{layer.output}/weight", weight.shape, filter_quantisation, codes),
        TensorSpec(f"{layer.output}/bias", bias.shape, Quantisation(bias_scale), bias_codes),
    ]


def _output_quantisation(
    layer: Layer, source: Quantisation, floats: dict[str, NDArray[np.float32]]
) -> Quantisation:
    if layer.keeps_quantisation:
        return source
    if layer.operator == "SOFTMAX":  # fixed by TFLite: probabilities in 256 steps
        return Quantisation(np.array([1 / 256], np.float32), -128)
    low, high = (float(x) for x in floats[f"{layer.output}/range"])
    low, high = min(low, 0.0), max(high, 0.0)  # zero must be exact: padding relies on it
    scale = np.float32((high - low) / 255)
    zero_point = int(np.clip(np.rint(-128 - low / float(scale)), -128, 127))
    return Quantisation(np.array([scale]), zero_point)
