"""Makes every tensor that an operator computes an output of a `.tflite` file.

The file grows by one vector at its end, to which the offset of the subgraph's outputs is bent.
"""

from __future__ import annotations

import struct

import tflite

_OUTPUTS_FIELD = 8  # of SubGraph: the third one, in bytes of the virtual table


def expose(file: bytes) -> tuple[bytes, list[str]]:
    """The file with all computed tensors as outputs, in order, and their names."""
    model = tflite.Model.GetRootAs(file, 0)
    graph = model.Subgraphs(0)
    computed = [
        op.Outputs(k)
        for op in map(graph.Operators, range(graph.OperatorsLength()))
        for k in range(op.OutputsLength())
        if graph.Tensors(op.Outputs(k)).Type() != tflite.TensorType.RESOURCE
    ]
    field = graph._tab.Pos + graph._tab.Offset(_OUTPUTS_FIELD)
    grown = bytearray(file + bytes(-len(file) % 4))
    struct.pack_into("<I", grown, field, len(grown) - field)
    grown += struct.pack(f"<I{len(computed)}i", len(computed), *computed)
    return bytes(grown), [graph.Tensors(i).Name().decode() for i in computed]
