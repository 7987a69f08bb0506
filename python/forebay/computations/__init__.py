"""Computations: what intrinsics compute, which operators they implement, and how these are cut.

One file per computation. Each has the reference, a traced function that is also to be called from
a reference of one's own, and a class with everything else that the compiler derives an intrinsic's
patterns and tiles from. May import `ir`, `regions` and `tracing`.

Public as `forebay.api.target`; the rest may change without notice.
"""
