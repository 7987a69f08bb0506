"""The processor of the host for which a function's kernels are scheduled."""

CPU_ATTRIBUTE = "accel.cpu"
"""The attribute of a function: the name of a file of `forebay.cpus`, with dashes."""
