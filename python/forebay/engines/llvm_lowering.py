"""The lowering of a materialised module to the LLVM dialect, for the JIT and for objects."""

from __future__ import annotations

from typing import Literal

from mlir.dialects import func
from mlir.ir import MemRefType, Module, UnitAttr

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import pipelines
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import distinct_ops_in, ops_of
from forebay.ir.views.layouts import has_static_layout
from forebay.lowering.kernels.vector_features import VectorFeatures

ANY_PROCESSOR = VectorFeatures()

_TO_UPSTREAM_OPS = (
    "builtin.module(memref-pool-lower-to-llvm{{intrinsics={intrinsics} index-bits={bits} "
    "masked-loads={masked} byte-products={products}}})"
)
_TO_LLVM = (
    "builtin.module({loops}func.func(tosa-to-arith{{include-apply-rescale=true use-32-bit=false}}),"
    "expand-strided-metadata,lower-affine,{vectors}convert-scf-to-cf,accel-return-status,{math}"
    "convert-arith-to-llvm{{index-bitwidth={bits}}},"
    "finalize-memref-to-llvm{{index-bitwidth={bits}}},"
    "convert-func-to-llvm{{index-bitwidth={bits} use-bare-ptr-memref-call-conv={bare}}},"
    "convert-cf-to-llvm{{index-bitwidth={bits}}},reconcile-unrealized-casts)"
)
_OF_LINALG = "func.func(convert-linalg-to-loops),"
_OF_VECTORS = "convert-vector-to-llvm,"
_OF_MATH = "convert-math-to-llvm,convert-math-to-libm,"
"""Conversions that take time for each op of any dialect; most programs have nothing for them."""
_FOLD_DESCRIPTORS = (
    "builtin.module(canonicalize{top-down=false region-simplify=disabled max-iterations=1})"
)
"""From the last op to the first: what is folded first leaves nothing that uses the descriptors."""


def clone_of(module: Module) -> Module:
    """Return a copy of a module, in the current context."""
    copy = Module.create(module.operation.location)
    for name, attribute in module.operation.attributes.items():
        copy.operation.attributes[name] = attribute
    for op in module.body.operations:
        copy.body.append(op.operation.clone())
    return copy


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
    # The module is verified once more when LLVM gets it.
    text = _TO_UPSTREAM_OPS.format(
        intrinsics=intrinsics,
        bits=index_bits,
        masked=str(features.masked_loads).lower(),
        products=features.byte_products,
    )
    pipelines.run_pipeline(module, text, verify_each=False)
    dialects = {op.operation.name.split(".")[0] for op in distinct_ops_in(module.operation)}
    text = _TO_LLVM.format(
        bits=index_bits,
        bare=str(bare_pointers).lower(),
        loops=_OF_LINALG if "linalg" in dialects else "",
        vectors=_OF_VECTORS if "vector" in dialects else "",
        math=_OF_MATH if "math" in dialects else "",
    )
    pipelines.run_pipeline(module, text, verify_each=False)


def pass_pointers(module: Module) -> None:
    """Let the private functions of a module take pointers instead of descriptors of memrefs.

    A memref of two dimensions is seven values as a descriptor, from which LLVM makes code in each
    call and in each function. A function that takes or returns another memref than one of static
    layout stays as it is, and so do all if a function is used as a value.
    """
    if ops_of(module.operation, func.ConstantOp):
        return
    for op in module.body.operations:
        if isinstance(op, func.FuncOp) and is_private(op) and not op.is_external:
            memrefs = [type_ for type_ in op.type.inputs if isinstance(type_, MemRefType)]
            returned = any(isinstance(type_, MemRefType) for type_ in op.type.results)
            if not returned and all(map(has_static_layout, memrefs)):
                op.attributes["llvm.bareptr"] = UnitAttr.get()


def fold_descriptors(module: Module) -> None:
    """Replace parts of descriptors in a lowered module by the values that were put into them.

    LLVM's optimizations do the same. Without them, half of the instructions that it selects would
    be about descriptors.
    """
    pipelines.run_pipeline(module, _FOLD_DESCRIPTORS, verify_each=False)
