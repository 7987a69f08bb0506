"""Resize in the forms that exporters write, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

IMAGE = [2, 3, 5, 6]
Attributes = dict[str, Any]
# Attributes, scales of height and width, or their sizes.
FORMS: dict[str, tuple[Attributes, Any]] = {
    "linear": ({"mode": "linear"}, [2.0, 2.0]),
    "align_corners": (
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
        [10, 12],
    ),
    "pytorch": (
        {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"},
        [9, 7],
    ),
    "cubic": (
        {
            "mode": "cubic",
            "cubic_coeff_a": -0.75,
            "coordinate_transformation_mode": "pytorch_half_pixel",
        },
        [2.0, 1.5],
    ),
    "cubic inside": ({"mode": "cubic", "exclude_outside": 1}, [2.0, 3.0]),
    "asymmetric": (
        {"mode": "linear", "coordinate_transformation_mode": "asymmetric"},
        [2.0, 3.0],
    ),
    "one row": ({"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"}, [1, 4]),
    "symmetric": (
        {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"},
        [1.3, 2.1],
    ),
    "nearest": (
        {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        },
        [2.0, 1.7],
    ),
    "smaller": ({"mode": "linear"}, [2, 3]),
    "linear of all": ({"mode": "linear", "antialias": 1}, [0.5, 0.4]),
    "cubic of all": ({"mode": "cubic", "antialias": 1}, [0.5, 0.75]),
    "cubic of all inside": ({"mode": "cubic", "antialias": 1, "exclude_outside": 1}, [4, 3]),
    "larger with antialias": ({"mode": "linear", "antialias": 1}, [1.5, 0.5]),
    "within": (
        {"mode": "linear", "keep_aspect_ratio_policy": "not_larger", "axes": [2, 3]},
        [10, 13],
    ),
    "around": (
        {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
            "keep_aspect_ratio_policy": "not_smaller",
            "axes": [2, 3],
        },
        [7, 13],
    ),
}


THIRDS = ("pytorch", "asymmetric")
"""Forms whose weights are no sums of powers of two."""


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _resize(net: OnnxNetwork, x: str, form: str) -> str:
    attributes, size = FORMS[form]
    if isinstance(size[0], float):
        return net.op("Resize", x, "", net.constant(np.float32([1, 1, *size])), **attributes)
    sizes = size if "axes" in attributes else [*IMAGE[:2], *size]
    return net.op("Resize", x, "", "", net.constant(np.int64(sizes)), **attributes)


@pytest.mark.parametrize("form", sweep(FORMS, fast=4))
def test_floats_equal_the_reference(form: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output_of(_resize(net, net.input("x", IMAGE), form), "float32", 4)
    path, x = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    y, golden = forebay.compile(path).run(x), reference(path, [x])[0]
    assert y.shape == golden.shape
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("unsigned", [False, True], ids=["int8", "uint8"])
@pytest.mark.parametrize("same", [True, False], ids=["one scale", "two scales"])
@pytest.mark.parametrize("form", sweep([form for form in FORMS if form not in THIRDS], fast=2))
def test_integers_have_the_bits_of_the_reference(
    form: str, same: bool, unsigned: bool, tmp_path: Path
) -> None:
    net = OnnxNetwork(7, unsigned=unsigned)
    # Means of two and four integers of one scale are halves, which go to the even one.
    middle = 131 if unsigned else 3
    x = net.quantised(net.input("x", IMAGE), 2.0**-5, middle)
    y = _resize(net, x, form)
    net.output_of(net.quantised(y, 2.0**-5 if same else 0.0437, middle), "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    compiled = forebay.compile(path)
    golden = exact_reference(path, [data])[0].astype(np.float32)
    np.testing.assert_array_equal(compiled.run(data), golden)


@pytest.mark.parametrize("form", THIRDS)
def test_halves_of_inexact_weights_are_one_step_away_at_most(form: str, tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    y = _resize(net, net.quantised(net.input("x", IMAGE), 2.0**-5, 3), form)
    net.output_of(net.quantised(y, 2.0**-5, 3), "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    steps = (forebay.compile(path).run(data) - exact_reference(path, [data])[0]) * 2.0**5
    assert np.abs(steps).max() <= 1
    assert np.mean(steps != 0) < 0.02


def test_a_clip_behind_limits_the_integers(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    y = net.op("Relu", _resize(net, net.quantised(net.input("x", IMAGE)), "linear"))
    net.output_of(net.quantised(y, 0.03, -90), "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    golden = exact_reference(path, [data])[0].astype(np.float32)
    np.testing.assert_array_equal(forebay.compile(path).run(data), golden)


def test_an_image_of_integers_is_never_one_of_floats(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    shape = [1, 3, 16, 16]
    x = net.input("x", shape, "int8")
    at = [net.constant(np.float32(0.1)), net.constant(np.int8(3))]
    scales = net.constant(np.float32([1, 1, 2, 2]))
    y = net.op("Resize", net.op("DequantizeLinear", x, *at), "", scales, mode="linear")
    net.output_of(net.op("QuantizeLinear", y, *at), "int8", 4)
    plan = forebay.compile(net.save(tmp_path / "net.onnx")).plan
    # The image and the result, each in two orders of elements.
    assert plan.peak("workspace") <= 2 * 3 * (16 * 16 + 32 * 32)


def test_one_spatial_dimension_equals_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    scales = net.constant(np.float32([1, 1, 2]))
    net.output_of(
        net.op("Resize", net.input("x", [2, 3, 7]), "", scales, mode="linear"), "float32", 3
    )
    path, x = net.save(tmp_path / "net.onnx"), _f32(2, 3, 7)
    golden = reference(path, [x])[0]
    assert np.abs(forebay.compile(path).run(x) - golden).max() <= 1e-6 * np.abs(golden).max()


def test_many_integers_are_not_one_sum(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.quantised(net.input("x", [1, 1, 40, 40]), 0.1, 3)
    scales = net.constant(np.float32([1, 1, 0.1, 0.1]))
    y = net.op("Resize", x, "", scales, mode="linear", antialias=1)
    net.output_of(net.quantised(y, 0.1, 3), "float32", 4)
    with pytest.raises(Error, match="a sum of 400 elements of int8 for each one"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


@pytest.mark.parametrize(
    ("attributes", "scales", "error"),
    [
        (
            {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"},
            [1, 1, 2, 2],
            "the coordinates tf_crop_and_resize",
        ),
        ({"mode": "linear"}, [1, 2, 2, 2], "batch and channels stay"),
    ],
)
def test_other_forms_are_refused(
    attributes: Attributes, scales: Any, error: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x, roi = net.input("x", IMAGE), net.constant(np.zeros(8, np.float32))
    y = net.op("Resize", x, roi, net.constant(np.float32(scales)), **attributes)
    net.output_of(y, "float32", 4)
    with pytest.raises(Error, match=rf"operator 0 \(Resize\): .*{error}"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
