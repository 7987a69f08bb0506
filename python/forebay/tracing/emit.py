"""Write a trace as a `func.func` of upstream operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir
from mlir.dialects import arith, func

from forebay.tracing.lines import AuthorLine
from forebay.tracing.record import Computation, Primitive, Trace

Locate = Callable[[AuthorLine], ir.Location]
"""A function that gives the location of an author's line in the current context."""


def traced_text(trace: Trace, locate: Locate) -> str:
    """Return a module's text with one function, whose operations have the authors' lines."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body), locate(trace.line):
            _function(trace, locate)
        return str(module.operation.get_asm(enable_debug_info=True))


def _function(trace: Trace, locate: Locate) -> None:
    inputs = [_type(parameter.width) for parameter in trace.parameters]
    result = ir.IntegerType.get_signless(64)
    function = func.FuncOp("traced", ir.FunctionType.get(inputs, [result]))
    with ir.InsertionPoint(function.add_entry_block()):
        arguments = function.entry_block.arguments
        numbers = [parameter.number for parameter in trace.parameters]
        values: dict[int, ir.Value] = dict(zip(numbers, arguments, strict=True))
        for constant in trace.constants:
            with locate(constant.line):
                type_ = _type(constant.width)
                values[constant.number] = arith.ConstantOp(type_, constant.value).result
        for step in trace.steps:
            with locate(step.line):
                values[step.number] = _computation(step, values)
        func.ReturnOp([values[trace.result]])


def _computation(step: Computation, values: Mapping[int, ir.Value]) -> ir.Value:
    operands = [values[number] for number in step.operands]
    if step.primitive.is_comparison:
        return arith.CmpIOp(_PREDICATES[step.primitive], *operands).result
    if step.primitive in _CONVERSIONS:
        return _CONVERSIONS[step.primitive](_type(step.width), *operands).result
    return _OPERATIONS[step.primitive](*operands).result


def _type(width: int) -> ir.Type:
    return ir.IntegerType.get_signless(width)


_PREDICATES = {
    Primitive.equal: arith.CmpIPredicate.eq,
    Primitive.not_equal: arith.CmpIPredicate.ne,
    Primitive.less: arith.CmpIPredicate.slt,
    Primitive.less_equal: arith.CmpIPredicate.sle,
    Primitive.greater: arith.CmpIPredicate.sgt,
    Primitive.greater_equal: arith.CmpIPredicate.sge,
}
_CONVERSIONS: Mapping[Primitive, Callable[..., Any]] = {
    Primitive.sign_extend: arith.ExtSIOp,
    Primitive.zero_extend: arith.ExtUIOp,
    Primitive.truncate: arith.TruncIOp,
}
_OPERATIONS: Mapping[Primitive, Callable[..., Any]] = {
    Primitive.add: arith.AddIOp,
    Primitive.subtract: arith.SubIOp,
    Primitive.multiply: arith.MulIOp,
    Primitive.floor_divide: arith.FloorDivSIOp,
    Primitive.ceil_divide: arith.CeilDivSIOp,
    Primitive.bit_and: arith.AndIOp,
    Primitive.bit_or: arith.OrIOp,
    Primitive.bit_xor: arith.XOrIOp,
    Primitive.shift_left: arith.ShLIOp,
    Primitive.shift_right: arith.ShRSIOp,
    Primitive.minimum: arith.MinSIOp,
    Primitive.maximum: arith.MaxSIOp,
    Primitive.select: arith.SelectOp,
}
