"""memref-pool-verify-plan: the independent wall after planning."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay.ir.module import module_of
from forebay.ir.plan_check import check_layout, execute, placed_in
from forebay.passes._pass import Pass


@dataclass(frozen=True)
class MemrefPoolVerifyPlan(Pass):
    """Refuse a plan in which an op could find its bytes overwritten.

    It checks every place against its pool, and runs the program on shadow memory that remembers
    which buffer was written where. It uses neither the planner nor the liveness analysis. On a
    materialised module the views of pool bases are the buffers: what the caller keeps in the pools
    before and after a run is not seen there, everything else is.
    """

    name: ClassVar[str] = "memref-pool-verify-plan"

    def run(self, op: ir.Operation) -> None:
        """Check; nothing is changed."""
        module = module_of(op)
        placing = placed_in(module)
        check_layout(op, placing)
        execute(module, placing)
