"""memref-pool-join-blocks: move segments of long blocks back, after bufferization."""

from typing import ClassVar

from mlir import ir

from forebay.ir.module import module_of
from forebay.lowering.segments.join import join_blocks
from forebay.passes._pass import Pass
from forebay.support.records import record


@record
class MemrefPoolJoinBlocks(Pass):
    """Replace the calls of segments, which `memref-pool-split-blocks` made, by their ops."""

    name: ClassVar[str] = "memref-pool-join-blocks"

    def run(self, op: ir.Operation) -> None:
        """Join the blocks of all functions."""
        join_blocks(module_of(op))
