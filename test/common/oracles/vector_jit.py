"""Executes a function on vectors that LLVM's lowering expands, with memrefs as arguments."""

from __future__ import annotations

import numpy as np
from mlir import execution_engine, ir
from mlir.dialects import func

import forebay.api.dialects  # noqa: F401  (registers the dialects)
from common.host_jit import invoke
from common.oracles.contexts import kernel_context
from forebay.engines.llvm_lowering import ANY_PROCESSOR, lower_to_llvm
from forebay.lowering.kernels.vector_features import VectorFeatures


def run_vectors(source: str, *arrays: np.ndarray, features: VectorFeatures = ANY_PROCESSOR) -> None:
    """Run `@main` of a module; what it stores is in the arrays."""
    with kernel_context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        for op in module.body.operations:
            if isinstance(op, func.FuncOp):
                op.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        lower_to_llvm(module, "extern", features=features)
        invoke(execution_engine.ExecutionEngine(module, opt_level=2), arrays)
