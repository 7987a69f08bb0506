"""Variables whose bytes a tensor may show, for all possible folds and fusions of ops in between.

A view shows bytes of its operand. The result of an operation with one operand may do so, too, if
the operation changes nothing: for example a `tosa.clamp` to the full range, or a concatenation of
one tensor. A slice of a concatenation of several may be one of them::

    concat(a, b)   | a a a a | b b b |
    slices              |s s|            of a
                           |s s|         of both, and so of neither
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, bufferization, func, tensor, tosa

from forebay.ir.nested import ops_in
from forebay.ir.tosa_constants import shape_operand

_COMPUTE = (
    tosa.Conv2DOp,
    tosa.Conv3DOp,
    tosa.DepthwiseConv2DOp,
    tosa.ErfOp,
    tosa.ExpOp,
    tosa.LogOp,
    tosa.MatMulOp,
    tosa.ReciprocalOp,
    tosa.RescaleOp,
    tosa.RsqrtOp,
    tosa.SigmoidOp,
    tosa.TableOp,
    tosa.TanhOp,
    tosa.TransposeConv2DOp,
)
"""Their results are always new, though they may have only one operand that is not constant."""

_CHOOSE = (arith.SelectOp, func.CallOp, tosa.SelectOp)
_CONSTANTS = (arith.ConstantOp, tosa.ConstOp)
_SLICES = (tensor.ExtractSliceOp, tosa.SliceOp)
_CONCATENATIONS = (tensor.ConcatOp, tosa.ConcatOp)


def shown_by(value: ir.Value) -> list[bufferization.ToTensorOp]:
    """Return the buffers, as tensors, of which the value may show bytes."""
    found: dict[ir.Value, bufferization.ToTensorOp] = {}
    # Each value with whether only a slice of it is looked for.
    seen, pending = {(value, False)}, [(value, False)]
    while pending:
        shown, is_part = pending.pop()
        if isinstance(shown.owner, ir.Block):
            continue
        op = shown.owner.opview
        if isinstance(op, bufferization.ToTensorOp):
            found[op.result] = op
        known = None if is_part else _part_of_concatenation(op)
        is_part = is_part or isinstance(op, _SLICES)
        sources = _sources(op, is_part=is_part) if known is None else known
        new = [(v, is_part) for v in sources if (v, is_part) not in seen]
        seen.update(new)
        pending += new
    return list(found.values())


def _sources(op: ir.OpView, *, is_part: bool) -> list[ir.Value]:
    if isinstance(op, _COMPUTE):
        return []
    if len(op.regions) or isinstance(op, _CHOOSE):
        return [value for inner in ops_in(op) for value in inner.operands if _is_tensor(value)]
    given = [value for value in op.operands if _is_tensor(value) and not _is_constant(value)]
    if isinstance(op, _CONCATENATIONS):
        return given if is_part or len(given) == 1 else []
    element = ir.RankedTensorType(op.results[0].type).element_type if given else None
    is_one = len(set(given)) == 1
    return [v for v in given if is_one and ir.RankedTensorType(v.type).element_type == element]


def _part_of_concatenation(op: ir.OpView) -> list[ir.Value] | None:
    """Return the operand of a concatenation in which a slice is; None if this is not known."""
    if not isinstance(op, tosa.SliceOp) or isinstance(op.input1.owner, ir.Block):
        return None
    joined = op.input1.owner.opview
    begins, sizes = shape_operand(op.start), shape_operand(op.size)
    if not isinstance(joined, tosa.ConcatOp) or begins is None or sizes is None:
        return None
    axis = joined.axis.value
    start = 0
    for operand in joined.operands:
        end = start + ir.RankedTensorType(operand.type).shape[axis]
        if start <= begins[axis] and begins[axis] + sizes[axis] <= end:
            return [operand]
        start = end
    return []


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and isinstance(value.owner.opview, _CONSTANTS)
