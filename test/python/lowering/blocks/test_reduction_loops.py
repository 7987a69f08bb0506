"""Loops of whole blocks of steps, and the steps that are left over."""

from __future__ import annotations

from contextlib import ExitStack

from common.programs.blocked_nests import PIXELS, blocked_op, names_before
from mlir import ir

from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.operand import BlockOffsets
from forebay.lowering.blocks.reduction_loops import ReductionLoops
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.kernels import scalar


class CountedSteps(ReductionLoops):
    """Adds nothing, and keeps the steps."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*parts)  # pyright: ignore[reportArgumentType]
        self.steps: list[BlockOffsets] = []

    def add_words(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues, lanes: int
    ) -> list[ir.Value]:
        raise AssertionError("the op has no words")

    def add_elements(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        self.steps.append(step)
        return sums


def steps_of(block: int) -> tuple[list[BlockOffsets], list[str]]:
    """Return the emitted steps of a reduction of 5 points, and the loops in front of the op."""
    with blocked_op(PIXELS, [2, 3, 1]) as blocked, ExitStack() as part:
        scope = NestScope(blocked)
        scope.enter_nest()
        wanted = Subdomain(blocked.axes, blocked.box.counters, [2, 3, block], 2, ())
        part.enter_context(scope.narrowed(wanted))
        for dim in range(2):
            scope.enter(dim, scalar.scalar_constant(0, ir.IndexType.get()))
        loops = CountedSteps(blocked, scope, NestElements(blocked, scope))
        zero = scalar.scalar_constant(0, scalar.i32())
        loops.loop(2, {}, [zero], {})
        return loops.steps, [name for name in names_before(blocked) if name == "scf.for"]


def test_a_block_of_all_points_has_no_loop() -> None:
    assert steps_of(5) == ([{2: step} for step in range(5)], [])


def test_a_loop_of_single_steps() -> None:
    assert steps_of(1) == ([{2: 0}], ["scf.for"])


def test_points_behind_whole_blocks_follow_the_loop() -> None:
    assert steps_of(2) == ([{2: 0}, {2: 1}, {2: 0}], ["scf.for"])
