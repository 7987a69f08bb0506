"""memref-pool-assign: every tensor gets the ordered set of pools that it may live in."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    write,
)
from forebay.ir.assign.held import check_held
from forebay.ir.memory.roots import is_private
from forebay.passes._pass import Pass, PassError, option


@dataclass(frozen=True)
class MemrefPoolAssign(Pass):
    """Write the candidate pools of every tensor into its type.

    The last pass on tensors, and one problem over the whole module, calls, loops and branches
    included. Tensors that will share a buffer form one class; its candidates are the pools that
    suit all who touch it: operands of intrinsics by their constraints, everything else by the
    rights of the device it runs on. `memref_pool.candidates` on an op, an argument or a result
    narrows and orders them. Where no pool suits all, the host makes a `memref_pool.copy` just
    before the first user that needs it, so that the fewest bytes are copied. What the program does
    not own (constants, inputs, state that is read) is copied before it would be overwritten.

    Arguments and results of public functions stay in the caller's memory, or get a place in a pool
    with `io=pool` or candidates of their own; results leave by a `memref_pool.copy`.
    """

    name: ClassVar[str] = "memref-pool-assign"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "tensor", "bufferization", "arith")

    io: str = option("caller", "where inputs and outputs live: caller | pool")
    strict: bool = option(False, "refuse a module that needs a copy")

    def run(self, op: ir.Operation) -> None:
        """Extract, solve, write back."""
        if self.io not in ("caller", "pool"):
            raise PassError(op.location, f"io is 'caller' or 'pool', not '{self.io}'")
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
        write(extraction, solution)

    def _solved(
        self, op: ir.Operation, functions: Sequence[func.FuncOp]
    ) -> tuple[AssignmentExtraction, Solution]:
        extraction = extract_assignment(op, functions, pooled=self.io == "pool")
        check_slots(extraction)
        return extraction, solve(extraction.problem)
