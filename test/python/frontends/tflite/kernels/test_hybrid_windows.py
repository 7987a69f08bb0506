"""Convolutions of float data with int8 weights: images are quantised at run time, as in LiteRT."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.oracles.quantised_rows import asymmetric, symmetric
from common.tflite_engines import assert_all_give
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

IMAGES, HEIGHT, WIDTH, DEPTH, CHANNELS = 3, 6, 5, 4, 8
SCALES = np.linspace(0.002, 0.02, CHANNELS).astype(np.float32)
BIAS = np.random.default_rng(3).standard_normal(CHANNELS).astype(np.float32)


def weights(*, depthwise: bool, groups: int = 1) -> np.ndarray:
    shape = (1, 3, 3, CHANNELS) if depthwise else (CHANNELS, 3, 3, DEPTH // groups)
    return np.random.default_rng(2).integers(-127, 128, shape, dtype=np.int8)


def network(*, depthwise: bool, per_channel: bool, activation: int, groups: int = 1) -> bytes:
    values = weights(depthwise=depthwise, groups=groups)
    scales = [float(s) for s in SCALES] if per_channel else 0.01
    tensors = [
        T((IMAGES, HEIGHT, WIDTH, DEPTH), "float32"),
        T(values.shape, "int8", scales, 0, values, dimension=3 if depthwise else 0),
        T((IMAGES, HEIGHT, WIDTH, CHANNELS), "float32"),
        constant(BIAS, "float32"),
    ]
    fields = {"StrideH": 1, "StrideW": 1, "FusedActivationFunction": activation}
    if depthwise:
        fields["DepthMultiplier"] = CHANNELS // DEPTH
    name = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    options = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    return single(Op(name, [0, 1, 3], [2], options, fields, 6), tensors)


def images() -> np.ndarray:
    x = np.random.default_rng(1).standard_normal((IMAGES, HEIGHT, WIDTH, DEPTH)) + 0.4
    x[1] *= 100
    x[2] = 0
    return x.astype(np.float32)


def quantised(x: np.ndarray, *, per_channel: bool) -> tuple[np.ndarray, np.ndarray]:
    """Images without their zero points, and the factor of each."""
    values, factors = (asymmetric if per_channel else symmetric)(x.reshape(IMAGES, -1))
    return values.reshape(x.shape), factors


def expected(x: np.ndarray, *, depthwise: bool, per_channel: bool, groups: int = 1) -> np.ndarray:
    values, factor = quantised(x, per_channel=per_channel)
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    w = weights(depthwise=depthwise, groups=groups).astype(np.float64)
    sums = np.zeros((IMAGES, HEIGHT, WIDTH, CHANNELS))
    for channel in range(CHANNELS):
        for ky in range(3):
            for kx in range(3):
                window = padded[:, ky : ky + HEIGHT, kx : kx + WIDTH]
                if depthwise:
                    source = window[..., channel // (CHANNELS // DEPTH)]
                    sums[..., channel] += source * w[0, ky, kx, channel]
                else:
                    first = channel // (CHANNELS // groups) * (DEPTH // groups)
                    source = window[..., first : first + DEPTH // groups]
                    sums[..., channel] += source @ w[channel, ky, kx]
    scales = SCALES if per_channel else np.float32(0.01)
    return (sums * scales * factor[:, None, None, None] + BIAS).astype(np.float32)


@pytest.mark.parametrize(
    ("depthwise", "per_channel", "groups"),
    [(False, True, 1), (False, True, 2), (False, False, 1), (True, True, 1)],
)
def test_images_are_quantised_one_by_one(
    depthwise: bool, per_channel: bool, groups: int, tmp_path: Path
) -> None:
    kind = {"depthwise": depthwise, "per_channel": per_channel, "groups": groups}
    x = images()
    assert_all_give(network(**kind, activation=0), tmp_path, [x], [expected(x, **kind)])


def test_the_activation_clamps(tmp_path: Path) -> None:
    kind = {"depthwise": False, "per_channel": True}
    wanted = expected(images(), **kind).clip(0, 6)
    assert_all_give(network(**kind, activation=3), tmp_path, [images()], [wanted])


def test_depthwise_weights_of_one_scale_are_refused(context: ir.Context) -> None:
    file = network(depthwise=True, per_channel=False, activation=0)
    with pytest.raises(UnsupportedModel, match="one scale per channel"):
        import_model(file)
