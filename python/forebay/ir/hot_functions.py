"""Functions that run so often that the JIT optimises them also where it optimises no others."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

_HOT = "forebay-hot"
"""An attribute of LLVM's functions, see `dialects/bindings/Jit.cpp`."""


def mark_hot(function: func.FuncOp) -> None:
    """Let the JIT optimise the loops of a function when it compiles the others at level 0."""
    with function.location:
        function.attributes["passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get(_HOT)])
