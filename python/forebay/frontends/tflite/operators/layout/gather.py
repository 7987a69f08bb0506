"""GATHER, GATHER_ND and EMBEDDING_LOOKUP: rows of a tensor by numbers in another.

    one linalg.generic: out[batch, outer, positions, inner] = in[batch, outer, index, inner]

TFLite stops at an index outside of the tensor. Here the nearest row is read, so that no access is
outside.
Source: TFLite Micro `gather.cc`, `gather_nd.cc`, `embedding_lookup.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends.elementwise import map_indexed, position_along
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar


class GatherOptions(OperatorOptions, frozen=True):
    """GATHER."""

    axis: SchemaInt32
    batch_dims: SchemaInt32


_F32, _I8, _I32 = ElementType.FLOAT32, ElementType.INT8, ElementType.INT32
_INDICES = (ElementType.INT16, ElementType.INT32, ElementType.INT64)

document(
    "GATHER",
    "GATHER_ND",
    "EMBEDDING_LOOKUP",
    types="all below, by int16, int32, int64; EMBEDDING_LOOKUP: int8, float32, and int8 to "
    "float32, by int32",
    limits="an index outside reads the nearest row",
    becomes="`linalg.generic`",
    exact="yes",
)


@operator("GATHER", newest_version=7)
def gather(node: Node) -> Sequence[ir.Value]:
    """Lower the selection along one axis; the first `batch_dims` dimensions are common."""
    node.expect_operands(2)
    node.expect_same_types()
    node.expect_same_quantization()
    shape, numbers = node.shape(0), node.shape(1)
    options = node.options(GatherOptions)
    axis = node.axis(options.axis, len(shape))
    batches = options.batch_dims + (len(numbers) if options.batch_dims < 0 else 0)
    if not 0 <= batches <= min(axis, len(numbers)) or shape[:batches] != numbers[:batches]:
        node.malformed(f"{batches} common dimensions of {list(shape)} and {list(numbers)}")
    return [_gather(node, node.value(0), axis, batches)]


@operator("EMBEDDING_LOOKUP", newest_version=4)
def embedding_lookup(node: Node) -> Sequence[ir.Value]:
    """Lower the selection of rows of operand 1 by operand 0."""
    node.expect_operands(2)
    node.expect_types(
        (_I32, _F32, _F32),
        (_I32, _I8, _I8),
        (_I32, _I8, _F32),
    )
    reversed_ = node.reordered(1, 0)
    rows = _gather(reversed_, reversed_.value(0), 0, 0)
    table = node.input(1)
    if table.type is node.output.type:
        return [rows]
    quantization = node.quantization(table)
    if quantization.zero_point:
        node.refuse("a table with a zero point", "quantise it symmetrically")
    shape = emit.static_shape_of(rows)
    scale = np.full((1,) * len(shape), quantization.scale, np.float32)
    reals = emit.tosa_cast(rows, emit.mlir_type_of(_F32))
    return [emit.tosa_multiply(reals, emit.tosa_constant(scale), shape)]


@operator("GATHER_ND", newest_version=5)
def gather_nd(node: Node) -> Sequence[ir.Value]:
    """Lower the selection by vectors of indices of the first dimensions."""
    node.expect_operands(2)
    node.expect_same_types()
    node.expect_same_quantization()
    _check_indices(node)
    shape, numbers = node.shape(0), node.shape(1)
    depth = numbers[-1] if numbers else 0
    if not 1 <= depth <= len(shape):
        node.malformed(f"vectors of {depth} indices into {list(shape)}")
    positions = numbers[:-1]
    result = (*positions, *shape[depth:])
    d = [ir.AffineExpr.get_dim(i) for i in range(len(result))]
    vectors = [
        (node.value(1), [*d[: len(positions)], ir.AffineExpr.get_constant(k)]) for k in range(depth)
    ]
    value = node.value(0)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        index = [_within(number, shape[k]) for k, number in enumerate(ins)]
        rest = [position_along(i) for i in range(len(positions), len(result))]
        return tensor.ExtractOp(value, [*index, *rest]).result

    return [map_indexed(vectors, result, emit.element_of(value), compute)]


def _check_indices(node: Node) -> None:
    if node.input(1).type not in _INDICES:
        node.malformed(f"its indices are of type {node.input(1).type_name}")


def _gather(node: Node, value: ir.Value, axis: int, batches: int) -> ir.Value:
    _check_indices(node)
    shape, numbers = node.shape(0), node.shape(1)
    result = (*shape[:axis], *numbers[batches:], *shape[axis + 1 :])
    d = [ir.AffineExpr.get_dim(i) for i in range(len(result))]
    inner = axis + len(numbers) - batches
    selected = [*d[:batches], *d[axis:inner]]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        outer = [position_along(i) for i in range(axis)]
        rest = [position_along(i) for i in range(inner, len(result))]
        return tensor.ExtractOp(value, [*outer, _within(ins[0], shape[axis]), *rest]).result

    return map_indexed([(node.value(1), selected)], result, emit.element_of(value), compute)


def _within(number: ir.Value, size: int) -> ir.Value:
    """Return the index of a row; one outside of the tensor becomes the nearest."""
    limited = scalar.clamp(
        number, 0, min(size - 1, (1 << (ir.IntegerType(number.type).width - 1)) - 1)
    )
    return arith.IndexCastOp(ir.IndexType.get(), limited).result
