"""Loops that change nothing but marks of shadow memory: they run until no mark changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mlir import ir
from mlir.dialects import arith, memref, scf

from forebay.dialects.accel import MoveOp
from forebay.dialects.memref_pool import CopyOp, RowOp
from forebay.ir.nested import ops_nested_in
from forebay.ir.plan_check.accesses.elements import ElementAccess
from forebay.ir.plan_check.accesses.uses import CheckedElement, Uses, is_without_memory
from forebay.ir.plan_check.buffers.placed import PlacedBuffers
from forebay.ir.plan_check.integers.arithmetic import is_integer
from forebay.ir.plan_check.integers.numbers import LinearForm
from forebay.ir.plan_check.program.runner import Runner, is_memref, is_token


class SimpleLoops:
    """The loops of a program that begin no buffer and no operation.

    `ruled` are the classes of ops with a rule of their own, which may begin one.
    """

    def __init__(
        self, runner: Runner, uses: Uses, placing: PlacedBuffers, ruled: Collection[type]
    ) -> None:
        self._runner = runner
        self._uses = uses
        self._run = uses.run
        self._placing = placing
        self._ruled = ruled
        self._known: dict[ir.Value, bool] = {}
        self._leaf_accesses: dict[ir.Value, list[CheckedElement] | None] = {}

    def has(self, op: scf.ForOp) -> bool:
        """Return whether a loop only computes: it begins no buffer and no operation."""
        known = self._known.get(op.induction_variable)
        if known is None:
            known = not any(is_memref(value) or is_token(value) for value in op.results)
            known = known and all(map(self._is_computation, ops_nested_in(op)))
            self._known[op.induction_variable] = known
        return known

    def run(
        self, op: scf.ForOp, body: ir.Block, bounds: tuple[LinearForm, LinearForm, LinearForm]
    ) -> None:
        """Run a loop that changes nothing but marks, until no mark changes.

        Marks only grow, so the state of an earlier iteration is included in that of a later one.
        After an iteration that broke no buffer and defined at most one, no other can differ.
        """
        counter, *carried = body.arguments
        fewest, most = self._run.numbers.trips(*bounds)
        self._run.known[counter], trip = self._run.numbers.counter(*bounds)
        self._run.numbers.limit(trip, 0, max(most - 1, 0))
        while True:
            changes, breaks = self._uses.shadow.changes, self._uses.shadow.breaks
            self._forget(carried)
            accesses = self._leaves(op)
            if accesses is None:
                self._runner.run_block(body)
            else:
                for access in accesses:
                    self._uses.check_alike(access)
            is_broken = self._uses.shadow.breaks != breaks
            if self._uses.shadow.changes - changes <= (0 if is_broken else 1):
                break
        self._run.numbers.settle(trip, fewest, most)
        self._forget(op.results)

    def _forget(self, values: Iterable[ir.Value]) -> None:
        for value in values:
            if is_integer(value.type):
                self._run.forget(value)

    def _is_computation(self, op: ir.OpView) -> bool:
        """Return whether an op begins no buffer and no operation, and repairs no buffer."""
        if isinstance(op, (memref.CopyOp, CopyOp, MoveOp)):
            return False
        if isinstance(op, memref.ViewOp):
            return op.result not in self._placing.values
        return isinstance(op, (scf.ForOp, scf.IfOp, scf.YieldOp, RowOp, memref.GetGlobalOp)) or (
            type(op) not in self._ruled or isinstance(op, arith.SelectOp)
        )

    def _leaves(self, op: scf.ForOp) -> list[CheckedElement] | None:
        """Return the loads and stores of a loop, if that is all it does with memory.

        Their indices must not matter: see `is_of_whole_cells`.
        """
        key = op.induction_variable
        if key not in self._leaf_accesses:
            nested = ops_nested_in(op)
            loads = [self._uses.element_of(o) for o in nested if isinstance(o, ElementAccess)]
            rest = [o for o in nested if not isinstance(o, ElementAccess)]
            is_leaf = all(
                isinstance(o, (scf.ForOp, scf.YieldOp)) or is_without_memory(o) for o in rest
            )
            self._leaf_accesses[key] = loads if is_leaf else None
        accesses = self._leaf_accesses[key]
        if accesses is None or not all(
            self._uses.is_of_whole_cells(access.memory) for access in accesses
        ):
            return None
        return accesses
