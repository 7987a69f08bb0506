from __future__ import annotations

from pathlib import Path

import numpy as np
from common.model_file import Graph, Op, T, build
from common.tflite_engines import assert_all_give
from mlir import ir

from forebay.frontends.tflite import import_model


def network(weights: np.ndarray, **quantisation: object) -> bytes:
    tensors = [
        T((3, 4), "float32"),
        T(weights.shape, weights.dtype.name, data=weights, **quantisation),
        T(weights.shape, "float32"),
        T((3, 2), "float32"),
    ]
    operators = [
        Op("DEQUANTIZE", [1], [2], version=3),
        Op("FULLY_CONNECTED", [0, 2], [3], "FullyConnectedOptions"),
    ]
    return build(Graph(tensors, [0], [3], operators))


def test_weights_behind_dequantize_are_constants(tmp_path: Path, context: ir.Context) -> None:
    weights = np.arange(-4, 4, dtype=np.int8).reshape(2, 4)
    file = network(weights, scale=0.5, zero_point=1)
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    wanted = x @ ((weights.astype(np.float32) - 1) * np.float32(0.5)).T
    assert_all_give(file, tmp_path, [x], [wanted])
    assert "tosa.cast" not in str(import_model(file))


def test_weights_of_float16_become_float32(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).standard_normal((2, 4)).astype(np.float16)
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    assert_all_give(network(weights), tmp_path, [x], [x @ weights.astype(np.float32).T])
