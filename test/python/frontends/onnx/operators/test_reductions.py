"""ArgMax and ArgMin, compared with ONNX's reference evaluator; sums are in `test_operators.py`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

SHAPE = [2, 4, 5, 6]
FORMS: dict[str, dict[str, Any]] = {
    "classes of pixels": {"axis": 1, "keepdims": 0},
    "the last of equals": {"axis": -1, "select_last_index": 1},
    "images": {"axis": 0, "keepdims": 0},
    "channels stay": {"axis": 1},
}


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8"])
@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("form", sweep(FORMS, fast=2))
def test_indices_are_those_of_the_reference(
    form: str, kind: str, dtype: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    # The importer keeps what this Transpose gives with channels last.
    image = net.op("Transpose", net.input("x", SHAPE, dtype), perm=[0, 3, 1, 2])
    net.output(net.op(kind, image, **FORMS[form]), "int64")
    # Few values, so that many are equal.
    x = np.random.default_rng(3).integers(0, 4, SHAPE).astype(dtype)
    path = net.save(tmp_path / "net.onnx")
    y = forebay.compile(path).run(x)
    assert y.dtype == np.int64
    np.testing.assert_array_equal(y, reference(path, [x])[0])


REDUCED = [
    ("ReduceMax", "int64"),
    ("ReduceMin", "bool"),
    ("ReduceSum", "int64"),
    ("ReduceMin", "int64"),
    ("ReduceMax", "bool"),
    ("ReduceProd", "int32"),
]


@pytest.mark.parametrize("case", sweep(REDUCED, fast=2), ids=str)
def test_integers_and_truth_values_equal_the_reference(
    case: tuple[str, str], tmp_path: Path
) -> None:
    kind, dtype = case
    net = OnnxNetwork(opset=20 if dtype == "bool" else 18)
    axes = net.constant(np.array([1, 3], np.int64))
    net.output(net.op(kind, net.input("x", SHAPE, dtype), axes), dtype)
    x = np.random.default_rng(5).integers(0 if dtype == "bool" else -9, 9, SHAPE).astype(dtype)
    path = net.save(tmp_path / "net.onnx")
    y = forebay.compile(path).run(x)
    golden = reference(path, [x])[0]
    assert y.dtype == golden.dtype
    np.testing.assert_array_equal(y, golden)


def test_sums_of_other_types_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("ReduceL2", net.input("x", SHAPE, "int64")), "int64")
    with pytest.raises(Error, match=r"operator 0 \(ReduceL2\): .*operand 0 of type int64"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
