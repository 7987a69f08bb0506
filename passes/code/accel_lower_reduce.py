"""accel-lower-reduce: `accel.reduce` on memrefs becomes loops."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in
from forebay.lowering.loops.loops import lower_to_loops
from forebay.passes._pass import Pass, PassError


@dataclass(frozen=True)
class AccelLowerReduce(Pass):
    """Make a loop nest of each `accel.reduce` on memrefs.

    Accumulators are carried by `scf.for`; where a map can leave its operand, the bounds of the
    reduction loop are clamped in front of the loop, and nothing is checked inside. Leaves only scf,
    memref and arith, with what the regions brought along.
    """

    name: ClassVar[str] = "accel-lower-reduce"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "memref", "scf")

    def run(self, op: ir.Operation) -> None:
        """Replace the ops of one function."""
        for reduce in ops_nested_in(op):
            if not isinstance(reduce, accel.ReduceOp):
                continue
            if isinstance(reduce.output.type, ir.RankedTensorType):
                raise PassError(
                    reduce.location,
                    "accel.reduce on tensors has no loops; run one-shot-bufferize before",
                )
            lower_to_loops(reduce)
