"""References of intrinsics that many devices have, as TFLite computes them.

Each is a function for `Intrinsic(..., reference=...)`, whose parameters are the names of operands
and scalars, or to be called from a reference of one's own. May import `forebay.tracing` only.

Internal: may change without notice.
"""
