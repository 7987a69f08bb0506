from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir
from mlir.dialects import tosa

from forebay.ir.softmax import (
    FloatSoftmax,
    QuantizedSoftmax,
    Softmax,
    build_softmax,
    softmax_of,
)


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        yield


def module_with(element: str, parameters: Softmax) -> ir.Module:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        operand = ir.Operation.create(
            "test.source", results=[ir.Type.parse(f"tensor<2x5x{element}>")]
        )
        build_softmax(operand.results[0], parameters)
    return module


@pytest.mark.parametrize(
    ("element", "parameters"),
    [("i8", QuantizedSoftmax(1575942016, 23, -248)), ("f32", FloatSoftmax(0.5))],
)
def test_parameters_survive_a_round_trip_through_text(element: str, parameters: Softmax) -> None:
    module = ir.Module.parse(str(module_with(element, parameters)))
    softmax = module.body.operations[1]
    assert softmax_of(softmax) == parameters
    assert str(softmax.operation.results[0].type) == f"tensor<2x5x{element}>"


def test_other_operations_are_no_softmax() -> None:
    module = module_with("f32", FloatSoftmax(1.0))
    source = module.body.operations[0]
    assert softmax_of(source) is None
    with ir.InsertionPoint(module.body):
        other = tosa.CustomOp([], "softmax", "other.domain", "", list(source.operation.results))
    assert softmax_of(other) is None
