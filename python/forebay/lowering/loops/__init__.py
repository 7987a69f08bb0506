"""`accel.reduce` on memrefs as loop nests with accumulators in registers.

May import `lowering.kernels` for scalar arithmetic.
"""
