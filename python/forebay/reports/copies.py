"""The copies that a planned program makes between pools."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.accel import MoveOp, StartOp
from forebay.dialects.memref_pool import CopyOp
from forebay.ir.liveness.liveness import Liveness
from forebay.ir.locations import describe_location, name_hint
from forebay.ir.machine.pools import bytes_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.problem import planned_placement

_CALLER = ""
"""Stands for the caller's memory, which is no pool."""


class PoolCopy(Struct, frozen=True):
    """A copy of `bytes` bytes from one pool to another, or from or to the caller's memory.

    `why` names the operand that needs the value there, or the transfer that moves it; `where` is
    the location of its operation.
    """

    source: str
    target: str
    bytes: int
    why: str
    where: str

    @property
    def is_between_pools(self) -> bool:
        """Return whether it moves a value because its users need it in two pools."""
        return bool(self.source and self.target) and self.source != self.target

    def __str__(self) -> str:
        source, target = (pool or "the caller's memory" for pool in (self.source, self.target))
        return f"{self.where}: {self.why}: {self.bytes:,} B from {source} to {target}"


def pool_copies_in(module: ModuleOp, liveness: Liveness) -> tuple[PoolCopy, ...]:
    """Return the copies between pools of a planned module, in program order, one for each op.

    Includes synchronous and asynchronous transfers.
    """
    kinds = (CopyOp, MoveOp, StartOp)
    return tuple(
        PoolCopy(
            _pool_of(op.source, liveness),
            _pool_of(op.target, liveness),
            bytes_of(ir.MemRefType(op.source.type)),
            name_hint(op.location) or _mover(op),
            describe_location(op.location),
        )
        for op in ops_of(module, *kinds)
    )


def _mover(op: CopyOp | MoveOp | StartOp) -> str:
    return "copy" if isinstance(op, CopyOp) else f"@{op.transfer.value}"


def _pool_of(value: ir.Value, liveness: Liveness) -> str:
    roots = sorted(liveness.aliases.get(value, ()))
    return planned_placement(liveness.buffers[roots[0]]).pool if roots else _CALLER
