from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, micro, ours, random_float, random_int8
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

MODES = [(False, False), (True, False), (False, True)]


def resize(name: str, size, out, *, corners: bool, centers: bool, dtype: str = "int8") -> bytes:
    scale = 0.05 if dtype == "int8" else None
    tensors = [
        T((1, *size, 3), dtype, scale, -6),
        constant(out),
        T((1, *out, 3), dtype, scale, -6),
    ]
    options = "ResizeBilinearOptions" if "BILINEAR" in name else "ResizeNearestNeighborOptions"
    fields = {"AlignCorners": corners, "HalfPixelCenters": centers}
    return single(Op(name, [0, 1], [2], options, fields, 3), tensors)


@pytest.mark.parametrize(("corners", "centers"), MODES)
@pytest.mark.parametrize(
    ("size", "out"),
    [((3, 4), (6, 8)), ((6, 8), (3, 4)), ((4, 4), (4, 12)), ((5, 7), (8, 9)), ((2, 3), (5, 5))],
)
def test_bilinear_is_exact(size, out, corners: bool, centers: bool) -> None:
    file = resize("RESIZE_BILINEAR", size, out, corners=corners, centers=centers)
    assert_equal_to_micro(file, random_int8(1, 1, *size, 3))


@pytest.mark.parametrize(("corners", "centers"), MODES)
@pytest.mark.parametrize(
    ("size", "out"), [((3, 4), (6, 8)), ((6, 8), (3, 4)), ((4, 4), (4, 12)), ((5, 7), (8, 9))]
)
def test_nearest_is_exact(size, out, corners: bool, centers: bool) -> None:
    file = resize("RESIZE_NEAREST_NEIGHBOR", size, out, corners=corners, centers=centers)
    assert_equal_to_micro(file, random_int8(2, 1, *size, 3))


@pytest.mark.parametrize(("corners", "centers"), MODES)
def test_float_bilinear_is_close(corners: bool, centers: bool) -> None:
    file = resize(
        "RESIZE_BILINEAR", (5, 7), (9, 12), corners=corners, centers=centers, dtype="float32"
    )
    inputs = [random_float(3, 1, 5, 7, 3)]
    np.testing.assert_allclose(ours(file, inputs)[0], micro(file, inputs)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("corners", "centers"), MODES)
@pytest.mark.parametrize("name", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
@pytest.mark.parametrize(
    ("size", "out"), [((1, 1), (3, 5)), ((1, 2), (3, 6)), ((3, 1), (1, 7)), ((2, 1), (4, 512))]
)
def test_one_element_is_every_element(name: str, size, out, corners: bool, centers: bool) -> None:
    file = resize(name, size, out, corners=corners, centers=centers)
    assert_equal_to_micro(file, random_int8(4, 1, *size, 3))


def test_one_element_becomes_at_most_512(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="of one element to more than 512; resize it in two"):
        import_model(resize("RESIZE_BILINEAR", (1, 4), (513, 4), corners=True, centers=False))


def test_a_factor_beyond_tosas_limit_is_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel) as error:
        import_model(resize("RESIZE_BILINEAR", (40, 4), (2, 4), corners=False, centers=False))
    assert str(error.value) == (
        "model.tflite: operator 0 (RESIZE_BILINEAR): not supported: a resize from [40, 4] to "
        "[2, 4]; use a factor between 1/16 and 16"
    )
