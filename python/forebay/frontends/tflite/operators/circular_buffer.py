"""CIRCULAR_BUFFER: the last inputs of a stream, the newest one at the end.

    out = concat(state without its first slot, in), which is the next state

TFLite Micro's first results hold what was in memory; here the state is 0 at first. An operator with
`cycles_max` above 1 ends the inference before the operators after it, which Forebay refuses.
Source: TFLite Micro `circular_buffer.cc`, `circular_buffer_common.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

_INT8 = ElementType.INT8

document(
    "CIRCULAR_BUFFER",
    types="int8",
    limits="`cycles_max` of 1; empty slots are 0",
    becomes="`variable`, `slice`, `concat`",
    exact="yes",
)


@operator("CIRCULAR_BUFFER", newest_version=1)
def circular_buffer(node: Node) -> Sequence[ir.Value]:
    """Lower the shift of a state along dimension 1."""
    node.expect_operands(1)
    node.expect_types((_INT8, _INT8))
    node.expect_same_quantization()
    node.expect_rank(0, 4)
    batch, rows, *rest = node.shape(0)
    result = node.output.shape
    slots = result[1] if len(result) == 4 else 0
    if (batch, rows) != (1, 1) or slots < 1 or result != (1, slots, *rest):
        node.malformed(f"an input of {list(node.shape(0))} for slots of {list(result)}")
    cycles = node.custom_options().get("cycles_max", 1)
    if cycles != 1:
        node.refuse(
            f"an inference that ends at this operator but every {cycles} times",
            "set cycles_max to 1, or split the network here",
        )
    if slots == 1:
        return [node.value(0)]
    kept = (1, slots - 1, *rest)
    name = node.new_state("slots", np.zeros(kept, np.int8))
    kind = emit.tensor_type(kept, emit.mlir_type_of(_INT8))
    before = tosa.VariableReadOp(kind, name).results[0]
    value = emit.tosa_concat([before, node.value(0)], 1)
    tosa.VariableWriteOp(name, emit.tosa_slice(value, (0, 1, 0, 0), kept))
    return [value]
