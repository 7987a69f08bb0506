"""Detections: TFLite Micro's bits on every engine, in the regular and in the fast form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.sweep import sweep
from common.tflite_engines import ENGINES, interpreted
from common.tflite_reference import micro
from mlir import ir

import forebay
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import import_model

Options = Mapping[str, object]
NONE: Options = {}
OPTIONS: Options = {
    **{"max_detections": 6, "max_classes_per_detection": 1, "num_classes": 3},
    **{"nms_score_threshold": 0.3, "nms_iou_threshold": 0.5},
    **{"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0},
}
REGULAR = {"use_regular_nms": True}


def network(
    inputs: Sequence[np.ndarray], options: Options = NONE, *, has_shapes: bool = True
) -> bytes:
    given = {**OPTIONS, **options}
    most = int(str(given["max_detections"]))
    tensors = [T(x.shape, "float32") for x in inputs[:2]]
    tensors.append(constant(inputs[2], "float32"))
    for shape in ((1, most, 4), (1, most), (1, most), (1,)):
        tensors.append(T(shape if has_shapes else (), "float32"))
    return single(operator(given), tensors)


def operator(options: Options) -> Op:
    return Op("TFLite_Detection_PostProcess", [0, 1, 2], [3, 4, 5, 6], custom=options)


def drawn(seed: int, boxes: int, columns: int, coordinates: int = 4) -> list[np.ndarray]:
    """Encodings, scores of which many are equal, and anchors that overlap."""
    rng = np.random.default_rng(seed)
    anchors = [rng.uniform(0, 1, (boxes, 2)), rng.uniform(0.1, 0.5, (boxes, 2))]
    arrays = [
        rng.normal(0, 1, (1, boxes, coordinates)),
        rng.integers(0, 20, (1, boxes, columns)) / 20,
        np.concatenate(anchors, 1),
    ]
    return [a.astype(np.float32) for a in arrays]


def assert_equal(found: Sequence[np.ndarray], expected: Sequence[np.ndarray], who: str) -> None:
    """All bits; behind the last detection there are zeros."""
    last = int(expected[3][0])
    for one, other in zip(found, expected, strict=True):
        if other.ndim == 1:
            np.testing.assert_array_equal(one, other, err_msg=who)
            continue
        np.testing.assert_array_equal(one[:, :last], other[:, :last], err_msg=who)
        assert not one[:, last:].any(), who


def assert_all_equal_micro(
    inputs: Sequence[np.ndarray],
    folder: Path,
    options: Options = NONE,
    engines: Sequence[str] = ENGINES,
) -> int:
    """Return the number of detections."""
    file = network(inputs, options)
    expected = micro(file, inputs[:2])
    (folder / "network.tflite").write_bytes(file)
    compiled = forebay.compile(folder / "network.tflite")
    for engine in engines:
        found: Any = compiled.run(*inputs[:2], engine=engine)
        assert_equal(found, expected, engine)
    assert_equal(interpreted(file, inputs[:2]), expected, "interpreter")
    return int(expected[3][0])


@pytest.mark.parametrize("background", [0, 1])
@pytest.mark.parametrize("form", [{}, REGULAR])
def test_both_forms_have_tflite_micros_bits(form: Options, background: int, tmp_path: Path) -> None:
    inputs = drawn(background, 30, 3 + background)
    assert assert_all_equal_micro(inputs, tmp_path, form) == 6


@pytest.mark.parametrize("seed", sweep(list(range(2, 12)), 1))
@pytest.mark.parametrize("form", [{}, REGULAR])
def test_overlap_ends_the_detections_early(form: Options, seed: int, tmp_path: Path) -> None:
    options = {**form, "nms_iou_threshold": 0.1, "max_detections": 75, "nms_score_threshold": 0.2}
    found = assert_all_equal_micro(drawn(seed, 25, 3), tmp_path, options, ["c"])
    assert 0 < found < 75


def test_a_class_has_no_more_detections_than_it_may(tmp_path: Path) -> None:
    inputs = drawn(12, 30, 4)
    assert assert_all_equal_micro(inputs, tmp_path, {**REGULAR, "detections_per_class": 1}) == 3


def test_without_a_score_above_the_threshold_all_is_zero(tmp_path: Path) -> None:
    inputs = drawn(13, 10, 3)
    assert assert_all_equal_micro(inputs, tmp_path, {"nms_score_threshold": 2.0}, ["c"]) == 0


def test_one_class_and_more_detections_than_boxes(tmp_path: Path) -> None:
    inputs = drawn(14, 4, 1, coordinates=6)
    options = {"num_classes": 1, "nms_iou_threshold": 1.0, "nms_score_threshold": -1.0}
    assert assert_all_equal_micro(inputs, tmp_path, options, ["c"]) == 4


def test_uint8_is_dequantised_first(tmp_path: Path) -> None:
    """TFLite Micro refuses it; these are its bits for the numbers that uint8 stands for."""
    rng = np.random.default_rng(15)
    shapes = ((1, 20, 4), (1, 20, 4), (20, 4))
    stored = [rng.integers(0, 256, shape, dtype=np.uint8) for shape in shapes]
    forms = [(0.05, 128), (0.0039, 0), (0.003, 0)]
    stored[2] = np.maximum(stored[2], 30)
    reals = [
        (x.astype(np.float32) - np.float32(z)) * np.float32(s)
        for x, (s, z) in zip(stored, forms, strict=True)
    ]
    tensors = [T(x.shape, "uint8", s, z) for x, (s, z) in zip(stored, forms, strict=True)]
    tensors[2].data = stored[2]
    tensors += [T(shape, "float32") for shape in ((1, 6, 4), (1, 6), (1, 6), (1,))]
    (tmp_path / "network.tflite").write_bytes(single(operator(OPTIONS), tensors))
    found: Any = forebay.compile(tmp_path / "network.tflite").run(*stored[:2])
    assert_equal(found, micro(network(reals), reals[:2]), "c")


def test_the_file_may_lack_the_shapes_of_the_results(tmp_path: Path) -> None:
    inputs = drawn(16, 8, 3)
    (tmp_path / "network.tflite").write_bytes(network(inputs, has_shapes=False))
    found: Any = forebay.compile(tmp_path / "network.tflite").run(*inputs[:2])
    assert [x.shape for x in found] == [(1, 6, 4), (1, 6), (1, 6), (1,)]


def test_several_classes_per_detection_are_refused(context: ir.Context) -> None:
    file = network(drawn(0, 8, 3), {"max_classes_per_detection": 2})
    with pytest.raises(UnsupportedModel, match="several classes per detection"):
        import_model(file)


@pytest.mark.parametrize(
    "option",
    [
        {"max_detections": 0},
        {"num_classes": 7},
        {"nms_iou_threshold": 0.0},
        {"nms_score_threshold": "high"},
        {"h_scale": 0.0},
    ],
)
def test_wrong_options_are_refused(context: ir.Context, option: Options) -> None:
    with pytest.raises(MalformedModel, match="TFLite_Detection_PostProcess"):
        import_model(network(drawn(0, 8, 3), option))
