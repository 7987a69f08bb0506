"""Alias constraints of tensors: which tensors will share one buffer after bufferization.

Bufferization gives one buffer to a destination and its result, to a slice and its source, and to a
loop's initial value, carried value and result. So a memory space is a property of such an *alias
set* of tensors and not of a single tensor.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, bufferization, func, scf, tensor

from forebay.dialects import accel, memref_pool
from forebay.ir.memory.op_classes import STRUCTURED_OPS
from forebay.ir.refused import RefusedError


class UnknownAliasError(RefusedError):
    """An operation whose results take an unknown storage."""

    def __init__(self, op: ir.OpView) -> None:
        super().__init__(
            op.location,
            f"'{op.name}' is not known to the assignment of memory spaces; lower it to linalg, "
            "tensor, scf or accel first",
        )


@dataclass(frozen=True)
class AliasConstraint:
    """A constraint: the operand `operand` of `op` shares its storage with `value`.

    If `view` is set, `value` only shows the operand's bytes; otherwise the op may write them
    through `value`.
    """

    op: ir.OpView
    operand: int
    value: ir.Value
    view: bool = False


def is_tensor(value: ir.Value) -> bool:
    """Return whether the value is a tensor with a rank."""
    return isinstance(value.type, ir.RankedTensorType)


def alias_constraints_of(op: ir.OpView) -> Iterator[AliasConstraint]:
    """Yield the constraints between the tensors that `op` takes and those that it defines.

    Tensors that its regions or its parent define are included. Raises `UnknownAliasError` for an
    operation with tensor results that has no rule.
    """
    rule = _RULES.get(type(op))
    if rule is not None:
        yield from rule(op)
    elif any(is_tensor(result) for result in op.results):
        raise UnknownAliasError(op)


def _none(_: ir.OpView) -> Iterator[AliasConstraint]:
    yield from ()


def _view_of_first(op: ir.OpView) -> Iterator[AliasConstraint]:
    yield AliasConstraint(op, 0, op.results[0], view=True)


def _last_operands_are_results(op: ir.OpView) -> Iterator[AliasConstraint]:
    first = len(op.operands) - len(op.results)
    for index, result in enumerate(op.results):
        yield AliasConstraint(op, first + index, result)


def _second_is_result(op: ir.OpView) -> Iterator[AliasConstraint]:
    for result in op.results:
        yield AliasConstraint(op, 1, result)


def _select(op: ir.OpView) -> Iterator[AliasConstraint]:
    if is_tensor(op.results[0]):
        yield AliasConstraint(op, 1, op.results[0])
        yield AliasConstraint(op, 2, op.results[0])


def _for(op: ir.OpView) -> Iterator[AliasConstraint]:
    assert isinstance(op, scf.ForOp)
    first = len(op.operands) - len(op.results)
    for index, carried in enumerate(op.inner_iter_args):
        yield AliasConstraint(op, first + index, carried)


def _while(op: ir.OpView) -> Iterator[AliasConstraint]:
    for index, carried in enumerate(op.regions[0].blocks[0].arguments):
        yield AliasConstraint(op, index, carried)


def _yield(op: ir.OpView) -> Iterator[AliasConstraint]:
    parent = op.operation.parent
    owner = None if parent is None else parent.opview
    if isinstance(owner, scf.ForOp):
        for index, (carried, result) in enumerate(
            zip(owner.inner_iter_args, owner.results, strict=True)
        ):
            yield AliasConstraint(op, index, carried)
            yield AliasConstraint(op, index, result)
    elif isinstance(owner, scf.WhileOp):
        for index, carried in enumerate(owner.regions[0].blocks[0].arguments):
            yield AliasConstraint(op, index, carried)
    elif isinstance(owner, (scf.IfOp, scf.ExecuteRegionOp, scf.IndexSwitchOp)):
        for index, result in enumerate(owner.results):
            yield AliasConstraint(op, index, result)
    elif owner is not None:
        raise UnknownAliasError(owner)


def _condition(op: ir.OpView) -> Iterator[AliasConstraint]:
    parent = op.operation.parent
    if parent is None:
        return
    carried = parent.regions[1].blocks[0].arguments
    for index, (argument, result) in enumerate(zip(carried, parent.results, strict=True)):
        yield AliasConstraint(op, index + 1, argument)
        yield AliasConstraint(op, index + 1, result)


def _call(op: ir.OpView) -> Iterator[AliasConstraint]:
    assert isinstance(op, func.CallOp)
    callee = callee_of(op)
    if callee.is_external:
        if any(is_tensor(result) for result in op.results):
            raise UnknownAliasError(op)
        return
    body = callee.entry_block
    for index, argument in enumerate(body.arguments):
        yield AliasConstraint(op, index, argument)
    terminator = last_op(body)
    for index, result in enumerate(op.results):
        yield AliasConstraint(terminator, index, result)


def callee_of(call: func.CallOp) -> func.FuncOp:
    """Return the function that a call names; the call's verifier ensures that it exists."""
    name = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
    module = call.operation.parent
    while module is not None and module.parent is not None:
        module = module.parent
    assert module is not None
    callee = ir.SymbolTable(module)[name]
    assert isinstance(callee, func.FuncOp)
    return callee


def last_op(block: ir.Block) -> ir.OpView:
    """Return the block's terminator."""
    return block.operations[len(block.operations) - 1]


_RULES: dict[type[ir.OpView], Callable[[ir.OpView], Iterator[AliasConstraint]]] = {
    # New storage, or no storage.
    arith.ConstantOp: _none,
    bufferization.AllocTensorOp: _none,
    bufferization.ToTensorOp: _none,
    tensor.EmptyOp: _none,
    tensor.FromElementsOp: _none,
    tensor.GenerateOp: _none,
    tensor.PadOp: _none,
    tensor.SplatOp: _none,
    # Views.
    tensor.CastOp: _view_of_first,
    tensor.CollapseShapeOp: _view_of_first,
    tensor.ExpandShapeOp: _view_of_first,
    tensor.ExtractSliceOp: _view_of_first,
    # Destinations.
    **dict.fromkeys(STRUCTURED_OPS, _last_operands_are_results),
    accel.CallOp: _last_operands_are_results,
    accel.ReduceOp: _last_operands_are_results,
    bufferization.MaterializeInDestinationOp: _last_operands_are_results,
    memref_pool.CopyOp: _last_operands_are_results,
    tensor.InsertOp: _second_is_result,
    tensor.InsertSliceOp: _second_is_result,
    # Control flow.
    arith.SelectOp: _select,
    func.CallOp: _call,
    scf.ConditionOp: _condition,
    scf.ExecuteRegionOp: _none,
    scf.ForOp: _for,
    scf.IfOp: _none,
    scf.IndexSwitchOp: _none,
    scf.WhileOp: _while,
    scf.YieldOp: _yield,
}


class AliasSets:
    """A partition of tensors by the storage that they share (union-find)."""

    def __init__(self, ties: list[AliasConstraint]) -> None:
        self._parents: dict[ir.Value, ir.Value] = {}
        for tie in ties:
            operand = tie.op.operands[tie.operand]
            if is_tensor(operand):
                self._parents[self.of(tie.value)] = self.of(operand)

    def of(self, value: ir.Value) -> ir.Value:
        """Return the representative of the set of `value`; for views, the viewed tensor."""
        root = value
        while (parent := self._parents.get(root, root)) != root:
            root = parent
        while (parent := self._parents.get(value, value)) != root:
            self._parents[value] = root
            value = parent
        return root
