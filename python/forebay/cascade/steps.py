"""A step that leads to a budget: what it gives, and what it costs."""

from __future__ import annotations

from msgspec import Struct

PACK = "whole tensors"
IN_PLACE = "in place"
SINGLE_ROWS = "rows of one operator at a time"
CASCADE = "rows of several operators"
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
