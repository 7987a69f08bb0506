from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import random_int8
from mlir import ir

from forebay.frontends.tflite import import_model

SCALE = 0.05


def value(*shape: int) -> T:
    return T(shape, "int8", SCALE, 3)


def branch(name: str, options: str) -> Graph:
    """Two results: of the operator, and an input that is passed on."""
    operators = [Op(name, [0, 1], [2], options)]
    return Graph([value(2, 5), value(2, 5), value(2, 5)], [0, 1], [2, 1], operators)


def conditional(condition: T) -> bytes:
    tensors = [condition, *[value(2, 5)] * 4]
    fields = {"ThenSubgraphIndex": 1, "ElseSubgraphIndex": 2}
    inputs = [1, 2] if condition.data is not None else [0, 1, 2]
    main = Graph(tensors, inputs, [3, 4], [Op("IF", [0, 1, 2], [3, 4], "IfOptions", fields)])
    return build(main, branch("ADD", "AddOptions"), branch("MUL", "MulOptions"))


@pytest.mark.parametrize("holds", [False, True])
def test_a_condition_of_data_selects(holds: bool, tmp_path: Path) -> None:
    x, y = random_int8(1, 2, 5), random_int8(2, 2, 5)
    assert_all_equal_micro(conditional(T((1,), "bool")), tmp_path, np.array([holds]), x, y)


@pytest.mark.parametrize("holds", [False, True])
def test_a_constant_condition_leaves_one_branch(holds: bool, tmp_path: Path) -> None:
    file = conditional(constant([holds], "bool"))
    assert_all_equal_micro(file, tmp_path, random_int8(1, 2, 5), random_int8(2, 2, 5))
    with ir.Context():
        text = str(import_model(file))
    assert ("tosa.mul" in text) is not holds
