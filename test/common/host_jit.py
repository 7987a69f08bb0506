"""Executes TOSA through the host lowering, with plain buffers: no pools, no C."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from mlir import ir, passmanager, runtime
from mlir.dialects import func
from mlir.execution_engine import ExecutionEngine

import forebay.passes  # noqa: F401  (registers the passes)
from common.oracles.contexts import kernel_context
from common.oracles.unoptimized_jit import UnoptimizedEngine
from forebay.pipelines.host import HOST_LOWERING

BUFFERS = (
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map buffer-alignment=0}",
    "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}",
)
LOOPS = (
    "func.func(accel-lower-reduce,convert-linalg-to-loops,lower-affine)",
    "func.func(tosa-to-arith{include-apply-rescale=true use-32-bit=false})",
)
LLVM = (
    "expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-scf-to-cf,func.func(llvm-request-c-wrappers)",
    "convert-math-to-llvm,convert-math-to-libm,func.func(arith-expand),convert-arith-to-llvm",
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts",
)


def lower(module: ir.Module, *phases: tuple[str, ...]) -> None:
    """Run phases of passes in place."""
    passes = ",".join(entry for phase in phases for entry in phase)
    passmanager.PassManager.parse(f"builtin.module({passes})", module.context).run(module.operation)


def run_host(
    source: str | ir.Module, *inputs: np.ndarray, expanded: tuple[str, ...] = ()
) -> list[np.ndarray]:
    """The results of `@main`, as signless integers or floats.

    The passes `expanded` run between the loops and LLVM.
    """
    with kernel_context(), ir.Location.unknown():
        module = ir.Module.parse(source if isinstance(source, str) else str(source))
        main = next(op for op in module.body.operations if isinstance(op, func.FuncOp))
        main.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [ir.DictAttr.get({"bufferization.writable": ir.BoolAttr.get(False)})] * len(inputs)
        )
        results = [
            np.zeros(t.shape, _numpy_type(t.element_type))
            for t in map(ir.RankedTensorType, main.type.results)
        ]
        lower(module, HOST_LOWERING, BUFFERS, LOOPS[:1], expanded, LOOPS[1:], LLVM)
        invoke(UnoptimizedEngine(module), [*inputs, *results])
    return results


def invoke(engine: ExecutionEngine | UnoptimizedEngine, arrays: Sequence[np.ndarray]) -> None:
    """Call `main` with the descriptors of arrays."""
    pointers = [
        ctypes.pointer(ctypes.pointer(runtime.get_ranked_memref_descriptor(array)))
        for array in arrays
    ]
    engine.invoke("main", *pointers)


def _numpy_type(element: ir.Type) -> np.dtype:
    if isinstance(element, ir.F32Type):
        return np.dtype(np.float32)
    return np.dtype(f"int{ir.IntegerType(element).width}")
