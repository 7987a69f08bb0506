"""Write If, Loop and Scan as the operators of their graphs, where the iterations are known.

    If(c, A, B)         A or B, if c is known; else both, and an If that chooses between results
    Loop(n, body)       the body n times; its condition must be known after each iteration
    Scan(xs, body)      the body for each element of xs

A value is known if it follows from constants and from shapes. Each copy of a graph gets names of
its own: `result/iteration/name`. What cannot be written so stays, with the reason as an attribute,
and is refused by its lowering.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.errors import Error
from forebay.frontends.onnx.model.evaluate import evaluate_operators
from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator, OnnxTensor
from forebay.frontends.onnx.model.read import make_operator, read_operator

REFUSED = "forebay_refused"
"""The attribute with the reason why an operator stays, and the way out."""
_CONTROL = ("If", "Loop", "Scan")
_RANDOM = ("Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
_MOST = 10_000
"""Operators of all iterations of a loop; each takes milliseconds to compile."""
_Array = NDArray[np.generic]


class _NotWrittenError(Error):
    """The operator stays; what is not supported, and the way out."""


def inline_control_flow(graph: Graph) -> Graph:
    """Return the graph with operators in place of those that have graphs."""
    if not any(operator.kind in _CONTROL for operator in graph.operators):
        return graph
    return _Inliner(graph).inlined()


class _Inliner:
    """The tensors and operators so far, and the values that are known."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._tensors = dict(graph.tensors)
        self._operators: list[OnnxOperator] = []
        self._producers: dict[str, OnnxOperator] = {}
        self._values: dict[str, _Array | None] = {}

    def inlined(self) -> Graph:
        for operator in self._graph.operators:
            self._visit(operator)
        return replace(self._graph, tensors=self._tensors, operators=tuple(self._operators))

    def _visit(self, operator: OnnxOperator) -> None:
        """Add the operator, or those that it is written as."""
        write = {"If": self._if, "Loop": self._loop, "Scan": self._scan}.get(operator.kind)
        if write is None:
            self._add(operator)
            return
        try:
            write(operator)
        except _NotWrittenError as error:
            attributes = {REFUSED: error.args}
            self._add(replace(operator, attributes=attributes, proto=None))

    def _add(self, operator: OnnxOperator) -> None:
        self._operators.append(operator)
        for name in operator.outputs:
            self._producers[name] = operator

    # ---- Operators with graphs ------------------------------------------------------------------

    def _if(self, operator: OnnxOperator) -> None:
        condition = self._value(operator.inputs[0])
        branches = [operator.attributes[name] for name in ("then_branch", "else_branch")]
        if condition is not None:
            branch = branches[0 if condition.reshape(-1)[0] else 1]
            for result, name in zip(
                operator.outputs, self._copy(operator, branch, {}, "branch"), strict=True
            ):
                self._rename(operator, name, result)
            return
        both = [
            self._copy(operator, branch, {}, kind)
            for branch, kind in zip(branches, ("then", "else"), strict=True)
        ]
        for result, first, second in zip(operator.outputs, *both, strict=True):
            inputs = (operator.inputs[0], first, second)
            made = replace(operator, inputs=inputs, outputs=(result,), attributes={}, proto=None)
            self._add(made)

    def _loop(self, operator: OnnxOperator) -> None:
        body = operator.attributes["body"]
        count = self._count_of(operator)
        carried = list(operator.inputs[2:])
        stacked: list[list[str]] = [[] for _ in operator.outputs[len(carried) :]]
        goes_on = self._condition(operator, operator.operand(1))
        iteration = 0
        while goes_on and (count is None or iteration < count):
            self._check_size(body, iteration)
            prefix = str(iteration)
            start = [
                self._constant(operator, f"{prefix}/iteration", np.array(iteration, np.int64)),
                self._constant(operator, f"{prefix}/condition", np.array(True)),
            ]
            names = [value.name for value in body.input]
            given = dict(zip(names, [*start, *carried], strict=True))
            condition, *results = self._copy(operator, body, given, prefix)
            carried, scanned = results[: len(carried)], results[len(carried) :]
            for parts, name in zip(stacked, scanned, strict=True):
                parts.append(name)
            goes_on = self._condition(operator, condition)
            iteration += 1
        self._finish(operator, carried, stacked, [0] * len(stacked))

    def _scan(self, operator: OnnxOperator) -> None:
        body = operator.attributes["body"]
        attributes = operator.attributes
        scans = int(attributes["num_scan_inputs"])
        states = len(operator.inputs) - scans
        carried, sources = list(operator.inputs[:states]), operator.inputs[states:]
        results = len(operator.outputs) - states
        axes = list(attributes.get("scan_input_axes", [0] * scans))
        backwards = list(attributes.get("scan_input_directions", [0] * scans))
        out_axes = list(attributes.get("scan_output_axes", [0] * results))
        out_backwards = list(attributes.get("scan_output_directions", [0] * results))
        length = self._length(sources[0], axes[0])
        stacked: list[list[str]] = [[] for _ in range(results)]
        for step in range(length):
            self._check_size(body, step)
            rows = [
                self._row(
                    operator, f"{step}/row{i}", name, axis, length - 1 - step if back else step
                )
                for i, (name, axis, back) in enumerate(zip(sources, axes, backwards, strict=True))
            ]
            given = dict(zip([v.name for v in body.input], [*carried, *rows], strict=True))
            found = self._copy(operator, body, given, str(step))
            carried = found[:states]
            for parts, name in zip(stacked, found[states:], strict=True):
                parts.append(name)
        ordered = [
            list(reversed(parts)) if back else parts
            for parts, back in zip(stacked, out_backwards, strict=True)
        ]
        self._finish(operator, carried, ordered, out_axes)

    def _finish(
        self,
        operator: OnnxOperator,
        carried: Sequence[str],
        stacked: Sequence[Sequence[str]],
        axes: Sequence[int],
    ) -> None:
        """Give the results: the carried values, and the values of all iterations."""
        outputs = operator.outputs
        for result, name in zip(outputs, carried, strict=False):
            self._rename(operator, name, result)
        for result, parts, axis in zip(outputs[len(carried) :], stacked, axes, strict=True):
            if result == NO_OPERAND:
                continue
            if not parts:
                raise _NotWrittenError("results of no iteration", "remove them")
            rows = [self._unsqueezed(operator, name, axis) for name in parts]
            self._add(make_operator(operator, "Concat", tuple(rows), (result,), axis=axis))

    # ---- Parts ----------------------------------------------------------------------------------

    def _copy(
        self, operator: OnnxOperator, body: Any, given: Mapping[str, str], part: str
    ) -> list[str]:
        """Add the operators of a graph, and return the names of its results."""
        prefix = f"{_name_of(operator)}/{part}"
        names: dict[str, str] = dict(given)
        for constant in body.initializer:
            names[constant.name] = f"{prefix}/{constant.name}"
            self._add_tensor(names[constant.name], onnx.numpy_helper.to_array(constant))
        for node in body.node:
            names.update({name: f"{prefix}/{name}" for name in node.output if name})
        for node in body.node:
            renamed = read_operator(operator.index, _renamed(node, names), self._graph.file_name)
            self._visit(replace(renamed, name=f"{operator.name}/{renamed.name}"))
        results: list[str] = [value.name for value in body.output]
        return [names.get(name, name) for name in results]

    def _rename(self, operator: OnnxOperator, name: str, result: str) -> None:
        if result != NO_OPERAND:
            self._add(make_operator(operator, "Identity", (name,), (result,)))

    def _row(self, operator: OnnxOperator, part: str, name: str, axis: int, position: int) -> str:
        index = self._constant(operator, f"{part}/index", np.array(position, np.int64))
        row = f"{_name_of(operator)}/{part}"
        self._add(make_operator(operator, "Gather", (name, index), (row,), axis=axis))
        return row

    def _unsqueezed(self, operator: OnnxOperator, name: str, axis: int) -> str:
        result = f"{name}/stacked"
        if self._graph.opset < 13:
            self._add(make_operator(operator, "Unsqueeze", (name,), (result,), axes=[axis]))
        else:
            axes = self._constant(operator, f"{result}/axes", np.array([axis], np.int64))
            self._add(make_operator(operator, "Unsqueeze", (name, axes), (result,)))
        return result

    def _constant(self, operator: OnnxOperator, part: str, data: _Array) -> str:
        name = f"{_name_of(operator)}/{part}"
        self._add_tensor(name, data)
        return name

    def _add_tensor(self, name: str, data: _Array) -> None:
        self._tensors[name] = OnnxTensor(name, data.dtype, data.shape, data)

    # ---- What is known --------------------------------------------------------------------------

    def _count_of(self, loop: OnnxOperator) -> int | None:
        """Return the largest number of iterations, None where only the condition ends the loop."""
        if loop.operand(0) == NO_OPERAND:
            return None
        count = self._value(loop.operand(0))
        if count is None:
            raise _NotWrittenError("iterations whose number is computed", "make it a constant")
        return int(count.reshape(-1)[0])

    def _condition(self, loop: OnnxOperator, name: str) -> bool:
        if name == NO_OPERAND:
            return True
        value = self._value(name)
        if value is None:
            raise _NotWrittenError(
                "a condition that depends on data", "give the number of iterations"
            )
        return bool(value.reshape(-1)[0])

    def _check_size(self, body: Any, iteration: int) -> None:
        if (iteration + 1) * len(body.node) > _MOST:
            raise _NotWrittenError(
                f"iterations of more than {_MOST:,} operators together", "use an operator for it"
            )

    def _length(self, name: str, axis: int) -> int:
        shape = self._shape(name)
        if shape is None or not -len(shape) <= axis < len(shape):
            raise _NotWrittenError(
                f"an unknown number of elements of '{name}'", "give shapes in the file"
            )
        return shape[axis]

    def _shape(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a tensor where it is static and known."""
        if name in self._tensors:
            return tuple(self._tensors[name].shape)
        type_ = self._graph.types.get(name)
        if type_ is None or not type_.tensor_type.HasField("shape"):
            return None
        dims = type_.tensor_type.shape.dim
        return tuple(d.dim_value for d in dims) if all(d.dim_value > 0 for d in dims) else None

    def _value(self, name: str) -> _Array | None:
        """Return the elements of a tensor that follow from constants and shapes."""
        tensor = self._tensors.get(name)
        if tensor is not None:
            return tensor.data
        if name not in self._values and name in self._producers:
            self._values.update(self._results_of(self._producers[name]))
        return self._values.get(name)

    def _results_of(self, operator: OnnxOperator) -> Mapping[str, _Array | None]:
        unknown = dict.fromkeys(operator.outputs)
        if operator.kind == "Shape":
            shape = self._shape(operator.inputs[0])
            if shape is None:
                return unknown
            start, end = (operator.attributes.get(k) for k in ("start", "end"))
            return {operator.outputs[0]: np.array(shape[start:end], np.int64)}
        if operator.kind == "Size":
            shape = self._shape(operator.inputs[0])
            return unknown if shape is None else {operator.outputs[0]: np.array(math.prod(shape))}
        if operator.proto is None or operator.kind in _RANDOM:
            return unknown
        feeds: dict[str, _Array] = {}
        for name in operator.inputs:
            if name == NO_OPERAND:
                continue
            value = self._value(name)
            if value is None:
                return unknown
            feeds[name] = value
        return evaluate_operators(self._graph, [operator], feeds)


def _name_of(operator: OnnxOperator) -> str:
    return next(name for name in operator.outputs if name != NO_OPERAND)


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of a node with other names of tensors, also in its graphs."""
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for fields in (copy.input, copy.output):
        fields[:] = [names.get(name, name) for name in fields]
    for attribute in copy.attribute:
        if attribute.HasField("g"):
            _rename_graph(attribute.g, names)
    return copy


def _rename_graph(graph: Any, names: Mapping[str, str]) -> None:
    """Rename what a graph inside of another reads from around it."""
    defined = {v.name for v in graph.input} | {c.name for c in graph.initializer}
    defined |= {name for node in graph.node for name in node.output}
    outer = {old: new for old, new in names.items() if old not in defined}
    for node in graph.node:
        node.CopyFrom(_renamed(node, outer))
    for value in graph.output:
        value.name = outer.get(value.name, value.name)
