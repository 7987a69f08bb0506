"""Import a network: `@main`, its variables, and the lowering of each operator in order."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from mlir import ir
from mlir.dialects import func
from mlir.dialects import tensor as mlir_tensor
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.errors import Error
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite.file.schema import (
    ElementType,
    Model,
    Subgraph,
    TfliteOperator,
    TfliteTensor,
)
from forebay.frontends.tflite.interface import (
    CONSTANTS,
    argument_type,
    check_inputs,
    interface,
)
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.missing import all_missing
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import OperatorLowering
from forebay.frontends.tflite.lowering.scope import NamingOperator
from forebay.frontends.tflite.lowering.variables import (
    Variable,
    initial_state,
    states_of,
    variables_of,
)
from forebay.frontends.tflite.subgraphs import SubgraphCopies
from forebay.ir.problem.port_names import port_names

_CONSTANTS_TO_FILE = 64
_FEWEST_CONSTANT_BYTES = 1 << 20


class _KeepsStateError(Error):
    """An operator that is to be computed during the import declares a variable."""


class MainFunction:
    """The builder of `@main`; its nodes use it as their `ImportScope`."""

    def __init__(
        self,
        model: Model,
        shapes: dict[str, tuple[int, ...]],
        lowerings: Mapping[str, OperatorLowering],
    ) -> None:
        self._lowerings = lowerings
        self.file_name = model.file_name
        self._graph = model.subgraphs[0]
        self._tensors = list(self._graph.tensors)
        self.is_reshaped = bool(shapes)
        self._shapes = shapes
        self._missing: list[UnsupportedModel] = []
        self._unknown: set[int] = set()
        self._variables = self._variables_of(model)
        self._states = states_of(self._graph, {v.name for v in self._variables.values()})
        self._added: list[str] = []
        self._copies = SubgraphCopies(model, self._tensors)
        self._open: list[int] = []
        self._loops: list[ir.Operation] = []
        self._is_folding = False
        self._values: dict[int, ir.Value] = {}
        # Ops that belong to no operator get the location after the last operator.
        self._end = ir.Location.file(self.file_name, len(self._graph.operators), 0)
        self._place = self._end
        self._constant_bytes = max(_CONSTANTS_TO_FILE * model.bytes, _FEWEST_CONSTANT_BYTES)

    def build(self) -> None:
        """Build variables and function at the insertion point."""
        inputs = [self._tensors[i] for i in self._graph.inputs]
        outputs = [self._tensors[i] for i in self._graph.outputs]
        names, result_names = port_names([t.name for t in inputs], [t.name for t in outputs])
        check_inputs(self.file_name, inputs, names, self._shapes)
        types = [self._argument(t, n) for t, n in zip(inputs, names, strict=True)]
        self._declare_variables()
        main = func.FuncOp("main", (types, []), visibility="public")
        self._declarations = ir.InsertionPoint(main)
        block = main.add_entry_block([ir.Location.name(name) for name in names])
        for tensor, argument in zip(inputs, block.arguments, strict=True):
            self._values[tensor.index] = argument
        with ir.InsertionPoint(block):
            self._lower_all()
            self._place = self._end
            with self._end:
                results = [self.value(self._tensors[t.index]) for t in outputs]
                func.ReturnOp(results)
        signature = ir.FunctionType.get(types, [r.type for r in results])
        main.attributes["function_type"] = ir.TypeAttr.get(signature)
        main.attributes["arg_attrs"] = _interfaces(inputs, names)
        main.attributes["res_attrs"] = _interfaces(outputs, result_names)

    def value(self, tensor: TfliteTensor) -> ir.Value:
        """Return the value of a tensor; a constant is created on first use."""
        value = self._values.get(tensor.index)
        if value is None:
            value = self._values[tensor.index] = self._constant(tensor)
        return value

    def elements(self, tensor: TfliteTensor) -> NDArray[np.generic]:
        """Return the elements of a constant tensor; their bytes count against the file's limit."""
        where = f"tensor '{tensor.name}'"
        if tensor.data is None:
            if tensor.is_variable:
                raise UnsupportedModel(
                    f"{where} is a variable without an operator that owns it; use VAR_HANDLE",
                    self.file_name,
                )
            raise MalformedModel(f"{where} is read before it is written", self.file_name)
        if tensor.type not in CONSTANTS:
            raise UnsupportedModel(
                f"{where} is a constant of type {tensor.type_name}, which is not supported; "
                f"supported are {', '.join(e.name for e in CONSTANTS)}",
                self.file_name,
            )
        self._constant_bytes -= tensor.data.nbytes
        if self._constant_bytes < 0:
            raise UnsupportedModel(
                f"{where} brings the constants to more than {_CONSTANTS_TO_FILE} times the file's "
                "size; do not share one buffer between so many tensors",
                self.file_name,
            )
        return tensor.data

    def variable(self, tensor: TfliteTensor) -> Variable | None:
        """Return the variable of a handle, None for another tensor."""
        return self._variables.get(tensor.index)

    def state(self, tensor: TfliteTensor) -> str | None:
        """Return the name of the variable that holds an operator's state, None for no state."""
        return self._states.get(tensor.index)

    def new_state(self, name: str, initial: NDArray[np.generic]) -> str:
        """Declare a variable that is not in the file, and return its name."""
        if self._is_folding:
            raise _KeepsStateError
        if self._open:
            raise UnsupportedModel(
                f"the operator of '{name}' keeps a state inside of a subgraph; keep it outside",
                self.file_name,
            )
        taken = {*self._states.values(), *(v.name for v in self._variables.values()), *self._added}
        unique = next(n for i in range(len(taken) + 1) if (n := name + "_" * i) not in taken)
        self._added.append(unique)
        with self._declarations, ir.Location.name(unique):
            emit.variable(unique, initial)
        return unique

    def graph(self, node: NamingOperator, index: int) -> Subgraph:
        """Return a subgraph on its own tensors."""
        return self._copies.graph(node, index)

    def subgraph(
        self,
        node: NamingOperator,
        index: int,
        operands: Sequence[TfliteTensor],
        results: Sequence[int] | None = None,
    ) -> list[TfliteTensor]:
        """Lower the operators of a subgraph on these tensors, and return its results.

        `results` are the positions of the results that are wanted, None for all.
        """
        if index in self._open:
            node.malformed(f"subgraph {index} names itself")
        graph = self._copies.copy(node, index, results)
        if len(operands) != len(graph.inputs):
            node.malformed(f"subgraph {index} has {len(graph.inputs)} inputs")
        for place, operand in zip(graph.inputs, operands, strict=True):
            self._bind(node, place, operand)
        self._open.append(index)
        try:
            for operator in graph.operators:
                self._lower(operator)
        finally:
            self._open.pop()
        return [self._tensors[i] for i in graph.outputs]

    def of_value(self, like: TfliteTensor, value: ir.Value) -> TfliteTensor:
        """Return a new tensor of that value, else like another one."""
        tensor = replace(like, index=len(self._tensors), data=None)
        self._tensors.append(tensor)
        self._values[tensor.index] = value
        return tensor

    @contextmanager
    def constants_before(self, op: ir.Operation) -> Generator[None, None, None]:
        """Create constants in front of the outermost of such ops."""
        self._loops.append(op)
        try:
            yield
        finally:
            self._loops.pop()

    def _bind(self, node: NamingOperator, place: int, operand: TfliteTensor) -> None:
        """Let the input of a subgraph be the operand; TFLite copies its bytes."""
        tensor = self._tensors[place]
        if tensor.type is not operand.type:
            node.refuse(
                f"'{operand.name}' of {operand.type_name} for the input '{tensor.name}' of "
                f"{tensor.type_name}",
                "use one type",
            )
        if operand.data is not None:
            self._tensors[place] = replace(tensor, data=operand.data, shape=operand.shape)
        else:
            self._values[place] = self.value(operand)

    def location(self, tensor_name: str, operator: TfliteOperator) -> ir.Location:
        """Return the location of the operator's ops for the tensor of that name."""
        return ir.Location.name(tensor_name, self._location_of(operator))

    def _location_of(self, operator: TfliteOperator) -> ir.Location:
        place = ir.Location.file(self.file_name, operator.index, 0)
        return ir.Location.name(operator.name, place)

    def _declare_variables(self) -> None:
        declared: set[str] = set()
        for index, name in self._states.items():
            with ir.Location.name(name):
                emit.variable(name, initial_state(self._tensors[index]))
        for variable in self._variables.values():
            if variable.name not in declared:
                declared.add(variable.name)
                with ir.Location.name(variable.name):
                    emit.variable(variable.name, self.elements(variable.initial))

    def _variables_of(self, model: Model) -> Mapping[int, Variable]:
        try:
            return variables_of(model)
        except UnsupportedModel as error:
            self._missing.append(error)
            return {}

    def _argument(self, tensor: TfliteTensor, name: str) -> ir.RankedTensorType:
        try:
            shape = self._shapes.get(name, tensor.shape)
            return argument_type(self.file_name, tensor, name, shape)
        except UnsupportedModel as error:
            self._missing.append(error)
            self._unknown.add(tensor.index)
            return emit.tensor_type((), emit.signless(8))

    def _lower_all(self) -> None:
        """Lower all operators, or raise one error that lists everything unsupported.

        The operators after a refused one are still checked. Its results are replaced by empty
        tensors with the types in the file. If a type is unknown, the operators that depend on it
        are skipped.
        """
        for operator in self._graph.operators:
            try:
                self._lower(operator)
            except UnsupportedModel as error:
                self._missing.append(error)
                self._add_placeholders(operator)
            except MalformedModel:
                if self._missing:
                    break  # it may be malformed only because of a replaced result
                raise
        if self._missing:
            raise all_missing(self.file_name, self._missing)

    def _add_placeholders(self, operator: TfliteOperator) -> None:
        for tensor in (self._tensors[index] for index in operator.outputs):
            if tensor.type.bytes and all(dimension > 0 for dimension in tensor.shape):
                element = emit.mlir_type_of(tensor.type)
                self._values[tensor.index] = mlir_tensor.EmptyOp(tensor.shape, element).result
            else:
                self._unknown.add(tensor.index)

    def _lower(self, operator: TfliteOperator) -> None:
        node = Node(self, self._tensors, operator)
        self._place = self._location_of(operator)
        lowering = self._lowering(node, operator)
        if not self._unknown.isdisjoint(operator.inputs):
            self._unknown.update(operator.outputs)
            return
        for tensor in node.outputs:
            if tensor.index in self._values or tensor.data is not None:
                node.malformed(f"its result '{tensor.name}' has a value already")
        with self.location(node.outputs[0].name if node.outputs else "", operator):
            results = self._folded(node, lowering) or lowering.lower(node)
        produced = [t for t in node.outputs if t.type is not ElementType.RESOURCE]
        for tensor, result in zip(produced, results, strict=True):
            if isinstance(result, ir.Value):
                shape = emit.static_shape_of(result)
                node.expect_size(shape)
                self._check_shape(node, tensor, shape)
                self._values[tensor.index] = result
            else:
                if result.size:
                    node.expect_size(result.shape)
                self._check_shape(node, tensor, result.shape)
                self._tensors[tensor.index] = replace(tensor, data=result, shape=result.shape)

    def _folded(self, node: Node, lowering: OperatorLowering) -> Sequence[NDArray[np.generic]]:
        """Return the results of an operator on constants alone, or () where it is no such one.

        Results of an operator with a state change from run to run, so they are no constants.
        """
        sizes = [math.prod(t.shape) * t.type.bytes for t in node.outputs]
        if not node.is_constant or sum(sizes) > self._constant_bytes:
            return ()
        from forebay.frontends.tflite.lowering.fold import fold_operator  # noqa: PLC0415

        values, self._values = self._values, {}
        loops, self._loops = self._loops, []
        was_folding, self._is_folding = self._is_folding, True
        try:
            return fold_operator(node, lowering.lower)
        except _KeepsStateError:
            return ()
        finally:
            self._values, self._loops, self._is_folding = values, loops, was_folding

    def _lowering(self, node: Node, operator: TfliteOperator) -> OperatorLowering:
        lowering = self._lowerings.get(operator.name)
        if lowering is None:
            node.refuse(
                "this operator",
                f"supported are {', '.join(self._lowerings)}; --operators adds others",
            )
        if not 1 <= operator.version <= lowering.newest_version:
            node.refuse(
                f"version {operator.version}",
                f"versions 1 to {lowering.newest_version} are; convert for an older TFLite",
            )
        return lowering

    def _check_shape(self, node: Node, tensor: TfliteTensor, shape: emit.Shape) -> None:
        """Compare with the shape in the file, which converters leave out for custom operators."""
        is_unknown = not tensor.shape and bool(node.operator.custom_options)
        is_dynamic = self.is_reshaped or tensor.is_dynamic or -1 in tensor.shape
        if is_dynamic or shape == tensor.shape or is_unknown:
            return
        node.malformed(
            f"'{tensor.name}' has the shape {list(shape)}, but the file says {list(tensor.shape)}"
        )

    def _constant(self, tensor: TfliteTensor) -> ir.Value:
        elements = self.elements(tensor)
        if not elements.size:
            raise UnsupportedModel(
                f"tensor '{tensor.name}' of shape {list(elements.shape)} has no elements; "
                "remove it",
                self.file_name,
            )
        point = ir.InsertionPoint(self._loops[0]) if self._loops else ir.InsertionPoint.current
        with point, ir.Location.name(tensor.name, self._place):
            return emit.tosa_constant(_signless(elements))


def _signless(elements: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the elements in the integers that the module has, with the same bits."""
    wide = {"uint32": np.int32, "uint64": np.int64}.get(elements.dtype.name)
    return elements if wide is None else elements.view(wide)


def _interfaces(tensors: Sequence[TfliteTensor], names: Sequence[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([interface(t, name) for t, name in zip(tensors, names, strict=True)])
