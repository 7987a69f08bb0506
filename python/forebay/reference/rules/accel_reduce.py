"""`accel.reduce`, on the whole domain or on a box of it; windows are clamped at the borders."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.reference.affine import evaluate
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule
from forebay.reference.types import Array

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@rule(ReduceOp)
def reduce(op: ReduceOp, scope: Scope) -> Action:
    """Run all parallel points at once, and the points of the reduction in order."""
    kernel = _Reduce(op, scope)
    return kernel.run


class _Reduce:
    """An op, and the slots of its operands and results."""

    def __init__(self, op: ReduceOp, scope: Scope) -> None:
        self._parallel = len(op.parallel)
        extents = [*op.parallel, *op.reduction]
        self._extents, self._sizes = extents, list(op.sizes or extents)
        self._static = list(op.static_starts or [0] * len(extents))
        self._starts, self._ins = scope.slots(op.starts), scope.slots(op.inputs)
        self._params, self._out = scope.slots(op.params), scope.slot(op.output)
        self._kept, self._results = scope.slots(op.accumulators), scope.slots(op.result_tensors)
        exprs = [list(ir.AffineMapAttr(map_).value.results) for map_ in op.maps]
        self._index = exprs[: len(self._ins)]
        self._param_index = exprs[len(self._ins) : -1]
        self._out_index = exprs[-1]
        self._init, self._body, self._finish = map(scope.body, (op.init, op.body, op.finish))

    def run(self, frame: Frame) -> None:
        """Run the box that the starts give, on copies of tensors."""
        dynamic = iter(self._starts)
        starts = [int(frame[next(dynamic)]) if s == _DYNAMIC else s for s in self._static]
        out, *kept = (
            frame[slot].copy() if self._results else frame[slot]
            for slot in (self._out, *self._kept)
        )
        point = self._outer(starts)
        inner = range(self._parallel, len(starts))
        ends = [self._extents[d] - self._sizes[d] for d in inner]
        params = [
            frame[slot][self._at(index, point)]
            for slot, index in zip(self._params, self._param_index, strict=True)
        ]
        count: Any = np.zeros((1,) * self._parallel, np.int32)
        if any(starts[d] for d in inner):
            values = list(kept)
            count = values.pop() if len(values) > len(self._init.yields) else count
        else:
            values = self._init.run(frame, params)
        ranges = [range(starts[d], starts[d] + self._sizes[d]) for d in inner]
        for numbers in itertools.product(*ranges):
            point[self._parallel :] = numbers
            values, count = self._accumulated(frame, point, values, count)
        if [starts[d] for d in inner] == ends:
            (elements,) = self._finish.run(frame, [*values, count, *params])
            out[self._at(self._out_index, point)] = elements
        else:
            for target, value in zip(kept, [*values, count], strict=False):
                target[...] = value
        for slot, value in zip(self._results, (out, *kept), strict=True):
            frame[slot] = value

    def _outer(self, starts: Sequence[int]) -> list[Any]:
        """Return all parallel positions, an axis each, followed by the starts of the reduction."""
        point: list[Any] = list(starts)
        for d in range(self._parallel):
            shape = [1] * self._parallel
            shape[d] = -1
            point[d] = np.arange(starts[d], starts[d] + self._sizes[d]).reshape(shape)
        return point

    def _accumulated(
        self, frame: Frame, point: list[Any], values: list[Any], count: Any
    ) -> tuple[list[Any], Any]:
        """Return accumulators and count after a point; they stay where an index is outside."""
        inside: Any = np.True_
        elements: list[Array] = []
        for slot, index in zip(self._ins, self._index, strict=True):
            array = frame[slot]
            at = [evaluate(expr, point) for expr in index]
            for position, size in zip(at, array.shape, strict=True):
                inside = inside & (position >= 0) & (position < size)
            clipped = (np.clip(p, 0, n - 1) for p, n in zip(at, array.shape, strict=True))
            elements.append(array[tuple(clipped)])
        new = self._body.run(frame, [*values, *elements])
        kept = [np.where(inside, after, before) for after, before in zip(new, values, strict=True)]
        return kept, count + np.asarray(inside, np.int32)

    @staticmethod
    def _at(index: Sequence[ir.AffineExpr], point: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(evaluate(expr, point) for expr in index)
