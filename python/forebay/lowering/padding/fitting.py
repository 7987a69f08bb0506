"""Which padded copies fit into the bytes that the plan has without them, or into budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.underlying import Base
from forebay.ir.module import module_of
from forebay.ir.problem.banks import with_separate_banks
from forebay.ir.problem.problem import ProblemExtraction, extract_problem
from forebay.ir.problem.unique_names import unique_names
from forebay.lowering.padding.padding import SOURCE
from forebay.planning import Kind, Plan, PlanningError, plan

Pad = Callable[[ModuleOp, Sequence[int]], None]
"""Pads the sources of the kernels with these numbers in a clone of the module."""


class PaddedCopy(Struct, frozen=True, eq=False):
    """The copy that a kernel reads: the kernel and its number, bytes, and candidate pools."""

    kernel: ReduceOp
    number: int
    bytes: int
    pools: tuple[str, ...]


class PaddingLimits:
    """The limits of the pools of a module for padded copies.

    A pool has no higher peak with copies than without them, or is within its budget in `budgets`.
    All other buffers stay in their pools.
    """

    def __init__(self, module: ModuleOp, budgets: Mapping[str, int], planner: str) -> None:
        self._module, self._planner = module, planner
        self._limits = _PlanLimits.of(module, budgets, planner)

    def fitting(self, copies: Sequence[PaddedCopy], pad: Pad) -> tuple[int, ...]:
        """Return the numbers of the kernels whose copies fit as a whole, in ascending order.

        A copy with more bytes than are free where its kernel runs is left out.
        """
        if self._limits is None:
            return ()
        free = {copy: self._limits.free_bytes_with(copy) for copy in copies}
        most_free = sorted(copies, key=free.__getitem__)[::-1]
        return self.longest_prefix([copy.number for copy in most_free if free[copy] >= 0], pad)

    def longest_prefix(self, numbers: Sequence[int], pad: Pad) -> tuple[int, ...]:
        """Return a prefix of the numbers whose copies fit, in ascending order.

        The trial plan of a padded clone decides. Each trial leaves out the last numbers, twice as
        many as the trial before it, so that there are few trials.
        """
        left_out, chosen = 1, list(numbers)
        while chosen and self._limits is not None:
            clone = module_of(self._module.operation.clone().operation)
            pad(clone, sorted(chosen))
            is_within = self._limits.is_within(clone, self._planner)
            clone.operation.erase()
            if is_within:
                return tuple(sorted(chosen))
            chosen, left_out = chosen[: max(0, len(chosen) - left_out)], 2 * left_out
        return ()


class _PlanLimits(Struct, frozen=True, eq=False):
    """The plan of a program, and the bytes that each of its pools may have."""

    extraction: ProblemExtraction
    plan: Plan
    limits: Mapping[str, int]
    ticks: Mapping[ir.Operation, int]

    @staticmethod
    def of(module: ModuleOp, budgets: Mapping[str, int], planner: str) -> _PlanLimits | None:
        """Return the plan and the limits of a module, or None if it has no plan."""
        extraction = extract_problem(module)
        try:
            found = plan(with_separate_banks(extraction), planner)
        except PlanningError:  # the pass that plans explains it
            return None
        limits = {
            pool.name: max(found.peak(pool.name), budgets.get(pool.name, 0))
            for pool in extraction.problem.pools
        }
        program = extraction.liveness.program
        ticks = {step.op.operation: tick for tick, step in enumerate(program)}
        return _PlanLimits(extraction, found, limits, ticks)

    def free_bytes_with(self, copy: PaddedCopy) -> int:
        """Return an upper bound of the bytes that are free with a copy in its best pool.

        It is negative if the copy does not fit. The copy is made while the source is live, and read
        while the result is live.
        """
        tick = self.ticks.get(copy.kernel.operation)
        if tick is None:
            return -1
        least = (
            min(
                self._free(pool, tick, begins_behind=copy.kernel.output),
                self._free(pool, tick, ends_before=copy.kernel.inputs[SOURCE]),
            )
            for pool in copy.pools
        )
        return max(least, default=-1) - copy.bytes

    def _free(
        self,
        pool: str,
        tick: int,
        begins_behind: Base | None = None,
        ends_before: Base | None = None,
    ) -> int:
        """Return the bytes that are not live, without a buffer that begins or ends at the tick."""
        liveness, problem = self.extraction.liveness, self.extraction.problem
        first = frozenset() if begins_behind is None else liveness.aliases.get(begins_behind, ())
        last = frozenset() if ends_before is None else liveness.aliases.get(ends_before, ())
        free = self.limits[pool]
        for buffer, part in zip(problem.buffers, self.extraction.parts, strict=True):
            if self.plan.placements[buffer.name].pool != pool or buffer.kind is not Kind.WORKSPACE:
                continue
            for begin, end in buffer.lifetime:
                is_left_out = (part.root in first and begin == tick) or (
                    part.root in last and end == tick + 1
                )
                if begin <= tick < end and not is_left_out:
                    free -= buffer.size
        return free

    def is_within(self, module: ModuleOp, planner: str) -> bool:
        """Return whether the plan of a padded module has no more bytes, and moves no buffer."""
        extraction = extract_problem(module)
        try:
            found = plan(with_separate_banks(extraction), planner)
        except PlanningError:
            return False
        pools, before = _pools_of(extraction, found), _pools_of(self.extraction, self.plan)
        return all(found.peak(pool) <= limit for pool, limit in self.limits.items()) and all(
            pools.get(name, known) == known for name, known in before.items()
        )


def _pools_of(extraction: ProblemExtraction, found: Plan) -> dict[str, set[str]]:
    """Return the pools of all rows of each buffer, by its name."""
    names = unique_names(root.name for root in extraction.liveness.buffers)
    pools: dict[str, set[str]] = {name: set() for name in names}
    for buffer, part in zip(extraction.problem.buffers, extraction.parts, strict=True):
        pools[names[part.root]].add(found.placements[buffer.name].pool)
    return pools
