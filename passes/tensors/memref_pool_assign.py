"""memref-pool-assign: give every tensor the ordered set of pools that it may live in."""

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.assignment import Solution, solve
from forebay.ir.assign import (
    AssignmentExtraction,
    check_slots,
    check_solution,
    copy_results_out,
    extract_assignment,
    make_routes,
    write_assignment,
)
from forebay.ir.assign.held_regions import check_held
from forebay.ir.memory.underlying_buffers import is_private
from forebay.options.choices import Io
from forebay.passes._pass import Pass, option
from forebay.support.records import record


@record
class MemrefPoolAssign(Pass):
    """Write the candidate pools of every tensor into its type.

    This is the last pass on tensors. It solves one problem over the whole module, including calls,
    loops and branches. Tensors that will share a buffer form one alias set. Its candidates are the
    pools that suit all its users: the constraints of the intrinsic decide for its operands, and the
    access rights of the device that runs the op decide for all others. `memref_pool.candidates` on
    an op, an argument or a result restricts and orders the candidates. If no pool suits all users,
    the host makes a `memref_pool.copy` directly before the first user that needs it; the number of
    copied bytes is minimal. Memory that the program does not own (constants, inputs, state that is
    read) is copied before an op would overwrite it. Arguments and results of public functions stay
    in the caller's memory, or get a place in a pool with `io=pool` or candidates of their own. A
    `memref_pool.copy` returns each result.
    """

    name: ClassVar[str] = "memref-pool-assign"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "tensor", "bufferization", "arith")

    io: Io = option("caller", "where inputs and outputs live")
    strict: bool = option(False, "refuse a module that needs a copy")

    def run(self, op: ir.Operation) -> None:
        """Extract the problem, solve it, write the solution back."""
        check_held(op)
        functions = [
            f
            for f in op.regions[0].blocks[0].operations
            if isinstance(f, func.FuncOp) and not f.is_external
        ]
        for function in functions:
            if not is_private(function):
                copy_results_out(function, pooled=self.io == "pool")
        extraction, solution = self._solved(op, functions)
        while not self.strict and not solution.possible and make_routes(extraction, solution):
            extraction, solution = self._solved(op, functions)
        check_solution(extraction, solution, strict=self.strict)
        write_assignment(extraction, solution)

    def _solved(
        self, op: ir.Operation, functions: Sequence[func.FuncOp]
    ) -> tuple[AssignmentExtraction, Solution]:
        extraction = extract_assignment(op, functions, pooled=self.io == "pool")
        check_slots(extraction)
        return extraction, solve(extraction.problem)
