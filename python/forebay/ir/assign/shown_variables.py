"""Variables whose bytes a tensor may show, for all possible folds and fusions of ops in between.

A view shows bytes of its operand. The result of an operation with one operand may do so, too, if
the operation changes nothing: for example a `tosa.clamp` to the full range, or a concatenation of
one tensor.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, bufferization, func, tosa

from forebay.ir.nested import ops_in

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


def shown_by(value: ir.Value) -> list[bufferization.ToTensorOp]:
    """Return the buffers, as tensors, of which the value may show bytes."""
    found: list[bufferization.ToTensorOp] = []
    seen, pending = {value}, [value]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block):
            continue
        op = owner.opview
        if isinstance(op, bufferization.ToTensorOp):
            found.append(op)
        new = [source for source in _sources(op) if source not in seen]
        seen.update(new)
        pending += new
    return found


def _sources(op: ir.OpView) -> list[ir.Value]:
    if isinstance(op, _COMPUTE):
        return []
    if len(op.regions) or isinstance(op, _CHOOSE):
        return [value for inner in ops_in(op) for value in inner.operands if _is_tensor(value)]
    given = [value for value in op.operands if _is_tensor(value) and not _is_constant(value)]
    element = ir.RankedTensorType(op.results[0].type).element_type if given else None
    is_one = len(set(given)) == 1 and not (isinstance(op, tosa.ConcatOp) and len(given) > 1)
    return [v for v in given if is_one and ir.RankedTensorType(v.type).element_type == element]


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and isinstance(value.owner.opview, _CONSTANTS)
