"""TopK: elements by their order along an axis.

    rank[i]      = number of elements in front of element i: larger ones, and equal ones before it
    indices[p]   = the i with rank[i] = p
    values[p]    = x[indices[p]]

Ranks compare each pair of elements, so `n` elements take `n * n` comparisons and no sorting.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, position_along
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    sum_kernel,
)

document_onnx(
    "TopK",
    types="float32, int8, uint8, int16, int32, int64",
    limits="a constant k; no NaN; the results are sorted in any case",
    golden="bits",
)


@onnx_operator("TopK")
def top_k(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the k largest or smallest elements along an axis, and their indices."""
    value = node.value(0)
    shape = emit.static_shape_of(value)
    axis = node.axis(int(node.attribute("axis", -1)), len(shape))
    count = int(node.constant(1).reshape(-1)[0])
    if not 1 <= count <= shape[axis]:
        node.malformed(f"{count} of {shape[axis]} elements")
    if emit.element_of(value) == emit.signless(1):
        node.refuse("elements of bool", "cast them")
    ranks = _ranks(value, axis, is_largest=bool(node.attribute("largest", 1)))
    indices = _inverse(ranks, axis, count)
    result = emit.static_shape_of(indices)

    def taken(ins: Sequence[ir.Value]) -> ir.Value:
        at = [position_along(i) for i in range(len(shape))]
        at[axis] = arith.IndexCastOp(ir.IndexType.get(), ins[0]).result
        return tensor.ExtractOp(value, at).result

    values = map_elements([indices], result, emit.element_of(value), taken)
    wide = map_elements([indices], result, emit.signless(64), _widened)
    return [LaidOut(values), LaidOut(wide)]


def _widened(ins: Sequence[ir.Value]) -> ir.Value:
    return arith.ExtSIOp(emit.signless(64), ins[0]).result


def _ranks(value: ir.Value, axis: int, *, is_largest: bool) -> ir.Value:
    """Return how many elements come before each one, as int32."""
    shape = emit.static_shape_of(value)
    size = shape[axis]
    *dims, other = affine_dimensions(len(shape) + 1)
    i32 = scalar.i32()

    def body(counts: Scalars, ins: Scalars) -> Scalars:
        element, own_at, compared, at = ins
        before = _precedes(compared, element, is_largest=is_largest, or_equal=False)
        equal = _precedes(compared, element, is_largest=is_largest, or_equal=True)
        is_first = arith.CmpIOp(arith.CmpIPredicate.slt, at, own_at).result
        counted = arith.SelectOp(is_first, equal, before).result
        return [scalar.add(counts[0], arith.ExtUIOp(i32, counted).result)]

    numbers = emit.tosa_constant(np.arange(size, dtype=np.int32))
    return build_reduce(
        KernelDomain(shape, (size,)),
        ReduceKernel(_nothing, body, _first),
        ins=[
            ReduceOperand(value, tuple(dims)),
            ReduceOperand(numbers, (dims[axis],)),
            ReduceOperand(value, tuple(other if i == axis else d for i, d in enumerate(dims))),
            ReduceOperand(numbers, (other,)),
        ],
        params=[],
        out=dims,
        result=emit.tensor_type(shape, i32),
    )


def _nothing(_: Scalars) -> Scalars:
    return [scalar.scalar_constant(0, scalar.i32())]


def _first(counts: Scalars, _: ir.Value, __: Scalars) -> ir.Value:
    return counts[0]


def _precedes(a: ir.Value, b: ir.Value, *, is_largest: bool, or_equal: bool) -> ir.Value:
    """Build whether `a` belongs in front of `b`; stored uint8 compare like int8."""
    if isinstance(a.type, ir.FloatType):
        floats = arith.CmpFPredicate
        strict, loose = (floats.OGT, floats.OGE) if is_largest else (floats.OLT, floats.OLE)
        return arith.CmpFOp(loose if or_equal else strict, a, b).result
    integers = arith.CmpIPredicate
    above, from_ = (integers.sgt, integers.sge) if is_largest else (integers.slt, integers.sle)
    return arith.CmpIOp(from_ if or_equal else above, a, b).result


def _inverse(ranks: ir.Value, axis: int, count: int) -> ir.Value:
    """Return the positions of the ranks below `count`, as int32."""
    shape = emit.static_shape_of(ranks)
    size = shape[axis]
    result = tuple(count if i == axis else d for i, d in enumerate(shape))
    *dims, other = affine_dimensions(len(shape) + 1)
    i32 = scalar.i32()

    def at(ins: Scalars) -> ir.Value:
        rank, wanted, position = ins
        is_wanted = arith.CmpIOp(arith.CmpIPredicate.eq, rank, wanted).result
        return arith.SelectOp(is_wanted, position, scalar.scalar_constant(0, i32)).result

    numbers = emit.tosa_constant(np.arange(size, dtype=np.int32))
    return build_reduce(
        KernelDomain(result, (size,)),
        sum_kernel(i32, at),
        ins=[
            ReduceOperand(ranks, tuple(other if i == axis else d for i, d in enumerate(dims))),
            ReduceOperand(numbers, (dims[axis],)),
            ReduceOperand(numbers, (other,)),
        ],
        params=[],
        out=dims,
        result=emit.tensor_type(result, i32),
    )
