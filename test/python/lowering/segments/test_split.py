"""Segments change nothing but the time of the bufferization."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common.programs.boxed_reduce import Window, straight
from mlir import ir
from mlir.dialects import tensor

import forebay
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.lowering.segments.join import join_blocks
from forebay.lowering.segments.split import SEGMENT, WRITES, split_blocks
from forebay.pipelines import run_pipeline

BUFFERIZATION = (
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map buffer-alignment=0}",
    "drop-equivalent-buffer-results",
    "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true "
    "add-result-attr=true}",
)
CLEANING = ("canonicalize", "symbol-dce")


def tiles(count: int, *, in_loop: bool = False, stays: bool = False) -> str:
    """An operator in tiles: each is loaded, computed into its place, and one of three is kept.

    With `stays`, all tiles use the first one.
    """
    whole, tile = f"tensor<{count}x16xi8>", "tensor<1x16xi8>"
    lines: list[str] = []
    for i in range(count):
        kept = 0 if stays else i - i % 3
        lines += [
            f"%s{i} = tensor.extract_slice %x[{i}, 0] [1, 16] [1, 1] : {whole} to {tile}",
            f"%e{i} = tensor.empty() : {tile}",
            f"%c{i} = memref_pool.copy %s{i} into %e{i} : {tile}, {tile} -> {tile}",
            f"%o{i} = tensor.extract_slice %y{i}[{i}, 0] [1, 16] [1, 1] : {whole} to {tile}",
            f"%r{i} = accel.call @npu.f ins(%c{i}, %c{kept} : {tile}, {tile}) "
            f"outs(%o{i} : {tile}) -> {tile}",
            f"%y{i + 1} = tensor.insert_slice %r{i} into %y{i}[{i}, 0] [1, 16] [1, 1] "
            f": {tile} into {whole}",
        ]
    body = "\n".join(lines)
    if in_loop:
        body = (
            "%begin = arith.constant 0 : index\n%end = arith.constant 1 : index\n"
            f"%z = scf.for %n = %begin to %end step %end iter_args(%y0 = %y) -> ({whole}) {{\n"
            f"{body}\n"
            f"scf.yield %y{count} : {whole}\n}}\nreturn %z : {whole}"
        )
    else:
        body = f"{body}\nreturn %y{count} : {whole}"
    out = "%y" if in_loop else "%y0"
    return f"""
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.intrinsic @npu.f on @npu symbol "npu_f" operands [#accel.operand<name = "x", access = in>,
  #accel.operand<name = "k", access = in>, #accel.operand<name = "y", access = out>]
func.func private @op(%x: {whole}, {out}: {whole}) -> {whole} {{
{body}
}}
func.func @main(%x: {whole}) -> {whole} {{
  %e = tensor.empty() : {whole}
  %r = func.call @op(%x, %e) : ({whole}, {whole}) -> {whole}
  return %r : {whole}
}}"""


def bufferized(text: str, *, split: bool) -> str:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        before = ("memref-pool-split-blocks",) if split else ()
        after = ("memref-pool-join-blocks",) if split else ()
        passes = (*before, *BUFFERIZATION, *after, *CLEANING)
        run_pipeline(module, f"builtin.module({','.join(passes)})")
        return str(module)


def writes_by_function(text: str) -> dict[str, int]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        split_blocks(module_of(module.operation))
        assert module.operation.verify()
        return {
            op.operation.attributes["sym_name"].value: sum(
                inner.operation.name == "tensor.insert_slice" or SEGMENT in inner.attributes
                for inner in ops_nested_in(op)
            )
            for op in module.body.operations
            if op.operation.name == "func.func"
        }


def test_buffers_and_ops_are_those_of_the_whole_block() -> None:
    for text in (tiles(40), tiles(30, in_loop=True)):
        assert bufferized(text, split=True) == bufferized(text, split=False)


def test_segments_of_segments() -> None:
    found = writes_by_function(tiles(12 * 12 * 2 + 13))
    assert max(found.values()) <= 2 * WRITES
    assert found["op"] <= 2 * WRITES
    assert "op_segment_26" in found
    assert sum(found.values()) > 12 * 12 * 2 + 13


def test_a_loaded_tile_that_stays_is_not_copied_for_segments_of_segments() -> None:
    count = 12 * 12 * 2 + 13
    text = bufferized(tiles(count, stays=True), split=True)
    assert text.count("memref_pool.copy") == count
    assert text.count("memref.alloc") == count
    assert "memref.copy %alloc" not in text


def test_short_blocks_stay() -> None:
    assert writes_by_function(tiles(2 * WRITES)) == {"op": 2 * WRITES, "main": 0}


def test_joining_restores_the_module() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(tiles(50))
        before = [op.operation.name for op in ops_nested_in(module.operation)]
        split_blocks(module_of(module.operation))
        assert any(SEGMENT in op.attributes for op in ops_nested_in(module.operation))
        join_blocks(module_of(module.operation))
        after = [op.operation.name for op in ops_nested_in(module.operation)]
    assert [n for n in after if n != "tensor.empty"] == [n for n in before if n != "tensor.empty"]


def test_boxes_of_one_op_are_split_and_have_its_bits(tmp_path: Path) -> None:
    """Each box writes into the tensor of the one before; each pass runs before and after."""
    rows, count = 4, 3 * WRITES
    window = Window(rows=rows * count, channels=8, kernel=3, depth=4, height=rows * count, before=1)
    tiles = [((rows * tile, rows), (0, 8)) for tile in range(count)]
    text = straight(window, tiles, [((0, 3), (0, 4))])
    with ir.Context():
        module = ir.Module.parse(text)
        split_blocks(module_of(module.operation))
        assert str(module).count("attributes {memref_pool.segment}") == 3
    (tmp_path / "boxes.mlir").write_text(text, "utf-8")
    compiled = forebay.compile(tmp_path / "boxes.mlir", verify_each=True)
    inputs = window.inputs(0)
    np.testing.assert_array_equal(compiled.run(*inputs), window.expected(*inputs))


def test_segments_return_no_slices() -> None:
    # 30 tensors, each written twice; a slice of each is used at the end of the block.
    lines: list[str] = []
    for i in range(30):
        lines += [
            f"%e{i} = tensor.empty() : tensor<8xf32>",
            f"%a{i} = tensor.insert_slice %x into %e{i}[0] [4] [1] "
            ": tensor<4xf32> into tensor<8xf32>",
            f"%b{i} = tensor.insert_slice %x into %a{i}[4] [4] [1] "
            ": tensor<4xf32> into tensor<8xf32>",
            f"%s{i} = tensor.extract_slice %b{i}[2] [4] [1] : tensor<8xf32> to tensor<4xf32>",
        ]
    types = ", ".join(["tensor<4xf32>"] * 30)
    values = ", ".join(f"%s{i}" for i in range(30))
    body = "\n".join([*lines, f"return {values} : {types}"])
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @op(%x: tensor<4xf32>) -> ({types}) {{\n{body}\n}}")
        split_blocks(module_of(module.operation))
        assert module.operation.verify()
        segments = [op for op in module.body.operations if SEGMENT in op.attributes]
        returned = [
            value.owner.opview
            for segment in segments
            for value in list(segment.regions[0].blocks[0].operations)[-1].operands
        ]
        assert len(returned) == 30
        assert not any(isinstance(op, tensor.ExtractSliceOp) for op in returned)
