"""A lowering is compared with its NumPy form at each import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from mlir import ir
from mlir.dialects import arith

from forebay.errors import Error
from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite import import_model
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import OperatorLowering

MORE = [T((2, 3)), constant([[4, 5, 6]], "int8"), T((2, 3))]


def lower(node: Node) -> list[ir.Value]:
    def add(ins: Any) -> ir.Value:
        return arith.AddIOp(*ins).result

    operands = [node.value(0), node.value(1)]
    return [map_elements(operands, node.shape(0), emit.signless(8), add)]


def compared(reference: Callable[..., Any], inputs: tuple[int, ...] = (0, 1)) -> None:
    file = single(Op("Mine", inputs, [2]), MORE)
    with ir.Context():
        import_model(file, operators=[OperatorLowering("Mine", lower, reference=reference)])


def test_equal_results_pass_and_constants_keep_their_values() -> None:
    seen: list[np.ndarray] = []

    def reference(_: Node, x: np.ndarray, by: np.ndarray) -> np.ndarray:
        seen.append(by)
        return x + by

    compared(reference)
    assert all(by.tolist() == [[4, 5, 6]] for by in seen)
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda _, x, by: x - by, r"'t2'\[0, 0\] is .* by the lowering, .* 6 of 6 elements differ"),
        (
            lambda _, x, by: (x + by)[0],
            r"shape \[2, 3\] by the lowering, int8 of shape \[3",
        ),
        (lambda _, x, by: (x + by) * 1.0, "int8 of shape .* by the lowering, float64 of shape"),
        (lambda _, x, by: [x, by], "returns 2 arrays instead of 1"),
        (lambda _, x, by: 1 // 0, "ZeroDivisionError: .*, in the NumPy form of"),
    ],
)
def test_other_results_are_refused_at_the_numpy_form(
    reference: Callable[..., Any], message: str
) -> None:
    with pytest.raises(Error, match=message) as error:
        compared(reference)
    assert "test_compare.py:" in str(error.value)


def test_floats_may_differ_by_rounding() -> None:
    tensors = [T((64,), "float32")] * 2
    file = single(Op("Twice", [0], [1]), tensors)

    def twice(node: Node) -> list[ir.Value]:
        kind = emit.mlir_type_of(node.output.type)
        shape = node.shape(0)
        return [map_elements([node.value(0)], shape, kind, lambda i: arith.AddFOp(*i, *i).result)]

    for factor, differs in ((2, False), (2 * (1 + 1e-6), False), (2.001, True)):
        with ir.Context():
            given = [OperatorLowering("Twice", twice, reference=_times(factor))]
            if differs:
                with pytest.raises(Error, match="elements differ"):
                    import_model(file, operators=given)
            else:
                import_model(file, operators=given)


def _times(factor: float) -> Callable[..., Any]:
    return lambda _, x: np.float32(factor) * x
