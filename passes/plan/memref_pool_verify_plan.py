"""memref-pool-verify-plan: verify the plan independently of the planner."""

from typing import ClassVar

from mlir import ir

from forebay.ir.module import module_of
from forebay.ir.plan_check import check_layout, execute, placed_in
from forebay.passes._pass import Pass


class MemrefPoolVerifyPlan(Pass):
    """Refuse a plan in which an op could find its bytes overwritten.

    Checks every placement against its pool, and runs the program on shadow memory that records
    which buffer was written at each place. It uses neither the planner nor the liveness analysis.
    On a materialised module the views of pool bases are the buffers. There the pass cannot see the
    data that the caller keeps in the pools before and after a run; it checks all other data.
    """

    name: ClassVar[str] = "memref-pool-verify-plan"

    def run(self, op: ir.Operation) -> None:
        """Check the plan; change nothing."""
        module = module_of(op)
        placing = placed_in(module)
        check_layout(op, placing)
        execute(module, placing)
