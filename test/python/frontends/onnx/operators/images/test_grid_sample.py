"""GridSample and AffineGrid, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

FORMS: list[dict[str, Any]] = [
    {"mode": mode, "padding_mode": padding, "align_corners": align}
    for mode in ("linear", "nearest", "cubic")
    for padding in ("zeros", "border", "reflection")
    for align in (0, 1)
]


def _grid(*shape: int) -> Any:
    """Return coordinates, of which some are far outside of the image."""
    return np.random.default_rng(4).uniform(-2.5, 2.5, shape).astype(np.float32)


def _f32(*shape: int) -> Any:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    "form", sweep(FORMS, fast=2), ids=lambda form: "-".join(map(str, form.values()))
)
def test_elements_at_a_grid_equal_the_reference(form: dict[str, Any], tmp_path: Path) -> None:
    net = OnnxNetwork()
    image = net.op("Relu", net.input("x", [2, 3, 5, 4]))
    net.output_of(
        net.op("GridSample", image, net.input("grid", [2, 4, 6, 2]), **form), "float32", 4
    )
    path, data = net.save(tmp_path / "net.onnx"), [_f32(2, 3, 5, 4), _grid(2, 4, 6, 2)]
    golden = reference(path, data)[0]
    y = forebay.compile(path).run(*data)
    assert np.abs(y - golden).max() <= 2e-6 * np.abs(golden).max()


def test_a_volume_at_a_grid_equals_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    image, grid = net.input("x", [1, 2, 3, 4, 5]), net.input("grid", [1, 2, 3, 2, 3])
    net.output_of(net.op("GridSample", image, grid, padding_mode="border"), "float32", 5)
    path, data = net.save(tmp_path / "net.onnx"), [_f32(1, 2, 3, 4, 5), _grid(1, 2, 3, 2, 3)]
    golden = reference(path, data)[0]
    assert np.abs(forebay.compile(path).run(*data) - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("align_corners", [0, 1])
def test_a_spatial_transformer_equals_the_reference(align_corners: int, tmp_path: Path) -> None:
    net = OnnxNetwork()
    image, theta = net.input("x", [2, 3, 5, 4]), net.input("theta", [2, 2, 3])
    size = net.constant(np.array([2, 3, 6, 5], np.int64))
    grid = net.op("AffineGrid", theta, size, align_corners=align_corners)
    net.output_of(net.op("GridSample", image, grid, align_corners=align_corners), "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), [_f32(2, 3, 5, 4), _grid(2, 2, 3)]
    golden = reference(path, data)[0]
    assert np.abs(forebay.compile(path).run(*data) - golden).max() <= 2e-6 * np.abs(golden).max()


def test_a_grid_for_another_image_is_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    image, grid = net.input("x", [1, 2, 4, 4]), net.input("grid", [1, 4, 6, 3])
    net.output_of(net.op("GridSample", image, grid), "float32", 4)
    with pytest.raises(Error, match=r"a grid of shape \[1, 4, 6, 3\] for \[1, 2, 4, 4\]"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
