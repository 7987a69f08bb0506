"""The walk over a model: one function, its arguments, and one lowering after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir
from mlir.dialects import func

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import emit
from forebay.frontends.tflite.node import Node
from forebay.frontends.tflite.reader import read_model
from forebay.frontends.tflite.registry import lowerings
from forebay.frontends.tflite.schema import ElementType, Model, Operator, Subgraph, Tensor

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
            _Import(model, dict(shapes or {})).run()
    return module


def sanitize(name: str) -> str:
    """A C identifier that looks like `name`."""
    identifier = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"m{identifier}" if not identifier or identifier[0].isdigit() else identifier


class _Import:
    def __init__(self, model: Model, shapes: dict[str, Sequence[int]]) -> None:
        self._model = model
        self._graph: Subgraph = model.subgraphs[0]
        self._shapes = shapes
        self._values: dict[int, ir.Value] = {}

    def run(self) -> None:
        inputs = [self._graph.tensors[i] for i in self._graph.inputs]
        outputs = [self._graph.tensors[i] for i in self._graph.outputs]
        self._check_overrides(inputs)
        types = [self._argument_type(t) for t in inputs]
        main = func.FuncOp("main", (types, []), visibility="public")
        main.arg_attrs = ir.ArrayAttr.get([_interface(t) for t in inputs])
        block = main.add_entry_block()
        for tensor, argument in zip(inputs, block.arguments, strict=True):
            self._values[tensor.index] = argument
        with ir.InsertionPoint(block):
            for operator in self._graph.operators:
                self._lower(operator)
            results = [self._result(t) for t in outputs]
            func.ReturnOp(results)
        main.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [r.type for r in results])
        )
        main.attributes["res_attrs"] = ir.ArrayAttr.get([_interface(t) for t in outputs])

    def _check_overrides(self, inputs: list[Tensor]) -> None:
        known = [t.name for t in inputs]
        for name in self._shapes:
            if name not in known:
                raise UnsupportedModel(
                    f"{self._model.file_name}: a shape is given for '{name}', "
                    f"which is no input; inputs are: {', '.join(known)}"
                )

    def _argument_type(self, tensor: Tensor) -> ir.RankedTensorType:
        if tensor.type not in _ARGUMENTS:
            raise UnsupportedModel(
                f"{self._model.file_name}: input '{tensor.name}' of type {tensor.type_name} "
                f"is not supported; supported are {', '.join(e.name for e in _ARGUMENTS)}"
            )
        shape = tuple(self._shapes.get(tensor.name, tensor.shape))
        if len(shape) != len(tensor.shape):
            raise UnsupportedModel(
                f"{self._model.file_name}: the shape {list(shape)} given for '{tensor.name}' "
                f"has rank {len(shape)} instead of {len(tensor.shape)}"
            )
        if any(d < 1 for d in shape):
            raise UnsupportedModel(
                f"{self._model.file_name}: input '{tensor.name}' has the shape {list(shape)}, "
                f"which is not static and positive; give one, as in --shape {tensor.name}=1x8"
            )
        return emit.tensor_type(shape, emit.element_type(tensor.type))

    def _lower(self, operator: Operator) -> None:
        node = Node(self._model.file_name, self._graph, operator, self._value, self._location)
        lowering = lowerings().get(operator.name)
        if lowering is None:
            node.refuse("the operator", f"supported operators are: {', '.join(lowerings())}")
        if not 1 <= operator.version <= lowering.newest_version:
            node.refuse(
                f"version {operator.version}",
                f"versions 1 to {lowering.newest_version} are; convert for an older TFLite",
            )
        for tensor in node.outputs:
            if tensor.index in self._values or tensor.data is not None:
                node.malformed(f"its result '{tensor.name}' has a value already")
        with self._location(node.outputs[0].name if node.outputs else "", operator):
            self._operator = operator
            results = lowering.lower(node)
        for tensor, value in zip(node.outputs, results, strict=True):
            self._check_result(node, tensor, value)
            self._values[tensor.index] = value

    def _check_result(self, node: Node, tensor: Tensor, value: ir.Value) -> None:
        shape = emit.shape_of(value)
        if any(d < 1 for d in shape):
            node.refuse(f"a result of shape {list(shape)}, without elements,", "remove it")
        if self._shapes or -1 in tensor.shape or shape == tensor.shape:
            return
        node.malformed(
            f"'{tensor.name}' has the shape {list(shape)}, but the file says {list(tensor.shape)}"
        )

    def _result(self, tensor: Tensor) -> ir.Value:
        self._operator = None
        return self._value(tensor)

    def _value(self, tensor: Tensor) -> ir.Value:
        value = self._values.get(tensor.index)
        if value is None:
            value = self._values[tensor.index] = self._constant(tensor)
        return value

    def _constant(self, tensor: Tensor) -> ir.Value:
        if tensor.data is None:
            raise MalformedModel(
                f"{self._model.file_name}: tensor '{tensor.name}' is read before it is written"
            )
        if tensor.type not in _CONSTANTS:
            raise UnsupportedModel(
                f"{self._model.file_name}: a constant of type {tensor.type_name} "
                f"('{tensor.name}') is not supported"
            )
        with self._location(tensor.name, self._operator):
            return emit.constant(tensor.data)

    def _location(self, tensor_name: str, operator: Operator | None) -> ir.Location:
        name, index = (operator.name, operator.index) if operator else ("RETURN", 0)
        place = ir.Location.file(self._model.file_name, index, 0)
        return ir.Location.name(tensor_name, ir.Location.name(name, place))


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
