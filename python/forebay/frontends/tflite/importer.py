"""The walk over a model: one function, its arguments, and one lowering after the other."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from mlir import ir
from mlir.dialects import func
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import emit
from forebay.frontends.tflite.node import Node
from forebay.frontends.tflite.reader import read_model
from forebay.frontends.tflite.registry import lowerings
from forebay.frontends.tflite.schema import ElementType, Model, Operator, Tensor
from forebay.frontends.tflite.variables import Variable, variables_of

_MAX_BYTES = 2**31 - 1
_FROM_MEMORY = "model.tflite"
_ARGUMENTS = (ElementType.FLOAT32, ElementType.INT8, ElementType.UINT8, ElementType.INT16)
_CONSTANTS = (*_ARGUMENTS, ElementType.INT32, ElementType.BOOL)


def import_model(
    source: Path | bytes,
    *,
    name: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> ir.Module:
    """Import a `.tflite` file, or its bytes, into the context that is active.

    `name` becomes the module's symbol and defaults to the file's; `shapes` overrides the shapes of
    inputs by their names. The module holds `func.func @main` in TOSA on static tensors.
    Raises `MalformedModel` or `UnsupportedModel`, and OSError where the file cannot be read.
    """
    file_name = source.name if isinstance(source, Path) else _FROM_MEMORY
    file = source.read_bytes() if isinstance(source, Path) else source
    model = read_model(file, file_name)
    with ir.Location.file(file_name, 0, 0):
        module = ir.Module.create()
        symbol = sanitize(name if name is not None else Path(file_name).stem)
        module.operation.attributes["sym_name"] = ir.StringAttr.get(symbol)
        with ir.InsertionPoint(module.body):
            _Import(model, {k: tuple(v) for k, v in (shapes or {}).items()}).run()
    _verify(module, file_name)
    return module


def _verify(module: ir.Module, file_name: str) -> None:
    try:
        module.operation.verify()
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        message = "; ".join(f"{d.location}: {d.message}" for d in error.error_diagnostics)
        raise UnsupportedModel(
            f"{file_name}: TOSA does not allow this network: {message}"
        ) from error


def sanitize(name: str) -> str:
    """A C identifier that looks like `name`."""
    identifier = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"m{identifier}" if not identifier or identifier[0].isdigit() else identifier


class _Import:
    """One import; the scope that its nodes see."""

    def __init__(self, model: Model, shapes: dict[str, tuple[int, ...]]) -> None:
        self.file_name = model.file_name
        self._graph = model.subgraphs[0]
        self._shapes = shapes
        self._variables = variables_of(model)
        self._values: dict[int, ir.Value] = {}
        self._place = ("INPUT", 0)

    def run(self) -> None:
        inputs = [self._graph.tensors[i] for i in self._graph.inputs]
        outputs = [self._graph.tensors[i] for i in self._graph.outputs]
        self._check_inputs(inputs)
        self._declare_variables()
        types = [self._argument_type(t) for t in inputs]
        main = func.FuncOp("main", (types, []), visibility="public")
        block = main.add_entry_block([ir.Location.name(t.name) for t in inputs])
        for tensor, argument in zip(inputs, block.arguments, strict=True):
            self._values[tensor.index] = argument
        with ir.InsertionPoint(block):
            for operator in self._graph.operators:
                self._lower(operator)
            self._place = ("OUTPUT", 0)
            results = [self.value(t) for t in outputs]
            func.ReturnOp(results)
        signature = ir.FunctionType.get(types, [r.type for r in results])
        main.attributes["function_type"] = ir.TypeAttr.get(signature)
        main.attributes["arg_attrs"] = ir.ArrayAttr.get([_interface(t) for t in inputs])
        main.attributes["res_attrs"] = ir.ArrayAttr.get([_interface(t) for t in outputs])

    def value(self, tensor: Tensor) -> ir.Value:
        """The value of a tensor, created here if it is a constant."""
        value = self._values.get(tensor.index)
        if value is None:
            value = self._values[tensor.index] = self._constant(tensor)
        return value

    def variable(self, tensor: Tensor) -> Variable | None:
        """The variable that a handle stands for."""
        return self._variables.get(tensor.index)

    def location(self, tensor_name: str, operator: Operator) -> ir.Location:
        """The location of ops of the operator that belong to the tensor of that name."""
        place = ir.Location.file(self.file_name, operator.index, 0)
        return ir.Location.name(tensor_name, ir.Location.name(operator.name, place))

    def _check_inputs(self, inputs: list[Tensor]) -> None:
        known = [t.name for t in inputs]
        if len({t.index for t in inputs}) != len(inputs):
            raise MalformedModel(f"{self.file_name}: one tensor is several inputs")
        for name in self._shapes:
            if name not in known:
                raise UnsupportedModel(
                    f"{self.file_name}: a shape is given for '{name}', which is no input; "
                    f"inputs are: {', '.join(known)}"
                )

    def _argument_type(self, tensor: Tensor) -> ir.RankedTensorType:
        where = f"{self.file_name}: input '{tensor.name}'"
        if tensor.type not in _ARGUMENTS or tensor.data is not None:
            raise UnsupportedModel(
                f"{where} of type {tensor.type_name} is not supported; "
                f"supported are {', '.join(e.name for e in _ARGUMENTS)}, not constant"
            )
        shape = self._shapes.get(tensor.name, tensor.shape)
        if len(shape) != len(tensor.shape):
            raise UnsupportedModel(
                f"{where} has rank {len(tensor.shape)}, the shape given for it {list(shape)}"
            )
        if any(d < 1 for d in shape):
            raise UnsupportedModel(
                f"{where} has the shape {list(shape)}, which is not static and positive; "
                f"give one, as in --shape {tensor.name}=1x8"
            )
        if math.prod(shape) * tensor.type.bytes > _MAX_BYTES:
            raise UnsupportedModel(f"{where} has more than {_MAX_BYTES:,} bytes")
        return emit.tensor_type(shape, emit.element_type(tensor.type))

    def _declare_variables(self) -> None:
        declared: set[str] = set()
        for variable in self._variables.values():
            if variable.name not in declared:
                declared.add(variable.name)
                with ir.Location.name(variable.name):
                    emit.variable(variable.name, self._elements(variable.initial))

    def _lower(self, operator: Operator) -> None:
        node = Node(self, self._graph, operator)
        self._place = (operator.name, operator.index)
        lowering = lowerings().get(operator.name)
        if lowering is None:
            node.refuse("this operator", f"supported are {', '.join(lowerings())}")
        if not 1 <= operator.version <= lowering.newest_version:
            node.refuse(
                f"version {operator.version}",
                f"versions 1 to {lowering.newest_version} are; convert for an older TFLite",
            )
        for tensor in node.outputs:
            if tensor.index in self._values or tensor.data is not None:
                node.malformed(f"its result '{tensor.name}' has a value already")
        with self.location(node.outputs[0].name if node.outputs else "", operator):
            results = lowering.lower(node)
        produced = [t for t in node.outputs if t.type is not ElementType.RESOURCE]
        for tensor, value in zip(produced, results, strict=True):
            self._check_result(node, tensor, value)
            self._values[tensor.index] = value

    def _check_result(self, node: Node, tensor: Tensor, value: ir.Value) -> None:
        shape = emit.shape_of(value)
        node.expect_size(shape)
        if self._shapes or -1 in tensor.shape or shape == tensor.shape:
            return
        node.malformed(
            f"'{tensor.name}' has the shape {list(shape)}, but the file says {list(tensor.shape)}"
        )

    def _constant(self, tensor: Tensor) -> ir.Value:
        elements = self._elements(tensor)
        name, index = self._place
        place = ir.Location.file(self.file_name, index, 0)
        with ir.Location.name(tensor.name, ir.Location.name(name, place)):
            return emit.constant(elements)

    def _elements(self, tensor: Tensor) -> NDArray[np.generic]:
        where = f"{self.file_name}: tensor '{tensor.name}'"
        if tensor.data is None:
            if tensor.is_variable:
                raise UnsupportedModel(
                    f"{where} is a variable without an operator that owns it; use VAR_HANDLE"
                )
            raise MalformedModel(f"{where} is read before it is written")
        if tensor.type not in _CONSTANTS:
            raise UnsupportedModel(
                f"{where} is a constant of type {tensor.type_name}, which is not supported; "
                f"supported are {', '.join(e.name for e in _CONSTANTS)}"
            )
        return tensor.data


def _interface(tensor: Tensor) -> ir.DictAttr:
    attributes: dict[str, ir.Attribute] = {
        "accel.name": ir.StringAttr.get(tensor.name),
        "accel.dtype": ir.StringAttr.get(tensor.type.value),
    }
    quantization = tensor.quantization
    if quantization is not None and len(quantization.scales) == 1:
        attributes["accel.scale"] = ir.FloatAttr.get(ir.F64Type.get(), quantization.scale)
        attributes["accel.zero_point"] = ir.IntegerAttr.get(
            ir.IntegerType.get_signless(64), quantization.zero_point
        )
    return ir.DictAttr.get(attributes)
