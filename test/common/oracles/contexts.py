"""MLIR contexts for single kernels, made in a quarter of the time."""

from __future__ import annotations

from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)

_DIALECTS = (
    *("accel", "affine", "arith", "bufferization", "cf", "complex", "func", "index", "linalg"),
    *("llvm", "math", "memref", "memref_pool", "ml_program", "quant", "scf", "tensor", "tosa"),
    *("ub", "vector"),
)
"""What Forebay's kernels, and the lowerings of these, are written in."""


def kernel_context() -> ir.Context:
    """A context with the dialects of kernels.

    Dialects of GPUs and of others that Forebay does not write, which take most of the time, are
    loaded when a text or a pass names them. `ir.Context()` loads them all at once.
    """
    return ir.Context(load_on_create_dialects=_DIALECTS)
