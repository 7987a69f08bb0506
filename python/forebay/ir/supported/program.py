"""All findings of a module."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func

from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.supported.blocks import block_findings
from forebay.ir.supported.calls import recursion_findings
from forebay.ir.supported.finding import Finding, findings_in_order
from forebay.ir.supported.functions import function_findings
from forebay.ir.supported.operations import operation_findings, symbol_findings
from forebay.ir.supported.types import type_findings


def findings_in(op: ir.Module | ir.Operation) -> tuple[Finding, ...]:
    """Return everything in the module that no step of the compiler supports, or ()."""
    return findings_in_order(_findings(op))


def _findings(op: ir.Module | ir.Operation) -> Iterator[Finding]:
    module = module_of(op)
    for symbol in module.body.operations:
        yield from symbol_findings(symbol)
        yield from type_findings(symbol)
        if isinstance(symbol, func.FuncOp):
            yield from function_findings(symbol)
            yield from _inside(symbol)
    yield from recursion_findings(functions_in(module))


def _inside(function: func.FuncOp) -> Iterator[Finding]:
    yield from block_findings(function)
    for op in ops_nested_in(function):
        yield from block_findings(op)
        yield from operation_findings(op)
        yield from type_findings(op)
