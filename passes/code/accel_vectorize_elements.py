"""accel-vectorize-elements: compute neighbouring elements of the host's operators in vectors."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.cpus import schedule_of
from forebay.dialects import linalg
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.nested import ops_nested_in
from forebay.lowering.schedule.element_lanes import lower_in_lanes
from forebay.passes._pass import Pass


class AccelVectorizeElements(Pass):
    """Lower each `linalg.generic` that requantises to 8 bits to loops over vectors.

    The processor of the function, `accel.cpu`, must have such vectors. Sums of an op have schedules
    of their own, and stay as they are. So do operators whose results are no neighbours in memory,
    whose body has no form on vectors, and those that may leave the range of the short
    requantisation.
    """

    name: ClassVar[str] = "accel-vectorize-elements"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("memref", "scf", "vector")

    def run(self, op: ir.Operation) -> None:
        """Lower the ops of one function."""
        assert isinstance(op.opview, func.FuncOp)
        cpu = cpu_of(op.opview)
        lanes = None if cpu is None else schedule_of(cpu).lanes
        if lanes is None or not lanes.elements:
            return
        for kernel in ops_nested_in(op):
            if isinstance(kernel, linalg.GenericOp):
                lower_in_lanes(kernel, lanes.elements)
