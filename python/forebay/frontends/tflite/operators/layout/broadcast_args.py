"""BROADCAST_ARGS: the shape that two shapes broadcast to.

    one linalg.generic of the shapes with ones in front: out[i] = b[i] where a[i] is 1, else a[i]

TFLite stops where two sizes differ and neither is 1; here the first one is the result.
Source: TFLite Micro `broadcast_args.cc`, `reference/broadcast_args.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

document(
    "BROADCAST_ARGS", types="int32, int64", becomes="[`concat`], `linalg.generic`", exact="yes"
)


@operator("BROADCAST_ARGS", newest_version=1)
def broadcast_args(node: Node) -> Sequence[ir.Value]:
    """Lower the larger of two vectors of sizes, element by element."""
    node.expect_operands(2)
    node.expect_types((ElementType.INT32,) * 3, (ElementType.INT64,) * 3)
    node.expect_rank(0, 1)
    node.expect_rank(1, 1)
    rank = max(node.shape(0)[0], node.shape(1)[0])
    node.expect_size((rank,))
    operands = [_padded(node, i, rank) for i in (0, 1)]
    element = emit.element_of(operands[0])

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        one = scalar.scalar_constant(1, element)
        is_one = arith.CmpIOp(arith.CmpIPredicate.eq, ins[0], one).result
        return arith.SelectOp(is_one, ins[1], ins[0]).result

    return [map_elements(operands, (rank,), element, compute)]


def _padded(node: Node, index: int, rank: int) -> ir.Value:
    value = node.value(index)
    (extent,) = node.shape(index)
    if extent == rank:
        return value
    dtype = np.int32 if node.input(index).type is ElementType.INT32 else np.int64
    ones = emit.tosa_constant(np.ones(rank - extent, dtype))
    return emit.tosa_concat([ones, value] if extent else [ones], 0)
