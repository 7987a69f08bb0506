"""The pattern of declared intrinsics: an operator becomes a call, with layouts around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from mlir import ir

from forebay.computations.computation import ComputedOperator
from forebay.computations.layout import common_blocks, rounded
from forebay.ir.fused import Fused, element_type, shape_of
from forebay.targets.declared.conditions import conditions_of
from forebay.targets.declared.group import IntrinsicGroup
from forebay.targets.declared.layout_change import LayoutChange, extents_of
from forebay.targets.description.emit import Emit
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.pattern import Pattern
from forebay.targets.description.pool import Pool


@dataclass(frozen=True)
class DerivedPattern(Pattern):
    """A pattern that follows from declared intrinsics."""


def pattern_of(group: IntrinsicGroup, whole: Intrinsic, pools: Sequence[Pool]) -> DerivedPattern:
    """Return the pattern that replaces an operator by a call of the intrinsic `whole`."""
    builder = _Builder(group, whole)
    return DerivedPattern(
        group.main.name,
        group.device.name,
        group.computation.of,
        builder.build,
        conditions_of(group, builder.operator_of, pools),
    )


class _Builder:
    """Builds the call of an operator; each operator is computed once per view."""

    def __init__(self, group: IntrinsicGroup, whole: Intrinsic) -> None:
        self._group = group
        self._whole = whole
        self._operators: WeakKeyDictionary[Fused, ComputedOperator] = WeakKeyDictionary()

    def operator_of(self, view: Fused) -> ComputedOperator:
        """Return the operator of a view."""
        if view not in self._operators:
            self._operators[view] = self._group.computation.operator(view)
        return self._operators[view]

    def build(self, view: Fused, emit: Emit) -> ir.Value:
        """Build the call, and return the result in the form that it had."""
        operator, layouts = self.operator_of(view), self._group.layouts
        blocks = common_blocks(list(layouts.values()))
        scalars = rounded(operator.scalars, blocks)
        inputs = [
            self._input(operand.name, operator, blocks, emit)
            for operand in self._whole.operands
            if not operand.is_written
        ]
        (out,) = (operand.name for operand in self._whole.operands if operand.is_written)
        layout = layouts[out]
        result = emit.call(
            self._whole.name,
            *inputs,
            out=ir.RankedTensorType.get(layout.shape(scalars), element_type(view.result)),
            **{name: scalars[name] for name in self._whole.scalars},
        )
        change = LayoutChange(layout, extents_of(layout, operator.scalars), blocks)
        value = emit.reshape(change.undone(result, emit), shape_of(view.result))
        emit.learn(value, change.key, result)
        return value

    def _input(
        self, name: str, operator: ComputedOperator, blocks: Mapping[str, int], emit: Emit
    ) -> ir.Value:
        computation, layout = self._group.computation, self._group.layouts[name]
        fill = computation.fills.get(name, 0)
        number = operator.scalars[fill] if isinstance(fill, str) else fill
        given = operator.operands[name]
        if isinstance(given, np.ndarray):
            return emit.constant(layout.arranged(given, blocks, number))
        change = LayoutChange(layout, extents_of(layout, operator.scalars), blocks)
        known = emit.known(given, change.key) if name not in computation.fills else None
        if known is None:
            known = change.made(given, number, emit)
            emit.learn(given, change.key, known)
        return known
