"""Move the zero point of a source without borders out of the loops, into the bias.

    bias + sum((x + z) * w)  =  (bias + (z - o) * sum(w)) + sum((x + o) * w)

The offset o that stays is 0, or 128 for processors whose products have a factor without sign.
`forebay.lowering.parameters.zero_point` does the same for convolutions that are not padded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith
from msgspec import Struct
from numpy.typing import NDArray

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.nested import ops_of
from forebay.lowering.blocks.neighbours import uses_dim
from forebay.lowering.blocks.words import offsets_of_factors
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.padding import SOURCE
from forebay.lowering.parameters.zero_point import folded_bias

_WEIGHTS = 1


class Folding(Struct, frozen=True, eq=False):
    """What stays added to the source, and the parameter that is the bias, with its new values."""

    offset: int
    bias: int
    values: NDArray[np.int64]


def folding_of(op: ReduceOp, constants: Constants, offset: int) -> Folding | None:
    """Return how the zero point of a source whose windows are inside moves to the bias, or None.

    Then convolutions add `offset`, and those of each channel alone add nothing. None if there is no
    zero point, if the weights or the bias are no known constants, if elements have no 8 bits, or if
    a sum may have more than 32 bits.
    """
    offsets, bias = offsets_of_factors(op), _bias_of(op)
    if offsets is None or bias is None or _addition_to(op) is None:
        return None
    now, of_factors = offsets
    kept = 0 if _is_depthwise(op) or of_factors else offset
    if now in (0, kept):
        return None
    weights, old = constants.values(op.inputs[_WEIGHTS]), constants.values(op.params[bias])
    if weights is None or old is None:
        return None
    dims = _dims_of(op, len(op.inputs) + bias, old)
    if dims is None:
        return None
    of_bias, of_weights = _indices(op, len(op.inputs) + bias), _indices(op, _WEIGHTS)
    factors, sums, magnitudes = weights + of_factors, np.zeros_like(old), np.zeros_like(old)
    for found, own in ((sums, factors), (magnitudes, np.abs(factors))):
        found[of_bias] = _over_reduction(op, own[of_weights], dims)
    values = folded_bias(old, (now - kept) * sums, magnitudes, kept)
    return None if values is None else Folding(kept, bias, values)


def fold(op: ReduceOp, folding: Folding, constants: Constants) -> None:
    """Change the bias of an op, and what its body adds to the elements of the source."""
    number = len(op.inputs) + folding.bias
    changed = constants.changed(op, op.params[folding.bias], folding.values)
    op.operation.operands[number] = changed
    set_offset(op, folding.offset)


def set_offset(op: ReduceOp, offset: int) -> None:
    """Let the body of an op add another number to the elements of the source."""
    addition = _addition_to(op)
    assert addition is not None, "`folding_of` has found an addition"
    with ir.InsertionPoint(addition), addition.location:
        rest: ir.Value = addition.lhs
        if offset:
            constant = arith.ConstantOp(addition.result.type, offset).result
            rest = arith.AddIOp(rest, constant, overflowFlags=addition.overflowFlags).result
    addition.result.replace_all_uses_with(rest)
    addition.operation.erase()


def _addition_to(op: ReduceOp) -> arith.AddIOp | None:
    """Return the only addition to the elements of the source."""
    element = op.body.blocks[0].arguments[1 + SOURCE]
    wide = {result for use in element.uses for result in use.owner.results}
    found = [add for add in ops_of(op, arith.AddIOp) if add.lhs in wide]
    return found[0] if len(found) == 1 else None


def _bias_of(op: ReduceOp) -> int | None:
    """Return the number of the parameter with which the sums begin, and which is read once."""
    (yielded,) = list(op.init.blocks[0].operations)[-1:]
    first, arguments = yielded.operands[0], list(op.init.blocks[0].arguments)
    if len(yielded.operands) != 1 or first not in arguments:
        return None
    number = arguments.index(first)
    late = list(op.finish.blocks[0].arguments)[2 + number]
    return None if any(True for _ in late.uses) else number


def _is_depthwise(op: ReduceOp) -> bool:
    """Return whether the source and the weights have elements of the same channels."""
    dims = range(len(op.parallel))
    return any(uses_dim(op, SOURCE, dim) and uses_dim(op, _WEIGHTS, dim) for dim in dims)


def _dims_of(op: ReduceOp, number: int, bias: NDArray[np.int64]) -> tuple[int, ...] | None:
    """Return the parallel dimensions whose positions have an element of the bias each.

    None if positions share an element, or if their weights differ along another dimension.
    """
    dims = range(len(op.parallel))
    found = tuple(dim for dim in dims if uses_dim(op, number, dim))
    others = [dim for dim in dims if dim not in found]
    if any(form is None for form in _forms(op, number)) or any(
        uses_dim(op, _WEIGHTS, dim) for dim in others
    ):
        return None
    places = np.broadcast_arrays(*_indices(op, number))
    is_each = len({*zip(*(place.ravel().tolist() for place in places), strict=True)}) == bias.size
    return found if is_each and math.prod(op.parallel[dim] for dim in found) == bias.size else None


def _over_reduction(
    op: ReduceOp, elements: NDArray[np.int64], dims: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return the sums over the reduction at each position of some parallel dimensions."""
    count, extents = len(op.parallel), (*op.parallel, *op.reduction)
    shape = [n if d in dims or d >= count else 1 for d, n in enumerate(extents)]
    return np.broadcast_to(elements, shape).sum(axis=tuple(range(count, len(extents))))


def _indices(op: ReduceOp, number: int) -> tuple[Any, ...]:
    """Return the index of an operand's element along each axis, for all points of the domain.

    The arrays have an axis for each dimension of the domain that the operand's map has, and one
    element along those that do not matter.
    """
    extents = (*op.parallel, *op.reduction)[: _map_of(op, number).n_dims]
    found: list[Any] = []
    for form in _forms(op, number):
        assert form is not None, "the index is linear"
        at: Any = np.full([1] * len(extents), form.constant)
        for dim, factor in form.terms.items():
            along = [-1 if d == dim else 1 for d in range(len(extents))]
            at = at + factor * np.arange(extents[dim]).reshape(along)
        found.append(at)
    return tuple(found)


def _forms(op: ReduceOp, number: int) -> list[Linear[int] | None]:
    return linear_of_map(_map_of(op, number))


def _map_of(op: ReduceOp, number: int) -> ir.AffineMap:
    return ir.AffineMapAttr(op.maps[number]).value
