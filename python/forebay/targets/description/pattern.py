"""Patterns: the operators that a device takes, and how each is replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from forebay.computations.condition import Condition
from forebay.ir.fused import Fused, SingleOp, is_root
from forebay.support.records import record
from forebay.targets.description.emit import Emit
from forebay.targets.description.source_location import DescribedObject

OperatorClass = type[Fused] | type[ir.OpView]
"""The class of a view, or of an op."""


@record
class Pattern(DescribedObject):
    """An operator that a device can run.

    `of` is a view class of `forebay.api.operators`, an op class of MLIR's bindings, or several. An
    op class stands for the view whose root is the op, and for any other op for a `SingleOp`.
    `conditions` are tried in order, and each may rely on those before it. The off-load report names
    the first that fails. `build(view, emit)` builds calls of intrinsics and host operations around
    them, and returns the operator's result. It may use everything in the view. Where patterns of
    several devices fit, the highest `priority` wins, then the first in the target's order.
    """

    name: str
    device: str
    of: OperatorClass | tuple[OperatorClass, ...]
    build: Callable[[Any, Emit], ir.Value]
    conditions: tuple[Condition, ...] = ()
    priority: int = 0

    def is_of(self, view: Fused) -> bool:
        """Return whether the pattern is for this kind of operator."""
        if isinstance(view, self.of):
            return True
        own = view.ops if isinstance(view, SingleOp) else filter(is_root, view.ops)
        return any(isinstance(op, self.of) for op in own)

    @property
    def op_classes(self) -> tuple[type[ir.OpView], ...]:
        """The op classes of `of`."""
        classes = self.of if isinstance(self.of, tuple) else (self.of,)
        return tuple(it for it in classes if issubclass(it, ir.OpView))

    def failed_condition(self, view: Fused) -> str | None:
        """Return the text of the first condition that the operator does not meet, or None."""
        return next((words for words, holds in self.conditions if not holds(view)), None)
