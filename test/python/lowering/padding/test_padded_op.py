"""Kernels on padded copies compute the same bits in every engine, and fill each border once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir
from mlir.dialects import memref

import forebay
from forebay.dialects import linalg
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.nested import ops_of
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import source_padding_of

ROOM = "1M"
"""A budget in which each copy fits."""


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 9, 11])
@pytest.mark.parametrize("cpu", ["generic", "cortex-m4", "cortex-m55", "cascadelake"])
def test_padded_sources_give_the_same_bits(tmp_path: Path, seed: int, cpu: str) -> None:
    layers = drawn_layers(seed)
    (tmp_path / "net.mlir").write_text(text_of(*layers))
    padded = forebay.compile(tmp_path / "net.mlir", budget=ROOM, cpu=cpu)
    plain = forebay.compile(tmp_path / "net.mlir", optimize="size")
    assert ops_of(padded.planned, memref.CopyOp) and not ops_of(plain.planned, memref.CopyOp)
    expected = plain.run(layers[0].source())
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(padded.run(layers[0].source(), engine=engine), expected)


@pytest.mark.parametrize("seed", range(8))
def test_each_element_of_the_copy_is_written_once(seed: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*drawn_layers(seed)))
        for kernel in kernels_in(module):
            padding = source_padding_of(kernel)
            if padding is None:
                continue
            space = ir.MemRefType(kernel.output.type).memory_space
            pad_source(kernel, padding, space)
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
