"""Strides of a tensor in the storage that it shows, and whether its dimensions can be collapsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import tensor

Strides = tuple[int | None, ...]
"""Strides in elements, per dimension; None where one is known only at run time."""


def is_copied(op: tensor.CollapseShapeOp) -> bool:
    """Return whether a collapse needs separate bytes, because the bytes of its source have gaps.

    In this case bufferization makes a copy. The rule is that of `memref.collapse_shape`: in each
    group of dimensions, the stride of the outer one equals the extent times the stride of the inner
    one.
    """
    if not ir.RankedTensorType(op.result.type).rank or _is_row_major(op.src):
        return False
    return _collapsed(op, strides_of(op.src)) is None


def strides_of(value: ir.Value) -> Strides:
    """Return the strides of a tensor, if only collapses make copies on the way to it."""
    if isinstance(value.owner, ir.Block):
        return _row_major(_shape(value))
    match value.owner.opview:
        case tensor.ExtractSliceOp() as op:
            return _of_slice(op, strides_of(op.source))
        case tensor.CastOp() as op:
            return strides_of(op.source)
        case tensor.ExpandShapeOp() as op:
            return _expanded(op, strides_of(op.src))
        case tensor.CollapseShapeOp() as op:
            return _collapsed(op, strides_of(op.src)) or _row_major(_shape(value))
        case _:
            return _row_major(_shape(value))


def _is_row_major(value: ir.Value) -> bool:
    """Return whether no slice is on the way to the tensor, so all dimensions can be collapsed."""
    if isinstance(value.owner, ir.Block):
        return True
    match value.owner.opview:
        case tensor.ExtractSliceOp():
            return False
        case tensor.CollapseShapeOp() as op:
            return is_copied(op) or _is_row_major(op.src)
        case tensor.CastOp() | tensor.ExpandShapeOp() as op:
            return _is_row_major(op.operands[0])
        case _:
            return True


def _of_slice(op: tensor.ExtractSliceOp, strides: Strides) -> Strides:
    """Return the strides of a slice; dropped dimensions have one element.

    Dimensions of one element may have any stride.
    """
    sizes = _static(op.static_sizes)
    steps = (_times(*pair) for pair in zip(strides, _static(op.static_strides), strict=True))
    kept = iter([step for size, step in zip(sizes, steps, strict=True) if size != 1])
    return tuple(1 if size == 1 else next(kept) for size in _shape(op.result))


def _expanded(op: tensor.ExpandShapeOp, strides: Strides) -> Strides:
    shape, found = _shape(op.result), list[int | None]()
    for group, stride in zip(_groups(op.reassociation), strides, strict=True):
        inner = _row_major([shape[dimension] for dimension in group])
        found += [_times(stride, step) for step in inner]
    return tuple(found)


def _collapsed(op: tensor.CollapseShapeOp, strides: Strides) -> Strides | None:
    """Return the strides of the result, or None where it has separate bytes."""
    shape, found = _shape(op.src), list[int | None]()
    for group in _groups(op.reassociation):
        wide = [dimension for dimension in group if shape[dimension] != 1] or [group[-1]]
        step = strides[wide[-1]]
        for inner, outer in zip(reversed(wide[1:]), reversed(wide[:-1]), strict=True):
            reach = _times(strides[inner], shape[inner])
            if reach is None or reach != strides[outer]:
                return None
        found.append(step)
    return tuple(found)


def _groups(reassociation: ir.ArrayAttr) -> list[list[int]]:
    return [[ir.IntegerAttr(index).value for index in ir.ArrayAttr(g)] for g in reassociation]


def _shape(value: ir.Value) -> list[int | None]:
    type_ = ir.RankedTensorType(value.type)
    return [None if type_.is_dynamic_dim(axis) else size for axis, size in enumerate(type_.shape)]


def _static(values: Iterable[int]) -> list[int | None]:
    dynamic = ir.ShapedType.get_dynamic_size()
    return [None if value == dynamic else value for value in values]


def _row_major(shape: Sequence[int | None]) -> Strides:
    found: list[int | None] = []
    step: int | None = 1
    for size in reversed(shape):
        found.append(step)
        step = _times(step, size)
    return tuple(reversed(found))


def _times(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other
