"""Import a network: `@main`, and the lowering of each operator in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import func, tosa
from numpy.typing import NDArray

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.frontends import tosa as emit
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import (
    HALF,
    ONNX_TYPES,
    OnnxNode,
    UnsupportedNode,
    onnx_element,
    stored_elements,
)
from forebay.frontends.onnx.lowering.registry import onnx_lowerings
from forebay.frontends.onnx.model.evaluate import evaluate_operators
from forebay.frontends.onnx.model.graph import (
    NO_OPERAND,
    Graph,
    OnnxOperator,
    OnnxTensor,
    quantised_type,
)
from forebay.ir.problem.port_names import port_names

_LISTED = 30


class OnnxMainFunction:
    """The builder of `@main`; its nodes use it as their scope."""

    def __init__(self, graph: Graph) -> None:
        self.file_name = graph.file_name
        self.opset = graph.opset
        self._graph = graph
        self._tensors = dict(graph.tensors)
        self._values: dict[str, LaidOut] = {}
        self._dtypes: dict[str, np.dtype[Any]] = {}
        self._missing: list[str] = []
        self._unknown: set[str] = set()
        self._readers: dict[str, set[str]] = {name: {""} for name in graph.outputs}
        for operator in graph.operators:
            for name in operator.inputs:
                self._readers.setdefault(name, set()).add(operator.kind)

    def build(self) -> None:
        """Build the function at the insertion point."""
        graph = self._graph
        names, results = port_names(graph.inputs, graph.outputs)
        inputs = [self._tensors[name] for name in graph.inputs]
        types = [self._argument(tensor) for tensor in inputs]
        main = func.FuncOp("main", (types, []), visibility="public")
        block = main.add_entry_block([ir.Location.name(name) for name in names])
        end = ir.Location.file(self.file_name, len(graph.operators), 0)
        with ir.InsertionPoint(block):
            for tensor, argument, name in zip(inputs, block.arguments, names, strict=True):
                with ir.Location.name(name, end):
                    value = _shifted(argument, tensor.dtype, reads=True)
                self._values[tensor.name] = LaidOut(value)
            self._lower_all()
            with end:
                values = [self._output(name) for name in graph.outputs]
                func.ReturnOp(values)
        signature = ir.FunctionType.get(types, [value.type for value in values])
        main.attributes["function_type"] = ir.TypeAttr.get(signature)
        dtypes = [self._tensors[name].dtype for name in graph.inputs]
        main.attributes["arg_attrs"] = _interfaces(names, dtypes)
        main.attributes["res_attrs"] = _interfaces(results, [self.dtype(n) for n in graph.outputs])

    def operand(self, name: str) -> LaidOut:
        """Return the value of a tensor; a constant is created."""
        found = self._values.get(name)
        if found is not None:
            return found
        data = self.constant(name)
        if data is None:
            raise MalformedModel(f"tensor '{name}' is read before it is written", self.file_name)
        if onnx_element(data.dtype) is None:
            raise UnsupportedModel(
                f"constant '{name}' of type {data.dtype.name} is not supported; supported are "
                f"{', '.join(ONNX_TYPES)}",
                self.file_name,
            )
        with ir.Location.name(name, ir.Location.current):
            return LaidOut(emit.tosa_constant(stored_elements(data)))

    def constant(self, name: str) -> NDArray[np.generic] | None:
        """Return the elements of a constant tensor, None for another."""
        tensor = self._tensors.get(name)
        return tensor.data if tensor is not None else None

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the type of a tensor in ONNX."""
        tensor = self._tensors.get(name)
        return tensor.dtype if tensor is not None else self._dtypes[name]

    def readers(self, name: str) -> frozenset[str]:
        """Return the kinds of the operators that read a tensor, "" for the network's caller."""
        return frozenset(self._readers.get(name, ()))

    def _argument(self, tensor: OnnxTensor) -> ir.RankedTensorType:
        element = onnx_element(tensor.dtype)
        if element is None:
            self._missing.append(
                f"input '{tensor.name}' of type {tensor.dtype.name}; supported are "
                f"{', '.join(ONNX_TYPES)}"
            )
            element = emit.signless(8)
        return emit.tensor_type(tensor.shape, element)

    def _output(self, name: str) -> ir.Value:
        return _shifted(self.operand(name).logical(), self.dtype(name), reads=False)

    def _lower_all(self) -> None:
        """Lower all operators, or raise one error that lists everything unsupported."""
        for operator in self._graph.operators:
            if not self._unknown.isdisjoint(operator.inputs):
                self._unknown.update(operator.outputs)
                self._check_known(operator)
                continue
            try:
                self._lower(operator)
            except UnsupportedNode as error:
                self._missing.append(error.what)
                self._unknown.update(operator.outputs)
        if not self._missing:
            return
        if len(self._missing) == 1:
            raise UnsupportedModel(self._missing[0], self.file_name)
        listed = "".join(f"\n  {line}" for line in self._missing[:_LISTED])
        raise UnsupportedModel(
            f"not supported are {len(self._missing):,} things:{listed}", self.file_name
        )

    def _check_known(self, operator: OnnxOperator) -> None:
        if operator.kind not in onnx_lowerings():
            self._missing.append(_unknown(operator))

    def _lower(self, operator: OnnxOperator) -> None:
        lower = onnx_lowerings().get(operator.kind)
        if self._folds(operator):
            return
        if lower is None:
            raise UnsupportedNode(_unknown(operator), self.file_name)
        node = OnnxNode(self, operator)
        self._check_sources(node)
        place = ir.Location.name(operator.name, ir.Location.file(self.file_name, operator.index, 0))
        name = next((n for n in operator.outputs if n != NO_OPERAND), "")
        with ir.Location.name(name, place):
            results = lower(node)
        for output, result in zip(operator.outputs, results, strict=False):
            if output == NO_OPERAND or result is None:
                continue
            if isinstance(result, LaidOut):
                self._values[output] = result
                self._dtypes[output] = self._dtype_of(operator, result)
                node.expect_size(result.shape, self._dtypes[output].itemsize)
            else:
                self._tensors[output] = OnnxTensor(output, result.dtype, result.shape, result)

    def _check_sources(self, node: OnnxNode) -> None:
        """Check that stored integers are of the type of their zero points."""
        for i, quantization in enumerate(node.operator.sources):
            if quantization is not None and node.dtype(i) != quantization.dtype:
                wanted, given = quantization.dtype.name, node.dtype(i).name
                node.malformed(f"operand {i} is {given}, and its zero point {wanted}")

    def _dtype_of(self, operator: OnnxOperator, result: LaidOut) -> np.dtype[Any]:
        element = emit.element_of(result.value)
        if isinstance(element, ir.FloatType):
            return np.dtype(np.float32)
        width = ir.IntegerType(element).width
        if width == 1:
            return np.dtype(np.bool_)
        if operator.target is not None:
            return operator.target.dtype
        if width == 8:
            return self._byte_of(operator)
        return np.dtype(f"int{width}")

    def _byte_of(self, operator: OnnxOperator) -> np.dtype[Any]:
        """Return int8 or uint8, which one type stands for."""
        if operator.kind == "Cast":
            return np.dtype(np.uint8 if operator.attributes.get("to") == 2 else np.int8)
        if operator.kind == "DynamicQuantizeLinear":
            return np.dtype(np.uint8)
        if operator.kind == "QuantizeLinear":
            name = operator.operand(2)
            return self.dtype(name) if name else quantised_type(operator)
        return self.dtype(operator.operand(1 if operator.kind in ("Table", "Where") else 0))

    def _folds(self, operator: OnnxOperator) -> bool:
        """Compute an operator on constants that became known during the lowering."""
        data = {n: self.constant(n) for n in operator.inputs if n != NO_OPERAND}
        known = {name: array for name, array in data.items() if array is not None}
        if len(known) < len(data) or not data or operator.proto is None or operator.target:
            return False
        for name, array in evaluate_operators(self._graph, [operator], known).items():
            self._tensors[name] = OnnxTensor(name, array.dtype, array.shape, array)
        return True


