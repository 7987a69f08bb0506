"""The variables of a stateful network, and their initial values from CALL_ONCE.

    main:  CALL_ONCE (subgraph 1), VAR_HANDLE "state", READ_VARIABLE, ..., ASSIGN_VARIABLE
    init:  VAR_HANDLE "state", ASSIGN_VARIABLE of a constant

All handles are known at import time, so a handle needs no value in the module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite.file.options import CallOnceOptions, VarHandleOptions
from forebay.frontends.tflite.file.schema import ElementType, Model, Subgraph, TfliteTensor


class Variable(Struct, frozen=True):
    """A variable of the state: its name in the model, and its constant initial value."""

    name: str
    initial: TfliteTensor


def variables_of(model: Model) -> Mapping[int, Variable]:
    """Return the variables of the handles in the main subgraph, by tensor index."""
    main = model.subgraphs[0]
    handles = _handles(main)
    if not handles:
        return {}
    initial = _initial_values(model)
    for name in handles.values():
        if name not in initial:
            raise UnsupportedModel(
                f"variable '{name}' has no initial value; "
                "assign it a constant in the subgraph of a CALL_ONCE",
                model.file_name,
            )
    return {tensor: Variable(name, initial[name]) for tensor, name in handles.items()}


def states_of(graph: Subgraph, taken: Iterable[str]) -> Mapping[int, str]:
    """Return the names of the tensors that operators keep from inference to inference."""
    names: dict[int, str] = {}
    used = set(taken)
    for tensor in graph.tensors:
        if tensor.is_variable and tensor.data is None:
            name = tensor.name if tensor.name not in used else f"{tensor.name}_{tensor.index}"
            used.add(name)
            names[tensor.index] = name
    return names


def initial_state(tensor: TfliteTensor) -> NDArray[np.generic]:
    """Return zeros; where TFLite Micro's reset writes the zero point instead, that."""
    quantization = tensor.quantization
    is_shifted = tensor.type is ElementType.INT8 and quantization is not None
    zero = quantization.zero_point if is_shifted and quantization else 0
    return np.full([max(1, d) for d in tensor.shape], zero, tensor.type.value)


def _handles(subgraph: Subgraph) -> dict[int, str]:
    return {
        tensor: operator.options.shared_name
        for operator in subgraph.operators
        if operator.name == "VAR_HANDLE" and isinstance(operator.options, VarHandleOptions)
        for tensor in operator.outputs
    }


def _initial_values(model: Model) -> dict[str, TfliteTensor]:
    initial: dict[str, TfliteTensor] = {}
    for operator in model.subgraphs[0].operators:
        if operator.name != "CALL_ONCE" or not isinstance(operator.options, CallOnceOptions):
            continue
        index = operator.options.init_subgraph_index
        if not 0 < index < len(model.subgraphs):
            raise MalformedModel(
                f"operator {operator.index} (CALL_ONCE) names subgraph {index} "
                f"of {len(model.subgraphs)}",
                model.file_name,
            )
        initial.update(_assignments(model, index))
    return initial


def _assignments(model: Model, index: int) -> dict[str, TfliteTensor]:
    subgraph = model.subgraphs[index]
    handles = _handles(subgraph)
    assigned: dict[str, TfliteTensor] = {}
    for operator in subgraph.operators:
        if operator.name == "VAR_HANDLE":
            continue
        where = f"subgraph {index}, operator {operator.index} ({operator.name})"
        file = model.file_name
        if operator.name != "ASSIGN_VARIABLE":
            raise UnsupportedModel(f"{where}: only constants are assigned at start; fold it", file)
        if len(operator.inputs) != 2 or operator.inputs[0] not in handles:
            raise MalformedModel(f"{where}: it assigns to no variable", file)
        value = subgraph.tensors[operator.inputs[1]]
        if value.data is None:
            raise UnsupportedModel(f"{where}: '{value.name}' is not constant; fold it", file)
        assigned[handles[operator.inputs[0]]] = value
    return assigned
