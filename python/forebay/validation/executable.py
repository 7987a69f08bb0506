"""Make a program that the emulator can run from a module at any stage between import and plan.

A module on memrefs is used as it is. A module on tensors is bufferized on a clone without any
analysis: every operation that writes gets a copy of its own, so no aliasing rule can change the
meaning of the tensors.
"""

from __future__ import annotations

import io

from mlir import ir
from mlir.dialects import bufferization, func

from forebay.dialects.accel import CallOp
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in, ops_of
from forebay.lowering.loops.inline import inline
from forebay.pipelines.host import HOST_LOWERING
from forebay.pipelines.runner import PipelineError, run_together
from forebay.validation.variables import lower_variables

_RESULTS_AS_ARGUMENTS = (
    "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true "
    "add-result-attr=true}",
)
_BUFFERIZATION = (
    "one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map "
    "use-encoding-for-memory-space=true buffer-alignment=0}",
    *_RESULTS_AS_ARGUMENTS,
)


def executable(module: ir.Module) -> ir.Operation | None:
    """Return a clone that the emulator may be able to run, or None if it cannot be made."""
    clone = _clone(module)
    try:
        if is_on_tensors(clone):
            lower_variables(clone)
            lowering = HOST_LOWERING if _has(clone, "tosa") else ()
            run_together(clone, lowering)
            if not _inline_calls(clone):
                return None
            _pack_operands(clone)
            run_together(clone, _BUFFERIZATION)
        elif any(_is_memory(type_) for f in _functions(clone) for type_ in f.type.results):
            # First those that are arguments: their copies would read bytes without a value.
            run_together(clone, ("drop-equivalent-buffer-results", *_RESULTS_AS_ARGUMENTS))
    except PipelineError:
        return None
    return clone.operation


def _inline_calls(module: ir.Module) -> bool:
    """Inline functions into their callers, because upstream bufferizes calls only with an analysis.

    Returns False if calls remain: of functions without a body, or recursive ones.
    """
    functions = {f.sym_name.value: f for f in _functions(module)}
    for _ in functions:
        calls = ops_of(module.operation, func.CallOp)
        for call in calls:
            callee = functions[call.callee.value]
            if callee.is_external:
                return False
            body = callee.operation.clone(ir.InsertionPoint(module.body)).opview
            with ir.InsertionPoint(call):
                results = inline(body.regions[0].blocks[0], list(call.operands))
            for old, new in zip(call.results, results, strict=True):
                old.replace_all_uses_with(new)
            call.operation.erase()
            body.operation.erase()
        if not calls:
            break
    return not ops_of(module.operation, func.CallOp)


def _pack_operands(module: ir.Module) -> None:
    """Give every operand of a device a buffer of its own.

    A device takes the address of contiguous memory. The assignment of pools makes copies of what
    is not contiguous; here they are made of everything.
    """
    calls = ops_of(module.operation, CallOp)
    for call in calls:
        with ir.InsertionPoint(call), call.location:
            for number in range(len(call.inputs)):
                value = call.operands[number]
                if isinstance(value.type, ir.RankedTensorType):
                    packed = bufferization.AllocTensorOp(value.type, [], copy=value)
                    call.operation.operands[number] = packed.result


def _clone(module: ir.Module) -> ir.Module:
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return ir.Module.parse(written.getvalue(), module.context)


def _functions(module: ir.Module) -> list[func.FuncOp]:
    return functions_in(module_of(module.operation))


def _has(module: ir.Module, dialect: str) -> bool:
    return any(
        op.operation.name.startswith(f"{dialect}.") for op in ops_nested_in(module.operation)
    )


def is_on_tensors(module: ir.Module) -> bool:
    """Return whether a module has tensors left: its buffers are in no pools yet."""
    types = [type_ for f in _functions(module) for type_ in (*f.type.inputs, *f.type.results)]
    types += [result.type for op in ops_nested_in(module.operation) for result in op.results]
    return any(isinstance(type_, ir.RankedTensorType | ir.UnrankedTensorType) for type_ in types)


def _is_memory(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType)