def _unknown(operator: OnnxOperator) -> str:
    known = ", ".join(name for name in onnx_lowerings() if name != "Table")
    return (
        f"operator {operator.index} ({operator.name}): not supported: this operator; "
        f"supported are {known}"
    )


def _shifted(value: ir.Value, dtype: np.dtype[Any], *, reads: bool) -> ir.Value:
    """Return a uint8 value as the int8 that is 128 lower, or the other way round."""
    if dtype != np.uint8:
        return value
    i8 = emit.signless(8)
    # The bits of -128 are those of 128 in uint8.
    middle, zero = (emit.tosa_zero_point(z, i8) for z in (-HALF, 0))
    return tosa.RescaleOp(
        value.type,
        value,
        emit.tosa_constant(np.array([1 << 30], np.int32)),
        emit.tosa_constant(np.array([30], np.int8)),
        middle if reads else zero,
        zero if reads else middle,
        True,
        ir.Attribute.parse("#tosa.rounding_mode<SINGLE_ROUND>"),
        False,
        reads,
        not reads,
    ).result


def _interfaces(names: Sequence[str], dtypes: Sequence[np.dtype[Any]]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get(
        [
            ir.DictAttr.get(
                {
                    "accel.name": ir.StringAttr.get(name),
                    "accel.dtype": ir.StringAttr.get(dtype.name),
                }
            )
            for name, dtype in zip(names, dtypes, strict=True)
        ]
    )
