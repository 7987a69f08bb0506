"""The processor of the host for which a function's kernels are scheduled."""

from mlir import ir
from mlir.dialects import func

CPU_ATTRIBUTE = "accel.cpu"
"""The attribute of a function: the name of a file of `forebay.cpus`, with dashes."""


def cpu_of(function: func.FuncOp) -> str | None:
    """Return the processor that the function's schedule is for; None for the portable one."""
    if CPU_ATTRIBUTE not in function.attributes:
        return None
    return ir.StringAttr(function.attributes[CPU_ATTRIBUTE]).value
