"""Kernels on strips of padded rows compute the same bits in every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir
from mlir.dialects import memref, scf
from msgspec import structs

import forebay
from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.nested import ops_of
from forebay.lowering.padding.padding import source_padding_of
from forebay.lowering.padding.strips import Strips, run_in_strips, strips_of

SAME = Layer(size=(12, 7), depth=4, channels=4)
LAYERS = {
    "in place": (SAME, SAME, SAME),
    "stride": (Layer(size=(15, 9), depth=3, channels=5, stride=(2, 1), pad=(1, 1, 1, 1)),),
    "batch": (Layer(size=(5, 6), depth=2, channels=3, batch=4),),
    "high windows": (Layer(size=(16, 6), depth=2, kernel=(5, 3), pad=(2, 2, 1, 1)),),
    "dilation": (Layer(size=(12, 6), depth=2, pad=(2, 2, 1, 1), dilation=(2, 1)),),
    "depthwise": (Layer(size=(12, 6), depth=6, channels=6, depthwise=True),),
    "only below": (Layer(size=(8, 6), kernel=(3, 3), pad=(0, 2, 0, 2)),),
    "drawn 4": drawn_layers(4),
    "drawn 9": drawn_layers(9),
}


def strips_in(layers: tuple[Layer, ...], least: int = 1) -> list[Strips | None]:
    """Return the strips of the padded kernels of a network."""
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(*layers))
        kernels = kernels_in(module)
        paddings = [(kernel, source_padding_of(kernel)) for kernel in kernels]
        return [strips_of(kernel, own, least) for kernel, own in paddings if own is not None]


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_strips_give_the_same_bits(tmp_path: Path, name: str, by_rows: bool) -> None:
    layers, stripped = LAYERS[name], list[Strips]()

    def run_strips(module: ir.Operation) -> None:
        for kernel in ops_of(module, ReduceOp):
            padding = source_padding_of(kernel)
            strips = None if padding is None else strips_of(kernel, padding, 1)
            if strips is not None:
                stripped.append(structs.replace(strips, has_row_lifetimes=by_rows))
                run_in_strips(kernel, stripped[-1], SpaceAttr.get(["workspace"]))

    (tmp_path / "net.mlir").write_text(text_of(*layers))
    plain = forebay.compile(tmp_path / "net.mlir", optimize="size")
    passes = {"after-bufferize": [run_strips]}
    found = forebay.compile(tmp_path / "net.mlir", optimize="size", passes=passes)
    assert stripped and len(ops_of(found.planned, scf.ForOp)) == len(stripped)
    expected = plain.run(layers[0].source())
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(found.run(layers[0].source(), engine=engine), expected)


def test_each_row_of_the_source_is_copied_once() -> None:
    (strips,) = strips_in((Layer(size=(12, 6), depth=2, kernel=(5, 3), pad=(2, 2, 1, 1)),), 1)
    assert strips is not None and (strips.overlap, strips.new, strips.count) == (4, 4, 3)
    assert strips.moved == 2 * 4 * 8 * 2


@pytest.mark.parametrize(
    ("layer", "least", "positions"),
    [
        (SAME, 4, 4),
        (SAME, 5, 6),
        (SAME, 7, None),  # the whole copy
        (Layer(size=(12, 7), kernel=(5, 3), pad=(2, 2, 1, 1)), 1, 4),  # four rows are moved
        (Layer(size=(13, 7)), 2, None),  # no strips of equal numbers of rows
        (Layer(size=(7, 7), kernel=(1, 3), stride=(2, 1), pad=(0, 0, 1, 1)), 1, None),  # gaps
        (Layer(size=(12, 7), batch=2), 1, 1),  # a strip for each image
        (Layer(size=(7, 7), kernel=(2, 3), stride=(2, 1), pad=(1, 0, 1, 1)), 1, None),  # no overlap
        (Layer(size=(6, 7), kernel=(1, 3), pad=(0, 2, 1, 1)), 1, 2),  # two rows below the source
    ],
)
def test_strips_are_for_equal_numbers_of_rows(
    layer: Layer, least: int, positions: int | None
) -> None:
    (strips,) = strips_in((layer,), least)
    assert (None if strips is None else strips.positions) == positions


def changed(
    kernel: ReduceOp, operand: int, axis: int, terms: dict[int, int], constant: int
) -> None:
    """Add multiples of dimensions and a constant to the index of an operand along an axis."""
    maps = [ir.AffineMapAttr(own).value for own in kernel.maps]
    moved = list(maps[operand].results)
    for dim, factor in terms.items():
        moved[axis] = moved[axis] + ir.AffineExpr.get_dim(dim) * factor
    moved[axis] = moved[axis] + constant
    maps[operand] = ir.AffineMap.get(maps[operand].n_dims, 0, moved)
    kernel.attributes["maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(own) for own in maps])


@pytest.mark.parametrize(
    ("operand", "axis", "terms", "constant"),
    [(0, 1, {}, 1), (0, 1, {1: 1}, 0), (0, 2, {0: 1}, 0), (2, 0, {0: 1, 2: -1}, 0)],
    ids=["first row is not read", "rows by columns", "columns by rows", "bias by rows"],
)
def test_no_strips_are_for_kernels_that_read_anything_else_by_rows(
    operand: int, axis: int, terms: dict[int, int], constant: int
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(Layer(size=(12, 2), channels=12, pad=(0, 2, 1, 1))))
        (kernel,) = kernels_in(module)
        padding = source_padding_of(kernel)
        assert padding is not None and strips_of(kernel, padding, 1) is not None
        changed(kernel, operand, axis, terms, constant)
        padding = source_padding_of(kernel)
        assert padding is not None and strips_of(kernel, padding, 1) is None


def test_a_strip_is_filled_once_in_front_of_the_loop() -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(text_of(SAME))
        (kernel,) = kernels_in(module)
        padding = source_padding_of(kernel)
        assert padding is not None
        strips = strips_of(kernel, padding, 4)
        assert strips is not None
        run_in_strips(kernel, strips, SpaceAttr.get(["workspace"]))
        (loop,) = ops_of(module.operation, scf.ForOp)
        assert len(ops_of(loop, linalg.FillOp)) == 1 and len(ops_of(loop, memref.CopyOp)) == 3
        assert len(ops_of(module.operation, linalg.FillOp)) == 2
