"""Alias constraints of tensors: which tensors will share one buffer after bufferization.

Bufferization gives one buffer to a destination and its result, to a slice and its source, and to a
loop's initial value, carried value and result. So a memory space is a property of such an *alias
set* of tensors and not of a single tensor.
"""

from collections.abc import Iterable, Iterator

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.ir.interfaces import (
    ForwardedValue,
    TensorAlias,
    forwarded_values_of,
    is_shown,
    tensor_aliases_of,
)
from forebay.ir.module import symbol_around
from forebay.ir.refused import RefusedError


class UnknownAliasError(RefusedError):
    """An operation whose results take an unknown storage."""

    def __init__(self, op: ir.OpView) -> None:
        super().__init__(
            op.location,
            f"'{op.name}' is not known to the assignment of memory spaces; lower it to linalg, "
            "tensor, scf or accel first",
        )


class AliasConstraint(Struct, frozen=True):
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
    operation with tensor results that does not say what they share.
    """
    if isinstance(op, func.CallOp):
        yield from _of_call(op)
    elif (edges := forwarded_values_of(op)) is not None:
        if {result for result in op.results if is_tensor(result)} - {e.becomes for e in edges}:
            raise UnknownAliasError(op)
        yield from _forwarded(edges, op)
    elif (aliases := tensor_aliases_of(op)) is not None:
        yield from (_own(op, alias) for alias in aliases)
    elif any(is_tensor(result) for result in op.results):
        raise UnknownAliasError(op)
    else:
        yield from _of_terminator(op)


def _own(op: ir.OpView, alias: TensorAlias) -> AliasConstraint:
    return AliasConstraint(op, alias.operand, op.results[alias.result], is_shown(op, alias))


def _forwarded(edges: Iterable[ForwardedValue], op: ir.OpView) -> Iterator[AliasConstraint]:
    """Yield the constraints of the operands that `op` passes on.

    What a loop without iterations passes on to its own results follows from the others.
    """
    for edge in edges:
        if edge.op == op and edge.becomes.owner != op.operation:
            yield AliasConstraint(op, edge.operand, edge.becomes)


def _of_terminator(op: ir.OpView) -> Iterator[AliasConstraint]:
    """Yield the constraints of a terminator, which its parent describes."""
    parent = op.operation.parent
    if not any(is_tensor(value) for value in op.operands) or parent is None:
        return
    yield from _forwarded(forwarded_values_of(parent) or (), op)


def _of_call(op: func.CallOp) -> Iterator[AliasConstraint]:
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
    callee = symbol_around(call, name)
    assert isinstance(callee, func.FuncOp)
    return callee


def last_op(block: ir.Block) -> ir.OpView:
    """Return the block's terminator."""
    return block.operations[len(block.operations) - 1]


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
