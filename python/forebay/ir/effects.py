"""What ops do to memory, by buffer and region, for those who would move ops past each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.ir.demands import demands_of
from forebay.ir.devices import host_of, module_around
from forebay.ir.liveness import liveness_of
from forebay.ir.nested import ops_in
from forebay.ir.regions import Region, region_of
from forebay.ir.roots import is_private

CALLER = "the caller's memory"

Buffers = frozenset[int | str | ir.Value] | None
"""Roots by number, and memory of the caller by the argument that it comes in; None: any memory."""


@dataclass(frozen=True)
class Effect:
    """What `op` does to a region of one of the buffers. Without a region, it may do anything."""

    op: ir.OpView
    buffers: Buffers
    region: Region | None
    reads: bool
    writes: bool

    def may_share(self, other: Effect) -> bool:
        """Whether both may be about one buffer."""
        return self.buffers is None or other.buffers is None or bool(self.buffers & other.buffers)

    def may_meet(self, other: Effect) -> bool:
        """Whether both may be about one element, in one run of the block that they are in."""
        if self.region is None or other.region is None:
            return self.may_share(other)
        return self.may_share(other) and self.region.may_meet(other.region)

    def conflicts(self, other: Effect) -> bool:
        """Whether they cannot change places: they meet, and one of them writes."""
        return (self.writes or other.writes) and self.may_meet(other)


class Memory:
    """The effects of a module's ops; as long as no buffer is made or replaced."""

    def __init__(self, module: ModuleOp) -> None:
        self.liveness = liveness_of(module)
        self._host = host_of(module)

    def buffers_of(self, value: ir.Value) -> Buffers:
        """The buffers that a memref may be a view of."""
        base = region_of(value).base
        found = self.liveness.aliases.get(value)
        if found is None and not isinstance(base, str):
            found = self.liveness.aliases.get(base)
        if found:
            return frozenset(found)
        if isinstance(base, str):
            return frozenset((base,))
        function = base.owner.owner.opview if isinstance(base.owner, ir.Block) else None
        if isinstance(function, func.FuncOp) and not is_private(function):
            return frozenset((base,))
        return frozenset((CALLER,)) if found is not None else None

    def effects_of(self, op: ir.OpView) -> list[Effect]:
        """What an op does, and all ops that are inside of it."""
        return [effect for inner in ops_in(op) for effect in self.own_effects_of(inner)]

    def effects_in(self, ops: Iterable[ir.OpView]) -> Iterator[Effect]:
        """What several ops do, in their order."""
        for op in ops:
            yield from self.effects_of(op)

    def own_effects_of(self, op: ir.OpView) -> Iterator[Effect]:
        """What an op does itself; ops in its regions have effects of their own."""
        if isinstance(op, func.CallOp) and _has_body(op):
            yield Effect(op, None, None, reads=True, writes=True)
            return
        for demand in demands_of(op, self._host):
            if isinstance(demand.value.type, ir.MemRefType):
                yield Effect(
                    op,
                    self.buffers_of(demand.value),
                    region_of(demand.value),
                    demand.reads,
                    demand.writes,
                )


def _has_body(call: func.CallOp) -> bool:
    callee = ir.SymbolTable(module_around(call))[call.callee.value]
    return isinstance(callee, func.FuncOp) and not callee.is_external


def conflict(effects: Iterable[Effect], others: Sequence[Effect]) -> bool:
    """Whether one of these and one of those cannot change places."""
    return any(one.conflicts(other) for one in effects for other in others)
