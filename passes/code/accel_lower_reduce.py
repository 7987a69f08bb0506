"""accel-lower-reduce: turn `accel.reduce` on memrefs into loops."""

from typing import ClassVar

from mlir import ir

from forebay.dialects import accel
from forebay.ir.nested import ops_of
from forebay.lowering.blocks.channel_lanes import has_channel_lanes, lower_channels_to_loops
from forebay.lowering.blocks.nest import lower_blocks_to_loops
from forebay.lowering.loops.loops import lower_to_loops
from forebay.passes._pass import Pass, PassError


class AccelLowerReduce(Pass):
    """Make a loop nest of each `accel.reduce` on memrefs.

    The accumulators are iteration arguments of `scf.for`. Where a map can address an element
    outside of its operand, the pass clamps the bounds of the reduction loop in front of the loop,
    so the loop body checks nothing. Leaves only scf, memref and arith, and the ops of the regions.
    """

    name: ClassVar[str] = "accel-lower-reduce"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "memref", "scf", "vector")

    def run(self, op: ir.Operation) -> None:
        """Replace the ops of one function."""
        for reduce in ops_of(op, accel.ReduceOp):
            if isinstance(reduce.output.type, ir.RankedTensorType):
                raise PassError(
                    reduce.location,
                    "accel.reduce on tensors has no loops; run one-shot-bufferize before",
                )
            if reduce.blocks is None:
                lower_to_loops(reduce)
            elif has_channel_lanes(reduce):
                lower_channels_to_loops(reduce)
            else:
                lower_blocks_to_loops(reduce)
