"""Kernels that add up products of all rows of a window and of a constant, in any order."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.nested import defining_op
from forebay.ir.state.buffers import has_identity_layout

_Forms = Sequence[Linear[int] | None]


class RingReader(Struct, frozen=True, eq=False):
    """A kernel that reads a window, and the axis along which its weights go with the rows.

    `weights` is the number of the operand.
    """

    kernel: ReduceOp
    weights: int
    axis: int


def reader_of(kernel: ReduceOp, window: ir.Value, axis: int) -> RingReader | None:
    """Return how a kernel reads all rows of a window along an axis, with weights for each.

    None for a kernel whose result depends on the order of the rows in another way.
    """
    inputs = list(kernel.inputs)
    if inputs.count(window) != 1 or len(inputs) != 2 or not _is_plain(kernel):
        return None
    weights = 1 - inputs.index(window)
    forms = [linear_of_map(ir.AffineMapAttr(own).value) for own in kernel.maps]
    dim = _dim_along(forms[1 - weights], axis)
    rows = ir.MemRefType(window.type).shape[axis]
    if dim is None or not _is_reduced(kernel, dim, rows) or not _adds_up(kernel):
        return None
    own = [n for n, form in enumerate(forms[weights]) if form == Linear.of(dim)]
    others = [form for n, each in enumerate(forms) if n not in (0, 1) for form in each]
    used = [*forms[weights], *others]
    if len(own) != 1 or sum(form is None or dim in form.terms for form in used) != 1:
        return None
    type_ = ir.MemRefType(inputs[weights].type)
    is_whole = has_identity_layout(type_) and type_.shape[own[0]] == rows
    is_constant = isinstance(defining_op(inputs[weights]), memref.GetGlobalOp)
    return RingReader(kernel, weights, own[0]) if is_whole and is_constant else None


def _is_plain(kernel: ReduceOp) -> bool:
    """Return whether the kernel computes all of its points at once, in no schedule yet."""
    return kernel.static_starts is None and kernel.blocks is None and not len(kernel.accumulators)


def _dim_along(forms: _Forms, axis: int) -> int | None:
    """Return the dimension that is the index along an axis, and in no other index; or None."""
    form = forms[axis]
    if form is None or len(form.terms) != 1 or form != Linear.of(min(form.terms)):
        return None
    dim = min(form.terms)
    return dim if sum(own is None or dim in own.terms for own in forms) == 1 else None


def _is_reduced(kernel: ReduceOp, dim: int, rows: int) -> bool:
    """Return whether a dimension is one of the reduction, over all rows."""
    number = dim - len(kernel.parallel)
    return number >= 0 and kernel.reduction[number] == rows


def _adds_up(kernel: ReduceOp) -> bool:
    """Return whether the body adds one number per point to one sum of integers.

    Integers wrap around, so that the order does not matter. Floats are rounded in each step.
    """
    *_, yielded = kernel.body.blocks[0].operations
    if len(yielded.operation.operands) != 1:
        return False
    total, (sum_, *_) = defining_op(yielded.operation.operands[0]), kernel.body.blocks[0].arguments
    if not isinstance(total, arith.AddIOp) or len(list(sum_.uses)) != 1:
        return False
    return sum_ in (total.lhs, total.rhs)
