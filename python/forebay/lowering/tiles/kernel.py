"""Kernels on tensors whose results can be computed tile by tile."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.ir.interfaces import destinations_of
from forebay.ir.nested import ops_of
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.regions import Affine, OperandAccess

Axes = tuple[int | None, ...]
"""Per axis of an operand, the axis of the results whose position it has; None if it is whole."""


def leading(axes: Axes, depth: int) -> Axes:
    """Return axes with only the first `depth` axes of the results; the others are whole."""
    return tuple(None if axis is None or axis >= depth else axis for axis in axes)


class TiledOperand(Struct, frozen=True, eq=False):
    """An operand of a kernel, by its number, and what a tile of the results uses of it."""

    number: int
    value: ir.Value
    axes: Axes


class Kernel(Struct, frozen=True, eq=False):
    """An op whose results have one shape, and the operands of a tile of them.

    `dimensions` has, per axis of the results, the dimension of the op's domain along it.
    """

    op: ir.OpView
    shape: tuple[int, ...]
    dimensions: Axes
    inputs: tuple[TiledOperand, ...]
    outputs: tuple[TiledOperand, ...]
    sums: bool

    @property
    def results(self) -> list[ir.Value]:
        """The results, in the order of `outputs`."""
        return list(self.op.operation.results)

    @property
    def whole(self) -> Axes:
        """What a tile uses of an operand that is computed like the results."""
        return tuple(
            None if dimension is None else axis for axis, dimension in enumerate(self.dimensions)
        )


def kernel_of(op: ir.OpView) -> Kernel | None:
    """Return an op as a kernel; None if a tile of its results is no tile of its domain."""
    if not isinstance(op, ReduceOp | linalg.GenericOp) or not len(op.operation.results):
        return None
    is_cut = isinstance(op, ReduceOp) and (op.sizes is not None or len(op.accumulators) > 0)
    nest = None if is_cut or ops_of(op, linalg.IndexOp) else loop_nest_of(op)
    if nest is None:
        return None
    shape, dimensions = nest.outputs[0].shape, _dimensions(nest.outputs[0])
    if any(_dimensions(access) != dimensions for access in nest.outputs) or dimensions is None:
        return None
    shaped = [n for n, v in enumerate(op.operands) if isinstance(v.type, ir.RankedTensorType)]
    outs = sorted(destinations_of(op) or ())
    inputs = _operands(op, [n for n in shaped if n not in outs], nest.inputs, dimensions)
    outputs = _operands(op, outs, nest.outputs, dimensions)
    if inputs is None or outputs is None:
        return None
    return Kernel(op, shape, dimensions, inputs, outputs, bool(nest.reduction))


def _dimensions(access: OperandAccess) -> Axes | None:
    """Return the dimension along each axis of a result, None for a result in another order."""
    found: list[int | None] = []
    for index, size in zip(access.index, access.shape, strict=True):
        known = [d for d in index.dimensions if index == Affine.dimension(d)]
        if size > 1 and not known:
            return None
        found.append(known[0] if known and size > 1 else None)
    return tuple(found)


def _operands(
    op: ir.OpView, numbers: Sequence[int], accesses: Sequence[OperandAccess], dimensions: Axes
) -> tuple[TiledOperand, ...] | None:
    """Return the operands; None if the index of one is more than one dimension of the results."""
    axis_of = {
        dimension: axis for axis, dimension in enumerate(dimensions) if dimension is not None
    }
    found: list[TiledOperand] = []
    for number, access in zip(numbers, accesses, strict=True):
        axes: list[int | None] = []
        for index in access.index:
            used = index.dimensions & axis_of.keys()
            if used and index not in map(Affine.dimension, used):
                return None
            axes.append(axis_of[min(used)] if used else None)
        found.append(TiledOperand(number, op.operands[number], tuple(axes)))
    return tuple(found)
