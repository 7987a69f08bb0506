"""accel-schedule-kernels: decide how the loops of the host's kernels run."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay.cpus import schedule_of
from forebay.dialects import accel, linalg
from forebay.ir.machine.cpu import CPU_ATTRIBUTE
from forebay.ir.memory.call_sites import CallSites
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.schedule.channels import schedule_channels
from forebay.lowering.schedule.merge_elements import merge_elements
from forebay.lowering.schedule.schedule import schedule
from forebay.passes._pass import Pass, option


@dataclass(frozen=True)
class AccelScheduleKernels(Pass):
    """Merge dimensions that are one run of memory, and choose blocks of each `accel.reduce`.

    Pooling gets lanes along its channels, where the processor has their extremes or sums in
    vectors. The loops of a `linalg.generic` are merged, too.

    Where the processor has instructions on vectors, operands are read in words. The function
    gets the attribute `accel.cpu`, by which the C printer takes its functions, and the build files
    the compiler's flags.
    """

    name: ClassVar[str] = "accel-schedule-kernels"
    dialects: ClassVar[tuple[str, ...]] = ("memref",)

    cpu: str = option("generic", "the processor that runs the kernels")

    def run(self, op: ir.Operation) -> None:
        """Schedule the ops of the functions of a module, each for all calls of its function."""
        cpu, functions = schedule_of(self.cpu), functions_in(module_of(op))
        sites = CallSites(functions)
        for function in functions:
            if cpu.vectors or cpu.flags:
                function.attributes[CPU_ATTRIBUTE] = ir.StringAttr.get(cpu.name)
            calls = sum(map(len, sites.of(function.sym_name.value).values()))
            kernels: list[ir.OpView] = ops_of(function, accel.ReduceOp, linalg.GenericOp)
            for kernel in kernels:
                if isinstance(kernel, accel.ReduceOp):
                    schedule_channels(kernel, cpu)
                    schedule(kernel, cpu, calls=max(1, calls))
                elif isinstance(kernel, linalg.GenericOp):
                    merge_elements(kernel)
