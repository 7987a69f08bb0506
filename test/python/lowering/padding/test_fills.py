"""The fills and the copy of a padded copy write each element once, as a whole and row by row."""

from __future__ import annotations

import numpy as np
import pytest
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir
from mlir.dialects import memref

from forebay.dialects import linalg
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.nested import ops_of
from forebay.lowering.padding.fills import lower_padded_copy
from forebay.lowering.padding.padded_copy import padded_copy_of
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import source_padding_of


@pytest.mark.parametrize("seed", range(8))
def test_each_element_of_the_copy_is_written_once(seed: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*drawn_layers(seed)))
        for kernel in kernels_in(module):
            padding = source_padding_of(kernel)
            if padding is None:
                continue
            space = ir.MemRefType(kernel.output.type).memory_space
            copy = pad_source(kernel, padding, space)
            assert padded_copy_of(copy) == padding
            assert lower_padded_copy(copy, padding)
            padded = kernel.inputs[0]
            assert isinstance(padded.owner.opview, AllocOp)
            written = np.zeros(padding.elements, int)
            for fill in ops_of(module.operation, linalg.FillOp):
                _write(written, fill.outputs[0], padded)
            for copy in ops_of(module.operation, memref.CopyOp):
                _write(written, copy.target, padded)
            assert (written == 1).all()
            for view in ops_of(module.operation, memref.SubViewOp):
                ends = np.add(list(view.static_offsets), list(view.static_sizes))
                assert (ends <= ir.MemRefType(view.source.type).shape).all()


def _write(written: np.ndarray, view: ir.Value, buffer: ir.Value) -> None:
    """Count the elements of a view of a buffer."""
    base = view
    while base != buffer:
        if isinstance(base.owner, ir.Block) or not base.owner.operands:
            return
        base = base.owner.operands[0]
    strides, offset = ir.MemRefType(view.type).get_strides_and_offset()
    for index in np.ndindex(*ir.MemRefType(view.type).shape):
        written[offset + int(np.dot(index, strides))] += 1
