"""The loop nest of an op: its domain and the access maps of its operands, for `forebay.regions`.

Supported are `accel.reduce`, structured ops of linalg, copies, and softmax.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref, tosa

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import CopyOp
from forebay.ir.attributes import entries_of, integers_of
from forebay.ir.interfaces import destinations_of
from forebay.ir.softmax import softmax_of
from forebay.ir.structured.affine_expression import affine_of
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.regions import Affine, LoopNest, OperandAccess, induction_variables


def loop_nest_of(op: ir.OpView) -> LoopNest | None:
    """Return the loop nest of an op, or None for an op that is none or whose shapes vary.

    The inputs and outputs of the nest are the op's shaped operands in their order, outputs being
    destinations; a result of an op without destinations is an output.
    """
    if isinstance(op, ReduceOp):
        return _of_reduce(op)
    if isinstance(op, (memref.CopyOp, CopyOp)):
        return _elementwise([op.source], [op.target])
    if isinstance(op, tosa.CustomOp):
        return _of_softmax(op) if softmax_of(op) is not None else None
    if type(op).__module__ == linalg.__name__ or op.operation.name.startswith("linalg."):
        return _of_structured(op)
    return None


def _of_reduce(op: ReduceOp) -> LoopNest:
    accesses = [
        _access(value, ir.AffineMapAttr(map_).value, clamped=number < len(op.inputs))
        for number, (value, map_) in enumerate(
            zip(mapped_operands_of(op), entries_of(op.maps), strict=True)
        )
    ]
    parallel, reduction = integers_of(op.parallel), integers_of(op.reduction)
    return LoopNest(parallel, reduction, tuple(accesses[:-1]), tuple(accesses[-1:]))


def _of_structured(op: ir.OpView) -> LoopNest | None:
    found, outs = linalg.get_indexing_maps(op), destinations_of(op)
    if found is None or outs is None or len(found) != len(op.operands):
        return None
    if not all(_is_static(value) for value in op.operands):
        return None
    maps = [ir.AffineMapAttr(map_).value for map_ in found]
    pairs = list(zip(op.operands, maps, strict=True))
    accesses = [_access(value, map_) if _is_shaped(value) else None for value, map_ in pairs]
    extents = _extents([access for access in accesses if access is not None])
    if set(extents) != set(range(maps[0].n_dims)):
        return None
    written = [access for n, access in enumerate(accesses) if n in outs and access is not None]
    inputs = [access for n, access in enumerate(accesses) if n not in outs and access is not None]
    return _ordered(extents, inputs, written)


def _of_softmax(op: tosa.CustomOp) -> LoopNest | None:
    """Each element needs its whole row."""
    (value,) = op.operands
    if not _is_static(value):
        return None
    shape = tuple(ir.ShapedType(value.type).shape)
    bits = _bits(value)
    *outer, column, other = induction_variables(len(shape) + 1)
    source = OperandAccess(shape, (*outer, other), bits)
    result = OperandAccess(shape, (*outer, column), bits)
    return LoopNest(shape, shape[-1:], (source,), (result,))


def _elementwise(inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]) -> LoopNest | None:
    if not all(map(_is_static, (*inputs, *outputs))):
        return None
    shape = tuple(ir.ShapedType(outputs[0].type).shape)
    index = tuple(induction_variables(len(shape)))
    accesses = [OperandAccess(shape, index, _bits(value)) for value in (*inputs, *outputs)]
    return LoopNest(shape, (), tuple(accesses[: len(inputs)]), tuple(accesses[len(inputs) :]))


def _ordered(
    extents: dict[int, int], inputs: list[OperandAccess], outputs: list[OperandAccess]
) -> LoopNest:
    """Return the nest with the parallel dimensions first, which are those of the outputs."""
    used = {d for access in outputs for index in access.index for d in index.dimensions}
    parallel, reduction = sorted(used), sorted(set(extents) - used)
    new = {old: Affine.dimension(number) for number, old in enumerate((*parallel, *reduction))}

    def renumbered(access: OperandAccess) -> OperandAccess:
        index = tuple(expression.substitute(new) for expression in access.index)
        return OperandAccess(access.shape, index, access.bits, access.clamped)

    return LoopNest(
        tuple(extents[d] for d in parallel),
        tuple(extents[d] for d in reduction),
        tuple(map(renumbered, inputs)),
        tuple(map(renumbered, outputs)),
    )


def _extents(accesses: Sequence[OperandAccess]) -> dict[int, int]:
    """Return the extents of dimensions that are an index of their own."""
    found: dict[int, int] = {}
    for access in accesses:
        for index, size in zip(access.index, access.shape, strict=True):
            for dimension in index.dimensions:
                if index == Affine.dimension(dimension):
                    found.setdefault(dimension, size)
    return found


def _access(value: ir.Value, map_: ir.AffineMap, *, clamped: bool = False) -> OperandAccess:
    shape = tuple(ir.ShapedType(value.type).shape)
    return OperandAccess(shape, tuple(map(affine_of, map_.results)), _bits(value), clamped)


def _bits(value: ir.Value) -> int:
    """Return the bits of an element; an index takes 64."""
    element = ir.ShapedType(value.type).element_type
    if isinstance(element, ir.IntegerType):
        return element.width
    return 64 if isinstance(element, ir.IndexType) else ir.FloatType(element).width


def _is_shaped(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType | ir.MemRefType)


def _is_static(value: ir.Value) -> bool:
    """Return whether a value is a scalar, or has elements in a static shape."""
    return not isinstance(value.type, ir.ShapedType) or (
        _is_shaped(value) and ir.ShapedType(value.type).has_static_shape
    )
