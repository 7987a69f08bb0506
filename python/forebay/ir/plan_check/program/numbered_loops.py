"""Loops that are run iteration by iteration, with numbers for their induction variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from mlir import ir
from mlir.dialects import arith, scf

from forebay.ir.nested import ops_in
from forebay.ir.plan_check.accesses.uses import is_without_memory
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.integers.numbers import number
from forebay.ir.plan_check.program.runner import Runner, Step, last_op, only_block

_FEW = 8
"""Iterations for which the guards of a loop body are not looked at beforehand."""

_MOST_ITERATIONS = 1 << 16
"""Iterations of a loop that are run one by one; a longer loop is run as any other."""


class _Guarded(NamedTuple):
    """Ops of a loop body that run in the iterations in which `runs` is not 0."""

    runs: Callable[[int], int] | None
    steps: Sequence[Step]


class NumberedLoops:
    """The loops of a program that decide rows or choose positions; the others have no `counts`."""

    def __init__(self, runner: Runner, run: Arithmetic, row_counters: Collection[ir.Value]) -> None:
        self._runner = runner
        self._run = run
        self._row_counters = row_counters
        self._choosing: dict[ir.Value, bool] = {}

    def counts(self, op: scf.ForOp) -> range | None:
        """Return the values of an induction variable that decides which rows are used.

        Return also those of a short loop that chooses its positions, for example the first and the
        last column of a row: a choice is known only for a number.
        """
        if not self._row_counters:
            return None
        is_of_rows = op.induction_variable in self._row_counters
        if not is_of_rows and not self._chooses_positions(op):
            return None
        first, end, step = (
            self._run.of(value).constant for value in (op.lowerBound, op.upperBound, op.step)
        )
        if first is None or end is None or step is None or step <= 0:
            return None
        counts = range(first, end, step)
        return counts if len(counts) <= (_MOST_ITERATIONS if is_of_rows else _FEW) else None

    def run(self, op: scf.ForOp, counts: range) -> None:
        """Run a loop iteration by iteration, with numbers for its induction variable."""
        body = only_block(op.region, op.location)
        counter, *carried = body.arguments
        values = self._runner.values_of(op.initArgs)
        parts = None if carried or len(counts) < _FEW else self._guarded(body, counter)
        for count in counts:
            self._run.known[counter] = number(count)
            if parts is not None:
                self._run_guarded(parts, count)
                continue
            self._runner.bind(carried, values)
            self._runner.run_block(body)
            values = self._runner.values_of(last_op(body).operands)
        self._runner.bind(op.results, values)

    def _guarded(self, body: ir.Block, counter: ir.Value) -> list[_Guarded]:
        """Return the ops of a loop body with the conditions under which they run.

        Arithmetic runs before the ops that need it, in the iterations in which they run.
        """
        found: list[_Guarded] = []
        numbers: dict[ir.Value, tuple[int, Step]] = {}
        for position, op in enumerate(body.operations):
            step = self._runner.step_of(op)
            if step is None:
                continue
            if is_without_memory(op) and len(op.results) == 1:
                numbers[op.results[0]] = (position, step)
                continue
            runs = None
            if isinstance(op, scf.IfOp) and not len(op.results) and not _has_else(op):
                runs = self._run.function_of(op.condition, counter)
            found.append(_Guarded(runs, [*_needed(op, numbers), step]))
        return found

    def _run_guarded(self, parts: Sequence[_Guarded], count: int) -> None:
        for runs, steps in parts:
            if runs is None or runs(count) != 0:
                for step in steps:
                    step()

    def _chooses_positions(self, op: scf.ForOp) -> bool:
        key = op.induction_variable
        if key not in self._choosing:
            inner = only_block(op.region, op.location).operations
            self._choosing[key] = any(
                isinstance(each, arith.SelectOp) and isinstance(each.result.type, ir.IndexType)
                for each in inner
            )
        return self._choosing[key]


def _needed(op: ir.OpView, numbers: Mapping[ir.Value, tuple[int, Step]]) -> list[Step]:
    """Return what computes the numbers that an op and the ops inside it use, in program order."""
    found: dict[int, Step] = {}
    queue = [value for inner in ops_in(op) for value in inner.operands]
    while queue:
        value = queue.pop()
        if value in numbers and numbers[value][0] not in found:
            position, step = numbers[value]
            found[position] = step
            queue += list(value.owner.operands)
    return [step for _, step in sorted(found.items())]


def _has_else(op: scf.IfOp) -> bool:
    return len(op.elseRegion.blocks) > 0
