from __future__ import annotations

from pathlib import Path

import numpy as np
from common.model_file import Graph, Op, T, build, constant
from common.tflite_engines import assert_all_give


def test_a_shape_that_is_put_together_is_folded(tmp_path: Path) -> None:
    # RESHAPE of x to [SHAPE(x)[0], 6]
    tensors = [
        T((2, 3, 2), "float32"),
        T((3,), "int32"),
        constant([0]),
        constant([1]),
        constant([1]),
        T((), "int32"),
        constant(6),
        T((2,), "int32"),
        T((2, 6), "float32"),
        T((), "int32"),
    ]
    operators = [
        Op("SHAPE", [0], [1], "ShapeOptions", {"OutType": 2}),
        Op("STRIDED_SLICE", [1, 2, 3, 4], [5], "StridedSliceOptions", {"ShrinkAxisMask": 1}),
        Op("PACK", [5, 6], [7], "PackOptions", {"ValuesCount": 2}),
        Op("RESHAPE", [0, 7], [8], "ReshapeOptions"),
        Op("RANK", [0], [9], "RankOptions"),
    ]
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    file = build(Graph(tensors, [0], [8, 9], operators))
    assert_all_give(file, tmp_path, [x], [x.reshape(2, 6), np.array(3, np.int32)])
