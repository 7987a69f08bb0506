"""The lowering of operators and device commands to loops and C functions.

`kernels` builds `accel.reduce`, `loops` turns it into `scf.for`, `device_calls` makes LLVM calls.

Internal: may change without notice.
"""
