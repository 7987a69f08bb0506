from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from common.tflite_reference import random_int8

X = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)


def test_broadcast_to(tmp_path: Path) -> None:
    tensors = [T((3, 1), "float32"), constant([2, 3, 4]), T((2, 3, 4), "float32")]
    file = single(Op("BROADCAST_TO", [0, 1], [2]), tensors)
    assert_all_equal_micro(file, tmp_path, X[0, :, :1])


def test_tile(tmp_path: Path) -> None:
    tensors = [T((2, 3, 4), "float32"), constant([2, 1, 3]), T((4, 3, 12), "float32")]
    file = single(Op("TILE", [0, 1], [2]), tensors)
    assert_all_give(file, tmp_path, [X], [np.tile(X, (2, 1, 3))])


def test_tile_of_five_dimensions(tmp_path: Path) -> None:
    """The loops over ten dimensions have counters with names."""
    x = random_int8(1, 1, 2, 1, 2, 3)
    tensors = [T(x.shape, "int8", 0.1), constant([1, 1, 2, 1, 1]), T((1, 2, 2, 2, 3), "int8", 0.1)]
    file = single(Op("TILE", [0, 1], [2]), tensors)
    assert_all_give(file, tmp_path, [x], [np.tile(x, (1, 1, 2, 1, 1))])


def test_fill(tmp_path: Path) -> None:
    tensors = [constant([2, 3]), T((), "float32"), T((2, 3), "float32")]
    file = single(Op("FILL", [0, 1], [2]), tensors)
    assert_all_equal_micro(file, tmp_path, np.array(2.5, np.float32))


@pytest.mark.parametrize("axes", [[0], [2], [0, 1]])
def test_reverse(axes: list[int], tmp_path: Path) -> None:
    tensors = [T((2, 3, 4), "float32"), constant(axes), T((2, 3, 4), "float32")]
    file = single(Op("REVERSE_V2", [0, 1], [2]), tensors)
    assert_all_give(file, tmp_path, [X], [np.flip(X, axes)])


@pytest.mark.parametrize(("mode", "name"), [(0, "reflect"), (1, "symmetric")])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_mirror_pad(mode: int, name: str, dtype: str, tmp_path: Path) -> None:
    paddings = [[1, 0], [2, 1], [0, 3]]
    scale = 0.1 if dtype == "int8" else None
    tensors = [T((2, 3, 4), dtype, scale), constant(paddings), T((3, 6, 7), dtype, scale)]
    file = single(Op("MIRROR_PAD", [0, 1], [2], "MirrorPadOptions", {"Mode": mode}), tensors)
    x = (X * 30).astype(dtype)
    assert_all_give(file, tmp_path, [x], [np.pad(x, paddings, mode=name)])
