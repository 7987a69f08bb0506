"""Which operators become calls of the library, and that the calls compute TFLite's values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import networks
from common.drivers.kernel_library import linked
from common.sweep import sweep, sweep_cases
from numpy.typing import NDArray
from zoo.layers import Net

import forebay
from forebay.emulator.memory.faults import OutOfRange
from forebay.network.engine import DeviceError
from forebay.targets.cmsis_nn import patterns
from forebay.targets.cmsis_nn.sizes import EXTENSIONS

ZOO = Path(__file__).parents[3] / "zoo"
BATCH, CHANNELS = 3, 10


def _rows(net: Net) -> tuple[int, int]:
    x = net.value((1, 1, 12, 4), 1.0, "x", 7)
    filters, bias, deviation = net.weights(x, (6, 1, 5, 4), 0)
    y = net.value((1, 1, 6, 6), deviation)
    fields = {"StrideH": 1, "StrideW": 2}
    return x, net.emit("CONV_2D", [x, filters, bias], [y], "Conv2DOptions", **fields)


def _dilated(net: Net) -> tuple[int, int]:
    x = net.value((1, 9, 8, 3), 1.0, "x", -5)
    filters, bias, deviation = net.weights(x, (5, 3, 2, 3), 0)
    y = net.value((1, 9, 8, 5), deviation)
    fields = {"StrideH": 1, "StrideW": 1, "DilationHFactor": 2, "DilationWFactor": 3}
    return x, net.emit("CONV_2D", [x, filters, bias], [y], "Conv2DOptions", **fields)


def _dilated_depthwise(net: Net) -> tuple[int, int]:
    return _depthwise(net, 4, 1, 2)


def _one_channel(net: Net) -> tuple[int, int]:
    return _depthwise(net, 1, 12, 1)


def _channel_pairs(net: Net) -> tuple[int, int]:
    return _depthwise(net, 4, 2, 1)


def _large_depthwise(net: Net) -> tuple[int, int]:
    return _depthwise(net, 6, 1, 1, kernel=(5, 4))


def _depthwise(
    net: Net, depth: int, multiplier: int, dilation: int, kernel: tuple[int, int] = (3, 3)
) -> tuple[int, int]:
    x = net.value((1, 7, 10, depth), 1.0, "x", 9)
    filters, bias, deviation = net.weights(x, (1, *kernel, depth * multiplier), 3)
    y = net.value((1, 7, 10, depth * multiplier), deviation)
    fields = {"StrideH": 1, "StrideW": 1, "DepthMultiplier": multiplier}
    fields |= {"DilationHFactor": dilation, "DilationWFactor": dilation}
    options = "DepthwiseConv2DOptions"
    return x, net.emit("DEPTHWISE_CONV_2D", [x, filters, bias], [y], options, **fields)


def _batch(net: Net) -> tuple[int, int]:
    x = net.value((BATCH, 20), 1.0, "x", 11)
    return x, net.softmax(net.dense(x, CHANNELS, gain=3))


def _channel_factors(net: Net) -> tuple[int, int]:
    x = net.value((2, 20), 1.0, "x", 11)
    filters, bias, deviation = net.weights(x, (CHANNELS, 20), 0)
    y = net.value((2, CHANNELS), deviation)
    return x, net.emit("FULLY_CONNECTED", [x, filters, bias], [y], "FullyConnectedOptions")


def _images(net: Net) -> tuple[int, int]:
    x = net.value((2, 5, 5, 3), 1.0, "x", 11)
    return x, net.conv(x, 4, 3)


def _pools(net: Net) -> tuple[int, int]:
    x = net.value((1, 9, 7, 6), 1.0, "x", -11)
    y = x
    for kind, shape in (("MAX_POOL_2D", (1, 5, 4, 6)), ("AVERAGE_POOL_2D", (1, 3, 2, 6))):
        out = net.value(shape, 1.0, zero=-11)
        fields = {"FilterHeight": 3, "FilterWidth": 2, "StrideH": 2, "StrideW": 2}
        fields["FusedActivationFunction"] = 1
        y = net.emit(kind, [y], [out], "Pool2DOptions", **fields)
    return x, y


Draw = Callable[[Net], tuple[int, int]]
TAKEN: dict[Draw, tuple[str, ...]] = {
    _rows: ("convolve",),
    _dilated: ("convolve",),
    _one_channel: ("depthwise_of_one_channel",),
    _large_depthwise: ("depthwise",),
    _batch: ("fully_connected", "softmax"),
    _channel_factors: ("fully_connected",),
    _pools: ("max_pool", "average_pool"),
}
"""Networks that run on the library as a whole, with their patterns."""
REFUSED: dict[Draw, str] = {
    _dilated_depthwise: "cmsis_nn.depthwise needs no dilation",
    _channel_pairs: "cmsis_nn.depthwise needs a depth multiplier of 1",
    _images: "cmsis_nn.convolve needs a batch of 1",
}
"""Networks that stay with the host, with the reason in the off-load report."""


def _written(draw: Draw, directory: Path) -> Path:
    net = Net(4)
    x, y = draw(net)
    path = directory / f"{draw.__name__.strip('_')}.tflite"
    path.write_bytes(net.file([x], [y]))
    return path


def _drawn(network: forebay.Compiled, seed: int = 0) -> NDArray[Any]:
    shape = network.inputs[0].shape
    return np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8)


@pytest.mark.parametrize("extension", sweep(["mve", "dsp", "none"]))
@pytest.mark.parametrize("draw", TAKEN, ids=lambda it: it.__name__.strip("_"))
def test_layers_run_on_the_library(draw: Draw, extension: str, tmp_path: Path) -> None:
    path = _written(draw, tmp_path)
    network = forebay.compile(path, target=f"cmsis_nn:extension={extension}")
    assert network.offload is not None
    found = [it.pattern for it in network.offload.operators if it.device == "cmsis_nn"]
    assert found == list(TAKEN[draw])
    x = _drawn(network)
    expected = forebay.compile(path).run(x)
    np.testing.assert_array_equal(network.run(x, engine="emulator"), expected)
    np.testing.assert_array_equal(linked(network, extension).run([x])[0], expected)


@pytest.mark.parametrize("draw", REFUSED, ids=lambda it: it.__name__.strip("_"))
def test_what_the_library_does_not_take_stays_with_the_host(draw: Draw, tmp_path: Path) -> None:
    network = forebay.compile(_written(draw, tmp_path), target="cmsis_nn")
    assert network.offload is not None
    assert REFUSED[draw] in [r for it in network.offload.operators for r in it.reasons]
    assert not any(it.device == "cmsis_nn" for it in network.offload.operators)


@pytest.mark.parametrize("sums", sweep(["run", "constant"]))
@pytest.mark.parametrize("extension", sweep(["mve", "dsp", "none"]))
def test_digits_run_on_the_library(digits: Path, extension: str, sums: str) -> None:
    network = networks.compiled(digits, target=f"cmsis_nn:extension={extension},sums={sums}")
    images = np.load(digits.with_name("digits_heldout.npz"))
    library = linked(network, extension)
    for image, expected in zip(images["inputs"][:20], images["outputs"][:20], strict=True):
        np.testing.assert_array_equal(library.run([image[None]])[0][0], expected)
    x, expected = images["inputs"][:1], images["outputs"][:1]
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(network.run(x, engine=engine), expected)


@pytest.mark.parametrize("extension", sweep(["dsp", "mve"]))
@pytest.mark.parametrize("name", ["autoencoder_int8", "residual_int8", "separable_int8"])
def test_networks_of_the_zoo(name: str, extension: str) -> None:
    golden = np.load(ZOO / f"{name}.npz")
    network = forebay.compile(ZOO / f"{name}.tflite", target=f"cmsis_nn:extension={extension}")
    expected = golden["out0_0"]
    np.testing.assert_array_equal(linked(network, extension).run([golden["in0_0"]])[0], expected)
    np.testing.assert_array_equal(network.run(golden["in0_0"], engine="emulator"), expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "extension"),
    [
        *((n, e) for n in ("kws_dscnn_int8", "ad01_int8") for e in EXTENSIONS),
        *(("person_detect_int8", "dsp"), ("person_detect_int8", "mve")),
        *(("resnet8_int8", "dsp"), ("resnet8_int8", "mve"), ("mobilenetv2_tf2_int8", "mve")),
    ],
)
def test_shared_networks_have_the_bits_of_tflite_micro(
    name: str, extension: str, shared_models: Path
) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    path = shared_models / f"{name}.tflite"
    network = forebay.compile(path, target=f"cmsis_nn:extension={extension}")
    library = linked(network, extension)
    for step in range(2):
        result = library.run([golden[f"in{step}_0"]])[0]
        np.testing.assert_array_equal(result, golden[f"out{step}_0"])
    for engine in ("emulator", "c", "llvm"):
        result = network.run(golden["in0_0"], engine=engine)
        np.testing.assert_array_equal(result, golden["out0_0"])


FORMULAS = [
    ("mve", _rows, "convolution_bytes"),
    ("dsp", _large_depthwise, "depthwise_bytes"),
    ("dsp", _pools, "average_pool_bytes"),
    ("none", _rows, "convolution_bytes"),
    ("mve", _one_channel, "depthwise_bytes"),
]


@pytest.mark.parametrize(("extension", "draw", "formula"), sweep_cases(FORMULAS, 3))
def test_a_context_buffer_that_is_a_byte_too_small_is_found(
    extension: str, draw: Draw, formula: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(patterns, formula)
    monkeypatch.setattr(patterns, formula, lambda *a, **sizes: right(*a, **sizes) - 1)
    path = _written(draw, tmp_path)
    network = forebay.compile(path, target=f"cmsis_nn:extension={extension}")
    with pytest.raises(OutOfRange):
        network.run(_drawn(network), engine="emulator")
    with pytest.raises(DeviceError, match="has returned -1 by cmsis_nn at "):
        linked(network, extension).run([_drawn(network)])
