"""The lowering of a materialised module to the LLVM dialect, for the JIT and for objects."""

from __future__ import annotations

import io
from typing import Literal

from mlir.ir import Module

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import pipelines
from forebay.lowering.kernels.vector_features import VectorFeatures

ANY_PROCESSOR = VectorFeatures()

_PIPELINE = (
    "builtin.module(memref-pool-lower-to-llvm{{intrinsics={intrinsics} index-bits={bits} "
    "masked-loads={masked} byte-products={products}}},"
    "func.func(convert-linalg-to-loops),"
    "func.func(tosa-to-arith{{include-apply-rescale=true use-32-bit=false}}),"
    "expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-scf-to-cf,accel-return-status,"
    "convert-math-to-llvm,convert-math-to-libm,"
    # arith-expand is for the rounding divisions; its maximumf would lose the sign of a zero.
    "convert-arith-to-llvm{{index-bitwidth={bits}}},func.func(arith-expand),"
    "convert-arith-to-llvm{{index-bitwidth={bits}}},"
    "finalize-memref-to-llvm{{index-bitwidth={bits}}},"
    "convert-func-to-llvm{{index-bitwidth={bits} use-bare-ptr-memref-call-conv={bare}}},"
    "convert-cf-to-llvm{{index-bitwidth={bits}}},reconcile-unrealized-casts)"
)


def clone_of(module: Module) -> Module:
    """Return a copy of a module, in the current context."""
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    return Module.parse(bytecode.getvalue())


def lower_to_llvm(
    module: Module,
    intrinsics: Literal["reference", "extern"],
    *,
    index_bits: int = 64,
    bare_pointers: bool = False,
    features: VectorFeatures = ANY_PROCESSOR,
) -> None:
    """Lower a module in place; an index has the bits of the target's pointers.

    The code may use the `features`. With `bare_pointers` a memref with a static layout is passed as
    C passes an array. Raises `PipelineError` for a program that LLVM's dialect cannot express.
    """
    text = _PIPELINE.format(
        intrinsics=intrinsics,
        bits=index_bits,
        bare=str(bare_pointers).lower(),
        masked=str(features.masked_loads).lower(),
        products=features.byte_products,
    )
    # The module is verified once more when LLVM gets it.
    pipelines.run_pipeline(module, text, verify_each=False)
