"""A module whose plan and program are right, and the ways to look at it that mutants need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mlir import ir
from mlir.dialects import memref

from common.injection.plan import Planned
from forebay.dialects import accel, memref_pool
from forebay.ir.machine.devices import host_of
from forebay.ir.memory.access_constraints import access_constraints_of
from forebay.ir.nested import ops_nested_in

MOVES = (memref.CopyOp, memref_pool.CopyOp, accel.MoveOp, accel.StartOp)
KERNELS = (accel.ReduceOp, accel.CallOp)
_VIEWS = (memref.SubViewOp, memref.CollapseShapeOp, memref.ExpandShapeOp, memref.TransposeOp)


@dataclass(frozen=True)
class Right:
    """The module and its plan; ops are known by their numbers, which clones keep."""

    module: ir.Operation
    planned: Planned

    @cached_property
    def ops(self) -> list[ir.OpView]:
        """All ops, each before what is inside of it."""
        return ops_nested_in(self.module)

    @cached_property
    def writes(self) -> list[frozenset[ir.Value]]:
        """Of each op the buffers that it writes."""
        return [self._touched(op, writing=True) for op in self.ops]

    @cached_property
    def reads(self) -> list[frozenset[ir.Value]]:
        """Of each op the buffers that it reads."""
        return [self._touched(op, writing=False) for op in self.ops]

    def numbered(self, wanted: Callable[[ir.OpView], bool]) -> list[tuple[int, Any]]:
        """The ops that are wanted, with their numbers."""
        return [(number, op) for number, op in enumerate(self.ops) if wanted(op)]

    def is_only_writer(self, number: int) -> bool:
        """Whether an op writes one buffer, which nothing else writes."""
        written = self.writes[number]
        return len(written) == 1 and sum(written <= other for other in self.writes) == 1

    @cached_property
    def _host(self) -> str:
        return host_of(self.module)

    def _touched(self, op: ir.OpView, *, writing: bool) -> frozenset[ir.Value]:
        demands = (d for d in access_constraints_of(op, self._host) if d.operand is not None)
        return frozenset(root(d.value) for d in demands if (d.writes if writing else d.reads))


def root(value: ir.Value) -> ir.Value:
    """What a chain of views is a view of."""
    owner: Any = value.owner
    while not isinstance(owner, ir.Block) and isinstance(owner.operation.opview, _VIEWS):
        value = owner.operation.operands[0]
        owner = value.owner
    return value


def is_load(op: ir.OpView) -> bool:
    """Whether it brings something to a device."""
    if isinstance(op, accel.CallOp):
        return "fetcher" in op.callee.value
    return isinstance(op, accel.MoveOp | accel.StartOp) and "load" in op.transfer.value
