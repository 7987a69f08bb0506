"""Patterns: the operators that a device takes, and how each is replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from forebay.computations.condition import Condition
from forebay.ir.fused import Fused
from forebay.targets.description.emit import Emit
from forebay.targets.description.source_location import DescribedObject


@dataclass(frozen=True)
class Pattern(DescribedObject):
    """An operator that a device can run.

    `of` is a view class of `forebay.ir.fused`, or several. `conditions` are tried in order, and
    each may rely on those before it. The off-load report names the first that fails. `build(view,
    emit)` builds calls of intrinsics and host operations around them, and returns the operator's
    result. It may use everything in the view. Where patterns of several devices fit, the highest
    `priority` wins, then the first in the target's order.
    """

    name: str
    device: str
    of: type[Fused] | tuple[type[Fused], ...]
    build: Callable[[Any, Emit], ir.Value]
    conditions: tuple[Condition, ...] = ()
    priority: int = 0

    def is_of(self, view: Fused) -> bool:
        """Return whether the pattern is for this kind of operator."""
        return isinstance(view, self.of)

    def failed_condition(self, view: Fused) -> str | None:
        """Return the text of the first condition that the operator does not meet, or None."""
        return next((words for words, holds in self.conditions if not holds(view)), None)
