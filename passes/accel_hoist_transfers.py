"""accel-hoist-transfers: what transfers move again and again is moved once."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects import accel
from forebay.ir.effects import Memory
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.roots import functions_in
from forebay.passes._pass import Pass
from forebay.scheduling.hoist import hoist
from forebay.scheduling.room import Room
from forebay.scheduling.round_trips import shorten
from forebay.scheduling.sharing import share

_REWRITES = (shorten, share, hoist)


@dataclass(frozen=True)
class AccelHoistTransfers(Pass):
    """Move copies out of loops, and remove those that move what is there already.

    A copy whose operands are the same in every iteration goes in front of the loop, with the buffer
    that it fills, where nothing in the loop writes what it reads or writes; a store behind it,
    where nothing in the loop uses what it writes, and the loop is known to run. A way back to where
    bytes come from disappears; a copy of what was only just copied reads the original; what is
    overwritten before it is read is not stored; and what is loaded into two buffers, into one.

    What is in flight is left alone, and so is a buffer that would live longer than its pool has
    room for. Buffers that nobody uses any more go.
    """

    name: ClassVar[str] = "accel-hoist-transfers"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")

    def run(self, op: ir.Operation) -> None:
        """Rewrite, one copy after another, until none is left to rewrite."""
        module = module_of(op)
        while any(isinstance(inner, accel.MoveOp) for inner in ops_nested_in(op)):
            if not _rewrite_one(module):
                return


def _rewrite_one(module: ModuleOp) -> bool:
    memory, room = Memory(module), Room(module)
    functions = [f for f in functions_in(module) if not f.is_external]
    return any(rewrite(f, memory, room) for f in functions for rewrite in _REWRITES)
