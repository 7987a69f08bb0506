"""A step that leads to a budget: what it gives, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

PACK = "whole tensors"
IN_PLACE = "in place"
SINGLE_ROWS = "rows of one operator at a time"
CASCADE = "rows of several operators"
PADDED = "with padded rows"
PLAN = "plan"

UNLIMITED = 1 << 62
"""A budget that every plan is within."""


class BudgetStep(Struct, frozen=True):
    """The most live bytes of a pool after a step, and the instructions that it adds.

    The last step is the plan; its bytes are the peak.
    """

    pool: str
    step: str
    bytes: int
    added: int


def with_peaks(steps: Iterable[BudgetStep], peaks: Mapping[str, int]) -> tuple[BudgetStep, ...]:
    """Return the steps with the peaks of the final plan, in bytes by pool.

    The search had a plan of its own, in which buffers that go to other pools later may still be.
    """
    return tuple(
        structs.replace(step, bytes=peaks[step.pool])
        if step.step == PLAN and step.pool in peaks
        else step
        for step in steps
    )
