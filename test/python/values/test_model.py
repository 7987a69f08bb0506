"""What a model computes between its operators: TFLite Micro's tensors, and lines of a module."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common import networks

import forebay
from forebay.ir.locations import ModelLocation, shortened


@pytest.mark.parametrize("target", ["host", "fetch_conv"])
def test_every_tensor_is_tflite_micro_s(target: str, shared_models: Path) -> None:
    from common.models.expose import expose
    from common.tflite_reference import micro

    path = shared_models / "kws_dscnn_int8.tflite"
    file, names = expose(path.read_bytes())
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as arrays:
        x, y = arrays["in0_0"], arrays["out0_0"]
    golden = dict(zip(map(shortened, names), micro(file, [x]), strict=True))
    model = forebay.compile(path, target=target).values()
    values = model.run([x])
    assert len(model.tensors.all) == len(names) == 13
    for tensor in model.tensors.all:
        name = tensor.name.partition(" (")[2].removesuffix(")")
        np.testing.assert_array_equal(values.tensors[tensor.origin], golden[name], err_msg=name)
    np.testing.assert_array_equal(values.outputs[0], y)


def test_state_goes_from_one_run_to_the_next(shared_models: Path) -> None:
    model = networks.compiled(shared_models / "mww_vad_int8.tflite").values()
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        for _ in range(2):  # a reset starts again
            model.reset()
            for x, y in zip(sequence["x"][:4], sequence["y"], strict=False):
                np.testing.assert_array_equal(model.run([x]).outputs[0].view(np.uint8), y)


TOSA = """
func.func @main(%x: tensor<2x3xi32> {accel.name = "x"}) -> (tensor<2x3xi32>, tensor<2x1xi32>) {
  %a = tosa.add %x, %x : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %b = tosa.abs %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %c = tosa.reduce_sum %b {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %unused = tosa.abs %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %b, %c : tensor<2x3xi32>, tensor<2x1xi32>
}
"""


def test_a_module_has_the_results_of_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "two.mlir"
    path.write_text(TOSA, "utf-8")
    model = forebay.compile(path).values()
    x = np.array([[1, -2, 3], [-4, 5, -7]], np.int32)
    values = model.run([x])
    places = {origin.line: array for origin, array in values.tensors.items()}
    assert sorted(places) == [3, 4, 5]  # an unused tensor is not between operators
    assert {Path(origin.file).name for origin in values.tensors} == {"two.mlir"}
    np.testing.assert_array_equal(places[3], 2 * x)
    np.testing.assert_array_equal(places[4], abs(2 * x))
    np.testing.assert_array_equal(places[5], [[12], [32]])
    np.testing.assert_array_equal(values.outputs[0], places[4])
    np.testing.assert_array_equal(values.outputs[1], places[5])


def test_a_device_s_layout_is_read_off_what_stands_behind_its_calls(shared_models: Path) -> None:
    """Channel 17 of pixel (3, 2) of 25x5 is lane 1 of block 1."""
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", target="fetch_conv")
    layouts = compiled.values().tensors.layouts
    first = layouts[ModelLocation("kws_dscnn_int8.tflite", 0, 0)]
    assert first.shape == (4, 25, 5, 16)
    nhwc = first.elements.reshape(1, 25, 5, 64)
    assert nhwc[0, 3, 2, 17] == ((1 * 25 + 3) * 5 + 2) * 16 + 1
    assert sorted(first.elements) == list(range(25 * 5 * 64))
    last = layouts[ModelLocation("kws_dscnn_int8.tflite", 11, 0)]  # 12 of 16 lanes
    assert (last.shape, list(last.elements)) == ((1, 1, 1, 16), list(range(12)))
