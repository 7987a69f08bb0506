"""Patterns: which operators a device takes, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from forebay.ir.fused import Fused
from forebay.targets.description.emit import Emit
from forebay.targets.description.place import Described

Condition = tuple[str, Callable[[Any], bool]]
"""What must hold of a view, in words that end "needs ...", and whether it does."""


@dataclass(frozen=True)
class Pattern(Described):
    """An operator that a device can run.

    `of` is a view of `forebay.ir.fused`, or several. `conditions` are tried in order, each relying
    on those before it; the first that fails is what the off-load report names. `build(view, emit)`
    gives the operator's result through calls of intrinsics and host operations around them; it may
    use whatever the view holds. Where patterns of several devices fit, the highest `priority` wins,
    then the target's order.
    """

    name: str
    device: str
    of: type[Fused] | tuple[type[Fused], ...]
    build: Callable[[Any, Emit], ir.Value]
    conditions: tuple[Condition, ...] = ()
    priority: int = 0

    def is_of(self, view: Fused) -> bool:
        """Whether the pattern is one for this kind of operator."""
        return isinstance(view, self.of)

    def failed_condition(self, view: Fused) -> str | None:
        """The first condition that the operator does not meet."""
        return next((words for words, holds in self.conditions if not holds(view)), None)
