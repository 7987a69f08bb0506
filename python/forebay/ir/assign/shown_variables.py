"""Variables whose bytes a tensor may show, for all possible folds and fusions of ops in between.

A view shows bytes of its operand. The result of an operation with one operand may do so, too, if
the operation changes nothing: for example a `tosa.clamp` to the full range, or a concatenation of
one tensor. A slice of a concatenation of several may be one of them::

    concat(a, b)   | a a a a | b b b |
    slices              |s s|            of a
                           |s s|         of both, and so of neither

The same holds for elements: a `linalg.generic` that adds two operands yields a new value, one that
limits an operand by constants may yield the operand. What a loop yields is followed through its
iterations, because a loop that runs once may become its body.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, bufferization, func, scf, tensor, tosa

from forebay.dialects import linalg
from forebay.ir.memory.storage import last_op
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
        sources = _sources(shown, is_part=is_part)
        if not isinstance(shown.owner, ir.Block):
            op = shown.owner.opview
            is_part = is_part or isinstance(op, _SLICES)
            if isinstance(op, bufferization.ToTensorOp):
                found[op.result] = op
        new = [(v, is_part) for v in sources if (v, is_part) not in seen]
        seen.update(new)
        pending += new
    return list(found.values())


def _sources(value: ir.Value, *, is_part: bool) -> list[ir.Value]:
    """Return the tensors of which a tensor, or if `is_part` a slice of it, may show bytes."""
    if isinstance(value.owner, ir.Block):
        return _sources_of_argument(ir.BlockArgument(value))
    op = value.owner.opview
    part = None if is_part else _part_of_concatenation(op)
    if part is not None:
        return part
    is_part = is_part or isinstance(op, _SLICES)
    if isinstance(op, _COMPUTE):
        return []
    if isinstance(op, scf.ForOp):
        return _carried(op, ir.OpResult(value).result_number)
    if isinstance(op, linalg.GenericOp):
        return _yielded_operands(op, ir.OpResult(value).result_number)
    return _operands_shown(op, is_part=is_part)


def _operands_shown(op: ir.OpView, *, is_part: bool) -> list[ir.Value]:
    if len(op.regions) or isinstance(op, _CHOOSE):
        return [value for inner in ops_in(op) for value in inner.operands if _is_tensor(value)]
    given = [value for value in op.operands if _is_tensor(value) and not _is_constant(value)]
    if isinstance(op, _CONCATENATIONS):
        return given if is_part or len(given) == 1 else []
    element = ir.RankedTensorType(op.results[0].type).element_type if given else None
    is_one = len(set(given)) == 1
    return [v for v in given if is_one and ir.RankedTensorType(v.type).element_type == element]


def _sources_of_argument(argument: ir.BlockArgument) -> list[ir.Value]:
    loop = argument.owner.owner
    if not isinstance(loop, scf.ForOp) or not _is_tensor(argument):
        return []
    return _carried(loop, argument.arg_number - 1)


def _carried(loop: scf.ForOp, index: int) -> list[ir.Value]:
    """Return what a carried tensor is at first, and what an iteration yields for it."""
    return [loop.initArgs[index], last_op(loop.body).operands[index]]


def _yielded_operands(op: linalg.GenericOp, result: int) -> list[ir.Value]:
    """Return the operands whose elements may be the ones of a result."""
    body = op.regions[0].blocks[0]
    operand_of = dict(zip(body.arguments, op.operands, strict=True))
    value = last_op(body).operands[result]
    while value not in operand_of:
        if isinstance(value.owner, ir.Block) or value.owner.operation.block != body:
            return []
        producer = value.owner.opview
        if isinstance(producer, arith.SelectOp):
            return [operand for operand in op.operands if _is_tensor(operand)]
        varying = {v for v in producer.operands if not _is_constant(operand_of.get(v, v))}
        if len(varying) != 1:
            return []
        (value,) = varying
    return [operand_of[value]]


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
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.opview
    if isinstance(op, linalg.FillOp | tosa.ReshapeOp):
        return _is_constant(op.operands[0])
    return isinstance(op, _CONSTANTS)
