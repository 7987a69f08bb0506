"""memref-pool-split-blocks: move segments of long blocks into functions for bufferization."""

from typing import ClassVar

from mlir import ir

from forebay.ir.module import module_of
from forebay.lowering.segments.split import split_blocks
from forebay.passes._pass import Pass
from forebay.support.records import record


@record
class MemrefPoolSplitBlocks(Pass):
    """Move segments of blocks that write tensors more than 24 times into private functions.

    The time of upstream's bufferization grows with the cube of the writes in a block. A stage that
    cuts an operator into many tiles makes such blocks. Run `memref-pool-join-blocks` after the
    bufferization; it moves the ops back.
    """

    name: ClassVar[str] = "memref-pool-split-blocks"
    dialects: ClassVar[tuple[str, ...]] = ("func",)

    def run(self, op: ir.Operation) -> None:
        """Split the blocks of all functions and of the loops in them."""
        split_blocks(module_of(op))
