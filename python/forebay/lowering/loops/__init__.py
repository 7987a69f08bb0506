"""The lowering of `accel.reduce` on memrefs to loop nests with accumulators in registers.

May import `lowering.kernels` for scalar arithmetic.

Internal: may change without notice.
"""
