from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build
from mlir import ir
from mlir.dialects import func, tosa

from forebay.frontends.tflite import MalformedModel, UnsupportedModel, import_model


def main_of(module: ir.Module) -> func.FuncOp:
    return next(op for op in module.body.operations if isinstance(op, func.FuncOp))


def body(module: ir.Module) -> list[ir.OpView]:
    return list(main_of(module).body.blocks[0].operations)


def stateful(initial: T | None, assigned: tuple[int, ...] = (4,)) -> bytes:
    handle = T((), "resource", name="handle")
    name = {"SharedName": "cell", "Container": ""}
    main = Graph(
        [T(assigned, "int8", 0.5, name="x"), handle, T((4,), "int8", 0.5, name="old")],
        [0],
        [2],
        [
            Op("CALL_ONCE", [], [], "CallOnceOptions", {"InitSubgraphIndex": 1}),
            Op("VAR_HANDLE", [], [1], "VarHandleOptions", name),
            Op("READ_VARIABLE", [1], [2], "ReadVariableOptions"),
            Op("ASSIGN_VARIABLE", [1, 0], [], "AssignVariableOptions"),
        ],
    )
    operators = [Op("VAR_HANDLE", [], [0], "VarHandleOptions", name)]
    tensors = [handle]
    if initial is not None:
        operators.append(Op("ASSIGN_VARIABLE", [0, 1], [], "AssignVariableOptions"))
        tensors.append(initial)
    return build(main, Graph(tensors, [], [], operators))


def test_state_is_a_variable_with_its_initial_value(context: ir.Context) -> None:
    module = import_model(stateful(T((4,), "int8", 0.5, data=np.array([1, 2, 3, 4]))))
    variable = module.body.operations[0]
    assert isinstance(variable, tosa.VariableOp)
    assert str(variable) == "tosa.variable @cell = dense<[1, 2, 3, 4]> : tensor<4xi8>"
    read, write, _ = body(module)
    assert str(read).strip() == "%0 = tosa.variable_read @cell : tensor<4xi8>"
    assert str(write).strip() == "tosa.variable_write @cell, %arg0 : tensor<4xi8>"


def test_state_without_an_initial_value_is_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel) as error:
        import_model(stateful(None))
    assert str(error.value) == (
        "model.tflite: variable 'cell' has no initial value; "
        "assign it a constant in the subgraph of a CALL_ONCE"
    )


def test_state_of_another_shape_is_malformed(context: ir.Context) -> None:
    initial = T((4,), "int8", 0.5, data=np.zeros(4))
    with pytest.raises(MalformedModel) as error:
        import_model(stateful(initial, assigned=(5,)))
    assert str(error.value) == (
        "model.tflite: operator 3 (ASSIGN_VARIABLE): 'cell' holds INT8 [4], and is assigned [5]"
    )
