"""GEMM and ALU on tiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

from forebay.isa.vta.instructions import AluOp, MicroOp, VtaAlu, VtaGemm
from forebay.isa.vta.programs.loops import IndexLoop, looped_micro_ops
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.step import AccessedMemory, AccessRange, ProgramStep


@dataclass(frozen=True)
class TileProduct:
    """A convolution of a tile: sums of `rows` x `columns` pixels, from an image with its border.

    `in_blocks` blocks of input channels are summed. The image has `image_columns` pixels per row
    and `image_blocks` elements per pixel; the weights have `weight_blocks` elements per tap of the
    kernel. Both may hold more blocks than are summed. If the product is `depthwise`, output block b
    reads input block b only; its weights are diagonal.
    """

    rows: int
    columns: int
    out_blocks: int
    in_blocks: int
    kernel_rows: int
    kernel_columns: int
    stride_rows: int
    stride_columns: int
    image_columns: int
    image_blocks: int
    weight_blocks: int
    dilation_rows: int = 1
    dilation_columns: int = 1
    depthwise: bool = False

    @property
    def sums(self) -> int:
        """Return the elements of ACC."""
        return self.rows * self.columns * self.out_blocks

    @property
    def image(self) -> int:
        """Return the elements of INP from the first to the last one that is read."""
        return self._extent("src")

    @property
    def weights(self) -> int:
        """Return the elements of WGT from the first to the last one that is read."""
        return self._extent("wgt")

    @property
    def products(self) -> int:
        """Return the products of matrices; each is a cycle of GEMM."""
        return math.prod(loop.count for loop in self.loops())

    def loops(self) -> list[IndexLoop]:
        """Return the loops over rows, columns, kernel, input blocks and output blocks."""
        pixel, row = self.image_blocks, self.image_columns * self.image_blocks
        per_row = self.kernel_columns * self.weight_blocks
        return [
            IndexLoop(self.rows, self.columns * self.out_blocks, self.stride_rows * row),
            IndexLoop(self.columns, self.out_blocks, self.stride_columns * pixel),
            IndexLoop(self.kernel_rows, 0, self.dilation_rows * row, per_row),
            IndexLoop(self.kernel_columns, 0, self.dilation_columns * pixel, self.weight_blocks),
            IndexLoop(1 if self.depthwise else self.in_blocks, 0, 1, 1),
            IndexLoop(self.out_blocks, 1, int(self.depthwise), self.kernel_rows * per_row),
        ]

    def _extent(self, memory: str) -> int:
        return 1 + sum((loop.count - 1) * getattr(loop, memory) for loop in self.loops())


def multiply_tiles(
    product: TileProduct, image: int, weights: int, sums: int, memory: MicroOpMemory
) -> list[ProgramStep]:
    """Add the products of an image and weights to sums, at these elements of the memories."""
    base = MicroOp(sums, image, weights)
    written = AccessRange(AccessedMemory.ACC, sums, sums + product.sums)
    reads = (
        AccessRange(AccessedMemory.INP, image, image + product.image),
        AccessRange(AccessedMemory.WGT, weights, weights + product.weights),
        written,
    )
    steps: list[ProgramStep] = []
    for looped in looped_micro_ops(product.loops(), base, memory.depth):
        loads, at = memory.loaded(looped.micro_ops)
        outer, inner = looped.outer, looped.inner
        gemm = VtaGemm(
            at,
            at + len(looped.micro_ops),
            outer.count,
            inner.count,
            dst_outer=outer.dst,
            dst_inner=inner.dst,
            src_outer=outer.src,
            src_inner=inner.src,
            wgt_outer=outer.wgt,
            wgt_inner=inner.wgt,
        )
        steps += [*loads, ProgramStep(gemm, reads=reads, writes=(written,))]
    return steps


def combine_sums(
    op: AluOp, immediate: int, sums: int, count: int, memory: MicroOpMemory
) -> list[ProgramStep]:
    """Combine `count` consecutive sums with an immediate."""
    loads, at = memory.loaded((MicroOp(sums, sums),))
    alu = VtaAlu(
        at,
        at + 1,
        inner=count,
        dst_inner=1,
        src_inner=1,
        op=op,
        use_immediate=True,
        immediate=immediate,
    )
    changed = (AccessRange(AccessedMemory.ACC, sums, sums + count),)
    return [*loads, ProgramStep(alu, reads=changed, writes=changed)]
