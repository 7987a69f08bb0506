"""memref-pool-solve: plan the planning problems that a module holds as IR."""

from typing import ClassVar

from mlir import ir

from forebay.dialects.memref_pool import BufferOp, PoolOp, ProblemOp
from forebay.ir.problem.planning_problem import annotate_plan, problem_of_op, problems_in
from forebay.passes._pass import Pass, PassError, option
from forebay.planning import PlanInfeasibleError, PlanningError, plan
from forebay.planning.contract.effort import Effort
from forebay.support.records import record


@record
class MemrefPoolSolve(Pass):
    """Plan each `memref_pool.problem`: a placement for each buffer, a certificate for each pool.

    An existing placement does not pin the buffer; the pass replaces it.
    """

    name: ClassVar[str] = "memref-pool-solve"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool",)

    planner: str = option("auto", "name of the planner")
    effort: Effort = option(Effort.NORMAL, "how much work it may spend")

    def run(self, op: ir.Operation) -> None:
        """Write placements and certificates."""
        for problem in problems_in(op):
            try:
                found = plan(problem_of_op(problem), self.planner, self.effort)
            except PlanInfeasibleError as error:
                raise _shortage(problem, error) from error
            except PlanningError as error:
                raise PassError(_where(problem, error), str(error)) from error
            annotate_plan(problem, found)


def _shortage(problem: ProblemOp, error: PlanInfeasibleError) -> PassError:
    """Return the error at the pool that is too small, with a note at every buffer that needs it."""
    ops = {
        op.sym_name.value: op
        for op in problem.body.blocks[0].operations
        if isinstance(op, BufferOp | PoolOp)
    }
    notes = [
        (ops[constraint.buffer].location, f"'{constraint.buffer}' needs {constraint.size:,} bytes")
        for constraint in error.live
    ]
    return PassError(ops[error.pool].location, str(error), notes)


def _where(problem: ProblemOp, error: PlanningError) -> ir.Location:
    """Return the location of the first buffer of the error, else of its first pool."""
    ops = {
        op.sym_name.value: op.location
        for op in problem.body.blocks[0].operations
        if isinstance(op, BufferOp | PoolOp)
    }
    names = (*error.buffers, *error.pools)
    return next((ops[name] for name in names if name in ops), problem.location)
