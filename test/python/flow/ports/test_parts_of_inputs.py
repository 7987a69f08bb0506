"""Parts of an input, with gaps, whose dimensions are then collapsed: the copy has a pool."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.model_file import Graph, Op, T, constant
from common.tflite_reference import micro

import forebay
from forebay.driver.compiled import EngineName

from .graphs import written

ENGINES: tuple[EngineName, ...] = ("c", "llvm", "emulator")
PART = T((3, 5, 2, 4), "int8", 1 / 16, 0)
SLICE = Op("SLICE", [0, 1, 2], [3], "SliceOptions")
TENSORS = (
    T((3, 5, 5, 17), "int8", 1 / 16, 0),
    constant([0, 0, 3, 0]),
    constant(PART.shape),
    PART,
)
GRAPHS = {
    "mean": Graph(
        [*TENSORS, T((1, 1, 1, 1), "int8", 1 / 64, 3), constant([0, 1, 2, 3])],
        [0],
        [4],
        [SLICE, Op("MEAN", [3, 5], [4], "ReducerOptions", {"KeepDims": True})],
    ),
    "reshape": Graph(
        [*TENSORS, T((6, 20), "int8", 1 / 16, 0), constant([6, 20])],
        [0],
        [4],
        [SLICE, Op("RESHAPE", [3, 5], [4], "ReshapeOptions", {"NewShape": [6, 20]})],
    ),
    "reshape twice": Graph(
        [*TENSORS, T((120,), "int8", 1 / 16, 0), constant([120]), T((120,), "int8", 1 / 16, 0)],
        [0],
        [4, 6],
        [
            SLICE,
            Op("RESHAPE", [3, 5], [4], "ReshapeOptions", {"NewShape": [120]}),
            Op("RELU", [4], [6]),
        ],
    ),
}


@pytest.mark.parametrize("io", ["caller", "pool"])
@pytest.mark.parametrize("target", ["host", "fetch_conv"])
@pytest.mark.parametrize("kind", GRAPHS)
def test_every_engine_has_tflite_micro_s_bits(
    kind: str, target: str, io: Literal["caller", "pool"], tmp_path: Path
) -> None:
    path = written(GRAPHS[kind], tmp_path)
    x = np.random.default_rng(0).integers(-128, 128, TENSORS[0].shape).astype(np.int8)
    expected = micro(path.read_bytes(), [x])
    compiled = forebay.compile(path, target=target, io=io)
    for engine in ENGINES:
        result = compiled.run(x, engine=engine)
        outputs = result if isinstance(result, tuple) else (result,)
        for one, other in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(one, other, engine)


def test_there_is_one_copy_of_the_part_alone(tmp_path: Path) -> None:
    compiled = forebay.compile(written(GRAPHS["mean"], tmp_path))
    assert compiled.plan.peak("workspace") == 120
