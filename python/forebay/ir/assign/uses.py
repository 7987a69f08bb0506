"""Uses of tensors: their positions, and the storage that each passes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlir import ir
from mlir.dialects import func, tensor
from msgspec import Struct

from forebay.assignment.problem import Position
from forebay.dialects import accel
from forebay.ir.assign.layout import SliceLayout, slice_layout_of
from forebay.ir.assign.machine import ModuleMemory
from forebay.ir.assign.strides import is_copied
from forebay.ir.memory.access_constraints import AccessConstraint
from forebay.ir.memory.storage import (
    AliasConstraint,
    alias_constraints_of,
    callee_of,
    is_tensor,
)
from forebay.ir.nested import inner_blocks, ops_but_computations


class Use(Struct, frozen=True):
    """An operand that is a tensor.

    `tied` are the tensors that have its storage after the use. `parameter` stands for an argument
    of a function without a body. `constraint` is None where the op accesses no bytes.
    """

    op: ir.OpView
    operand: int
    position: Position
    tied: tuple[ir.Value, ...] = ()
    is_view: bool = False
    constraint: AccessConstraint | None = None
    parameter: tuple[str, int] | None = None

    @property
    def value(self) -> ir.Value:
        """Return the tensor that is used."""
        return self.op.operands[self.operand]

    @property
    def is_call(self) -> bool:
        """Return whether the tensor is passed to a function."""
        return isinstance(self.op, func.CallOp)

    @property
    def overwrites(self) -> bool:
        """Return whether the storage may be overwritten, or mixed with other storage."""
        return bool(self.tied) and not self.is_view and not self.is_call

    @property
    def needs_contents(self) -> bool:
        """Return whether the old contents matter."""
        return (
            self.constraint is None
            or self.constraint.reads
            or not self.overwrites
            or self._keeps_rest()
        )

    @property
    def needs_own_bytes(self) -> bool:
        """Return whether the tensor needs a copy because it is a part of another one."""
        if self.is_call:
            return slice_layout_of(self.value) is not SliceLayout.WHOLE
        if isinstance(self.op, tensor.CollapseShapeOp):
            return is_copied(self.op)
        contiguous = self.constraint is not None and self.constraint.contiguous
        return contiguous and slice_layout_of(self.value) is SliceLayout.STRIDED

    def _keeps_rest(self) -> bool:
        """Return whether the op overwrites only a part."""
        return isinstance(self.op, (tensor.InsertOp, tensor.InsertSliceOp))


def uses_in(machine: ModuleMemory, functions: Iterable[func.FuncOp]) -> list[Use]:
    """Return all uses in the functions' bodies, in order."""
    positions = {
        op: position for function in functions for op, position in _walk(function.entry_block, ())
    }
    ties: dict[tuple[ir.OpView, int], list[AliasConstraint]] = {}
    for op in positions:
        for tie in alias_constraints_of(op):
            ties.setdefault((tie.op, tie.operand), []).append(tie)
    return [
        _use(op, index, position, ties.get((op, index), ()), constraints)
        for op, position in positions.items()
        if any(map(is_tensor, op.operands))
        for constraints in [
            {constraint.operand: constraint for constraint in machine.constraints.of(op)}
        ]
        for index, operand in enumerate(op.operands)
        if is_tensor(operand)
    ]


def _use(
    op: ir.OpView,
    index: int,
    position: Position,
    ties: Iterable[AliasConstraint],
    constraints: dict[int | None, AccessConstraint],
) -> Use:
    tied = [tie for tie in ties if is_tensor(tie.value)]
    declared = isinstance(op, func.CallOp) and callee_of(op).is_external
    return Use(
        op,
        index,
        position,
        tuple(dict.fromkeys(tie.value for tie in tied)),
        any(tie.view for tie in tied),
        constraints.get(index),
        (callee_of(op).sym_name.value, index) if declared else None,
    )


def _walk(block: ir.Block, around: Position) -> Iterator[tuple[ir.OpView, Position]]:
    """Yield every op that may use memory with its position, outer ones first."""
    number = hash(block)
    for index, op in enumerate(ops_but_computations(block)):
        position = (*around, (number, index))
        yield op, position
        if isinstance(op, accel.IntrinsicOp):
            continue
        for inner in inner_blocks(op):
            yield from _walk(inner, position)


def calls_of(functions: Iterable[func.FuncOp]) -> dict[str, int]:
    """Return how often each function runs in one run of all entry functions; loops count once."""
    called = {function.sym_name.value: list[str]() for function in functions}
    for function in functions:
        for op, _ in _walk(function.entry_block, ()):
            if isinstance(op, func.CallOp) and op.callee.value in called:
                called[op.callee.value].append(function.sym_name.value)

    def count(name: str, on_the_way: tuple[str, ...]) -> int:
        if name in on_the_way:
            return 0
        callers = called[name]
        return max(1, sum(count(caller, (*on_the_way, name)) for caller in callers))

    return {name: count(name, ()) for name in called}
