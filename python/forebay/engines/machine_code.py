"""A network's functions as an object file or LLVM IR, for any processor that LLVM here knows.

The functions are those that `<m>.c` has otherwise: `<m>_run_network` and, where there is state,
`<m>_reset_state`. They take pointers as in C: the pools, then the caller's inputs and outputs.
"""

from __future__ import annotations

from typing import Literal, get_args

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay._libs import _forebay
from forebay.codegen.c.analysis.ranges import Ranges
from forebay.codegen.c.module import ENTRY_NAMES
from forebay.engines.llvm_lowering import clone_of, lower_to_llvm
from forebay.errors import Error
from forebay.ir.nested import ops_nested_in
from forebay.ir.views.layouts import has_static_layout
from forebay.lowering.kernels.short_scale import shorten_scales
from forebay.lowering.kernels.vector_features import ByteProducts, VectorFeatures
from forebay.network.constants import constant_memory, constants_of
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of
from forebay.options.choices import Optimize

CodeForm = Literal["llvm", "obj"]
_BYTE_MASKS = "avx512vl,avx512bw"
_VNNI = ("avx512vl,avx512vnni", "avxvnni")
"""LLVM's names of features; a processor with one of the latter has `vpdpbusd` on 256 bits."""
_SDOT = "neon,dotprod"
_NEON = "neon"
_AARCH64 = ("aarch64", "arm64")
"""The architectures of triples whose vectors have the intrinsics of AArch64."""
_SMALL = ("minsize", "optsize")
"""Attributes of LLVM's functions for code as small as possible."""
_FAST = ("noinline",)
"""Attributes for fast code: a kernel that is a function of its own can use all registers."""
CODE_FORMS: tuple[CodeForm, ...] = get_args(CodeForm)
"""Optimized LLVM IR as text, and an object file."""


class ProcessorError(Error):
    """A triple or a processor that LLVM's library here generates no code for."""


class Processor(Struct, frozen=True):
    """A processor by LLVM's names, with the bits of its pointers; "native" is this machine's."""

    triple: str
    cpu: str
    pointer_bits: int


def processor_of(triple: str | None, cpu: str) -> Processor:
    """Return a processor; without a triple one of this machine's kind.

    Raises `ProcessorError` with the known names.
    """
    chosen = triple or _forebay.host_triple()
    try:
        return Processor(chosen, cpu, _forebay.pointer_bits(chosen, cpu))
    except ValueError as error:
        raise ProcessorError(str(error)) from error


def code_name(model: ModelInfo, form: CodeForm) -> str:
    """Return the name of the file; `<m>.o` is what many builds call the object of `<m>.c`."""
    return f"{naming_of(model).prefix}_network.{'o' if form == 'obj' else 'll'}"


def machine_code(
    module: ir.Module,
    model: ModelInfo,
    processor: Processor,
    form: CodeForm,
    optimize: Optimize = "speed",
) -> bytes:
    """Return the code of a materialised module, which is not changed.

    With `optimize` "size" LLVM neither unrolls nor vectorises loops, and takes short instructions.

    Raises `EmissionError` for a network that commands devices, and for a function whose arguments
    have no C form.
    """
    if model.devices:
        names = ", ".join(device.name for device in model.devices)
        raise EmissionError(
            module.operation.location,
            f"the network commands devices ({names}), and the functions of devices are C files; "
            "write the C project (without --emit), or compile for the target 'host'",
        )
    if model.operator_hooks:
        raise EmissionError(
            module.operation.location,
            "an object has no macros around its operators; write the C project (without --emit)",
        )
    with module.context, module.operation.location:
        copy = clone_of(module)
        for function in _functions(copy):
            _require_static_layouts(function)
            if function.name.value not in ENTRY_NAMES:
                function.attributes["llvm.linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
        features = _features_of(processor)
        _shorten(copy, model, features)
        lower_to_llvm(
            copy,
            "extern",
            index_bits=processor.pointer_bits,
            bare_pointers=True,
            features=features,
        )
        from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

        for op in copy.body.operations:
            if isinstance(op, llvm.LLVMFuncOp):
                names = _SMALL if optimize == "size" else _FAST
                op.attributes["passthrough"] = ir.ArrayAttr.get(
                    [ir.StringAttr.get(name) for name in names]
                )
            if isinstance(op, llvm.LLVMFuncOp) and op.sym_name.value in ENTRY_NAMES:
                name = f"{naming_of(model).prefix}_{ENTRY_NAMES[op.sym_name.value]}"
                op.attributes["sym_name"] = ir.StringAttr.get(name)
        return _forebay.generate_code(
            copy.operation, processor.triple, processor.cpu, form == "obj"
        )


def _features_of(processor: Processor) -> VectorFeatures:
    return VectorFeatures(
        masked_loads=_has(processor, _BYTE_MASKS),
        byte_products=_byte_products_of(processor),
        rounded_products=processor.triple.split("-")[0] in _AARCH64 and _has(processor, _NEON),
    )


def _byte_products_of(processor: Processor) -> ByteProducts:
    if any(_has(processor, features) for features in _VNNI):
        return "vpdpbusd"
    return "sdot" if _has(processor, _SDOT) else "none"


def _has(processor: Processor, features: str) -> bool:
    return _forebay.has_features(processor.triple, processor.cpu, features)


def _shorten(module: ir.Module, model: ModelInfo, features: VectorFeatures) -> None:
    """Use what is known of the values of constants, as the C does."""
    unknown = frozenset(pool.name for pool in model.outside_pools)
    memory = constant_memory(module, constants_of(module), unknown)
    ranges = Ranges(memory.of_load, memory.calls)
    found = [op for function in _functions(module) for op in ops_nested_in(function.operation)]
    shorten_scales(found, ranges.of, features)


def _functions(module: ir.Module) -> list[func.FuncOp]:
    return [op for op in module.body.operations if isinstance(op, func.FuncOp)]


def _require_static_layouts(function: func.FuncOp) -> None:
    for argument in function.arguments:
        type_ = argument.type
        if isinstance(type_, ir.MemRefType) and not has_static_layout(type_):
            raise EmissionError(
                function.location,
                f"'{function.name.value}' has a parameter of type {type_}, whose layout is known "
                "at run time only: an object passes pointers; write the C project (without --emit)",
            )
