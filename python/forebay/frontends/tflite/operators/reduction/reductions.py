"""REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL, SUM of numbers, and CUMSUM.

Each is one accel.reduce. CUMSUM adds the elements up to each position, in order: those that are in
front of the tensor are outside of it, and count for nothing.
Source: TFLite Micro `reduce_common.cc`, `cumsum.cc`, TFLite `reference/cumsum.h`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import single_result
from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.scaled_terms import ScaledTerms
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.reduction.mean import ReducerOptions, quantised_sum
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)


class CumsumOptions(OperatorOptions, frozen=True):
    """CUMSUM."""

    exclusive: bool
    reverse: bool


_Combine = Callable[[ir.Value, ir.Value], ir.Value]
_F32, _I8, _I16 = ElementType.FLOAT32, ElementType.INT8, ElementType.INT16
_I32, _I64, _BOOL = ElementType.INT32, ElementType.INT64, ElementType.BOOL

document(
    "REDUCE_MAX",
    "REDUCE_MIN",
    types="int8, int16, int32, int64, float32",
    limits="constant axes, one quantisation",
    becomes="`accel.reduce`",
    exact="yes",
)
document(
    "CUMSUM",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_PROD",
    "SUM",
    types="int32, int64, float32; CUMSUM: int8; SUM: int8, int16; REDUCE_ALL, REDUCE_ANY: bool",
    limits="constant axes",
    becomes="`accel.reduce`",
    exact="yes",
    golden="TFLite Micro; REDUCE_ANY, REDUCE_PROD: LiteRT",
)


@operator("REDUCE_MAX", newest_version=3)
def reduce_max(node: Node) -> Sequence[ir.Value]:
    """Lower the largest element."""
    return [_reduce(node, (_F32, _I8, _I16, _I32, _I64), _lowest, scalar.at_least)]


@operator("REDUCE_MIN", newest_version=3)
def reduce_min(node: Node) -> Sequence[ir.Value]:
    """Lower the smallest element."""
    return [_reduce(node, (_F32, _I8, _I16, _I32, _I64), _highest, scalar.at_most)]


@operator("SUM", newest_version=2)
def sum_(node: Node) -> Sequence[ir.Value]:
    """Lower the sum; that of int8 and int16 is rescaled, as a mean is."""
    node.expect_operands(2)
    if node.output.type in (_I8, _I16):
        return [quantised_sum(node, is_mean=False)]
    return [_reduce(node, (_F32, _I32, _I64), lambda _: 0, _add)]


@operator("REDUCE_PROD", newest_version=2)
def reduce_prod(node: Node) -> Sequence[ir.Value]:
    """Lower the product of numbers without quantisation."""
    return [_reduce(node, (_F32, _I32, _I64), lambda _: 1, _multiply)]


@operator("REDUCE_ANY", newest_version=2)
def reduce_any(node: Node) -> Sequence[ir.Value]:
    """Lower whether an element is true."""
    return [_reduce(node, (_BOOL,), lambda _: 0, lambda a, b: single_result(arith.OrIOp(a, b)))]


@operator("REDUCE_ALL", newest_version=1)
def reduce_all(node: Node) -> Sequence[ir.Value]:
    """Lower whether all elements are true."""
    return [_reduce(node, (_BOOL,), lambda _: 1, lambda a, b: single_result(arith.AndIOp(a, b)))]


@operator("CUMSUM", newest_version=1)
def cumsum(node: Node) -> Sequence[ir.Value]:
    """Lower the sums of all elements up to each one along an axis."""
    node.expect_operands(2)
    node.expect_types(*((t, _I32, t) for t in (_F32, _I32, _I64, _I8)))
    options = node.options(CumsumOptions)
    shape = node.shape(0)
    axis = node.axis(node.integer(1), len(shape))
    size = shape[axis]
    *dims, k = affine_dimensions(len(shape) + 1)
    shift = 1 if options.exclusive else 0
    # In order from the end where the order is reversed, else from the start.
    position = dims[axis] + k - (size - 1 + shift)
    if options.reverse:
        position = dims[axis] - k + (size - 1 + shift)
    index = [position if i == axis else d for i, d in enumerate(dims)]
    element = emit.mlir_type_of(node.output.type)
    return [
        build_reduce(
            KernelDomain(shape, (size,)),
            _running_sum(node) if node.output.type is _I8 else _kernel(0, element, _add),
            ins=[ReduceOperand(node.value(0), tuple(index))],
            params=[],
            out=dims,
            result=emit.tensor_type(shape, element),
        )
    ]


def _running_sum(node: Node) -> ReduceKernel:
    """Return the kernel of int8, whose sums TFLite Micro starts at minus the zero point."""
    terms = ScaledTerms.of(node, node.input(0), node.output)
    return ReduceKernel(
        init=lambda _: [terms.first()],
        body=lambda sums, ins: [scalar.add(sums[0], terms.term(ins[0]))],
        finish=lambda sums, _count, _params: terms.total(sums[0]),
    )


def _reduce(
    node: Node,
    types: Sequence[ElementType],
    start: Callable[[ElementType], float],
    combine: _Combine,
) -> ir.Value:
    node.expect_operands(2)
    node.expect_types(*((t, _I32, t) for t in types))
    node.expect_same_quantization()
    shape, axes = node.shape(0), node.integers(1)
    rank = len(shape)
    if not axes or any(not -rank <= a < rank for a in axes):
        node.malformed(f"the axes {axes} are not those of a tensor of rank {rank}")
    reduced = sorted({a % rank for a in axes})
    kept = [i for i in range(rank) if i not in reduced]
    order = [*kept, *reduced]
    dims = affine_dimensions(rank)
    element = emit.mlir_type_of(node.output.type)
    flat = [shape[i] for i in kept]
    value = build_reduce(
        KernelDomain(tuple(flat), tuple(shape[i] for i in reduced)),
        _kernel(start(node.output.type), element, combine),
        ins=[ReduceOperand(node.value(0), tuple(dims[order.index(i)] for i in range(rank)))],
        params=[],
        out=dims[: len(kept)],
        result=emit.tensor_type(flat, element),
    )
    keep = node.options(ReducerOptions).keep_dims
    whole = [1 if i in reduced else d for i, d in enumerate(shape)]
    return emit.tosa_reshape(value, whole if keep else flat)


def _kernel(start: float, element: ir.Type, combine: _Combine) -> ReduceKernel:
    return ReduceKernel(
        init=lambda _: [scalar.scalar_constant(start, element)],
        body=lambda accumulators, ins: [combine(accumulators[0], ins[0])],
        finish=lambda accumulators, _count, _params: accumulators[0],
    )


def _add(a: ir.Value, b: ir.Value) -> ir.Value:
    is_float = isinstance(a.type, ir.FloatType)
    return arith.AddFOp(a, b).result if is_float else arith.AddIOp(a, b).result


def _multiply(a: ir.Value, b: ir.Value) -> ir.Value:
    is_float = isinstance(a.type, ir.FloatType)
    return arith.MulFOp(a, b).result if is_float else arith.MulIOp(a, b).result


def _lowest(element: ElementType) -> float:
    return float(np.finfo(np.float32).min) if element is _F32 else element.range[0]


def _highest(element: ElementType) -> float:
    return float(np.finfo(np.float32).max) if element is _F32 else element.range[1]
