"""Files of opsets before 11: what the operators of that time compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork
from onnx import TensorProto, helper

import forebay
from forebay.errors import Error

X = np.arange(20, dtype=np.float32).reshape(4, 5) - 9
IMAGE = np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4) ** 2


def compiled(kind: str, opset: int, folder: Path, *constants: Any, **attributes: Any) -> Any:
    """A network of one operator of an opset, on X or on IMAGE."""
    net = OnnxNetwork(opset=opset)
    shape = IMAGE.shape if kind in ("Upsample", "Resize") else X.shape
    names = [net.constant(value) for value in constants]
    net.output(net.op(kind, net.input("x", shape), *names, **attributes))
    return forebay.compile(net.save(folder / "net.onnx"))


@pytest.mark.parametrize("opset", [7, 8, 9, 10])
def test_attributes_become_operands(opset: int, tmp_path: Path) -> None:
    clip = compiled("Clip", opset, tmp_path, min=-3.0, max=6.0)
    np.testing.assert_array_equal(clip.run(X), X.clip(-3, 6))
    pad = compiled("Pad", opset, tmp_path, pads=[1, 0, 0, 2], value=7.0)
    np.testing.assert_array_equal(pad.run(X), np.pad(X, ((1, 0), (0, 2)), constant_values=7))


def test_slices_of_opset_9(tmp_path: Path) -> None:
    found = compiled("Slice", 9, tmp_path, axes=[1], starts=[1], ends=[3]).run(X)
    np.testing.assert_array_equal(found, X[:, 1:3])


def _upsampled(kind: str, mode: str, folder: Path) -> Any:
    scales = np.float32([1, 1, 2, 3])
    if kind == "Upsample of opset 7":
        return compiled("Upsample", 7, folder, mode=mode, scales=scales.tolist())
    opset = 10 if kind == "Resize" else 9
    return compiled(kind, opset, folder, scales, mode=mode)


@pytest.mark.parametrize("kind", ["Upsample of opset 7", "Upsample", "Resize"])
def test_old_resizes_begin_at_the_first_element(kind: str, tmp_path: Path) -> None:
    repeated = IMAGE.repeat(2, 2).repeat(3, 3)
    np.testing.assert_array_equal(_upsampled(kind, "nearest", tmp_path).run(IMAGE), repeated)
    rows = np.interp(np.arange(6) / 2, np.arange(3), np.arange(3))
    columns = np.interp(np.arange(12) / 3, np.arange(4), np.arange(4))
    by_row = np.stack([np.interp(columns, np.arange(4), row) for row in IMAGE[0, 0]])
    by_both = np.stack([np.interp(rows, np.arange(3), column) for column in by_row.T], 1)
    found = _upsampled(kind, "linear", tmp_path).run(IMAGE)
    np.testing.assert_allclose(found[0, 0], by_both, rtol=1e-6)


def test_a_nearest_element_of_an_old_resize_is_the_one_before(tmp_path: Path) -> None:
    found = compiled("Resize", 10, tmp_path, np.float32([1, 1, 1, 1.5]), mode="nearest").run(IMAGE)
    np.testing.assert_array_equal(found, IMAGE[:, :, :, [0, 0, 1, 2, 2, 3]])


def test_scans_of_opset_8_are_refused(tmp_path: Path) -> None:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["sum", "x"], ["next"]),
            helper.make_node("Identity", ["x"], ["y"]),
        ],
        "body",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [5]) for n in ("sum", "x")],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [5]) for n in ("next", "y")],
    )
    net = OnnxNetwork(opset=8)
    state, x = net.input("state", [1, 5]), net.input("x", [1, 4, 5])
    last, _ = net.op("Scan", "", state, x, outputs=2, body=body, num_scan_inputs=1)
    net.output(last)
    with pytest.raises(Error, match="Scan of opset 8 has a batch; export the model with opset 11"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_an_opset_that_is_too_old_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Error, match="opset 6 is not supported; export the model with opset 11"):
        compiled("Relu", 6, tmp_path)


def test_what_the_converter_cannot_convert_is_refused(tmp_path: Path) -> None:
    net = OnnxNetwork(opset=8)
    statistics = [net.constant(np.ones(20, np.float32)) for _ in range(4)]
    x = net.input("x", [1, 4, 5])
    net.output(net.op("BatchNormalization", x, *statistics, spatial=0))
    with pytest.raises(Error, match=r"ONNX's converter cannot convert it from opset 8: .*spatial"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
