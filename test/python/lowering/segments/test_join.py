"""Buffers that cross segments are allocated where they are first used."""

from __future__ import annotations

from mlir import ir

from forebay.ir.module import module_of
from forebay.lowering.segments.join import join_blocks

BUFFERS = """
func.func private @f_segment_1(%x: memref<4xi8>, %r: memref<4xi8>) -> index
    attributes {memref_pool.segment} {
  %c1 = arith.constant 1 : index
  memref.copy %x, %r : memref<4xi8> to memref<4xi8>
  return %c1 : index
}
func.func @f(%x: memref<4xi8>, %y: memref<4xi8>) -> index {
  %unused = memref.alloc() : memref<4xi8>
  %a = memref.alloc() : memref<4xi8>
  %n = func.call @f_segment_1(%x, %a) : (memref<4xi8>, memref<4xi8>) -> index
  memref.copy %a, %y : memref<4xi8> to memref<4xi8>
  return %n : index
}"""


def names(module: ir.Module) -> list[str]:
    (function,) = module.body.operations
    return [op.operation.name for op in function.regions[0].blocks[0].operations]


def test_allocations_move_and_scalars_are_replaced() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(BUFFERS)
        join_blocks(module_of(module.operation))
        assert module.operation.verify()
        assert names(module) == [
            "memref.alloc",
            "arith.constant",
            "memref.alloc",
            "memref.copy",
            "memref.copy",
            "func.return",
        ]


def test_a_module_without_segments_stays() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(BUFFERS.replace("attributes {memref_pool.segment}", ""))
        before = str(module)
        join_blocks(module_of(module.operation))
        assert str(module) == before
