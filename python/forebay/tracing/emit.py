"""Write a trace as a `func.func` of upstream operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.tracing.lines import AuthorLine
from forebay.tracing.record import (
    ConstantValue,
    CountedLoop,
    ElementAddress,
    ElementLoad,
    ElementStore,
    Primitive,
    PrimitiveResult,
    Trace,
    TraceStep,
    VariableRead,
    VariableWrite,
    steps_within,
)

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
    dynamic = ir.ShapedType.get_dynamic_size()
    inputs = [
        *(ir.MemRefType.get([dynamic], _type(pointer.width)) for pointer in trace.pointers),
        *(_type(parameter.width) for parameter in trace.parameters),
    ]
    results = [] if trace.result is None else [ir.IntegerType.get_signless(64)]
    function = func.FuncOp("traced", ir.FunctionType.get(inputs, results))
    with ir.InsertionPoint(function.add_entry_block()):
        writer = _Writer(trace, locate)
        numbers = [parameter.number for parameter in (*trace.pointers, *trace.parameters)]
        for number, argument in zip(numbers, function.entry_block.arguments, strict=True):
            writer.define(number, argument)
        for constant in trace.constants:
            with locate(constant.line):
                writer.constant(constant)
        writer.write(trace.steps)
        func.ReturnOp([] if trace.result is None else [writer.values[trace.result]])


class _Writer:
    """Writes steps at the insertion point.

    A value that is an index somewhere is cast to `index` once, where it is defined. Variables are
    SSA values: those that a loop writes are carried by the loop.
    """

    def __init__(self, trace: Trace, locate: Locate) -> None:
        self.values: dict[int, ir.Value] = {}
        self._variables: dict[int, ir.Value] = {}
        self._indices: dict[int, ir.Value] = {}
        self._locate = locate
        steps = list(steps_within(trace.steps))
        self._as_index = {number for step in steps for number in _index_uses(step)}
        self._as_integer = {number for step in steps for number in _integer_uses(step)}
        if trace.result is not None:
            self._as_integer.add(trace.result)

    def define(self, number: int, value: ir.Value) -> None:
        """Give a value its number."""
        self.values[number] = value
        if number in self._as_index:
            self._indices[number] = arith.IndexCastOp(ir.IndexType.get(), value).result

    def constant(self, constant: ConstantValue) -> None:
        """Write a constant with the types that its users need."""
        if constant.number in self._as_integer:
            op = arith.ConstantOp(_type(constant.width), constant.value)
            self.values[constant.number] = op.result
        if constant.number in self._as_index:
            op = arith.ConstantOp(ir.IndexType.get(), constant.value)
            self._indices[constant.number] = op.result

    def write(self, steps: tuple[TraceStep, ...]) -> None:
        """Write the steps, each at the location of its line."""
        for step in steps:
            with self._locate(step.line):
                self._step(step)

    def _step(self, step: TraceStep) -> None:
        match step:
            case PrimitiveResult():
                self.define(step.number, _computation(step, self.values))
            case ElementLoad():
                pointer = self.values[step.address.pointer]
                loaded = memref.LoadOp(pointer, [self._linear(step.address)]).result
                self.define(step.number, loaded)
            case ElementStore():
                pointer = self.values[step.address.pointer]
                memref.StoreOp(self.values[step.value], pointer, [self._linear(step.address)])
            case VariableRead():
                self.define(step.number, self._variables[step.variable])
            case VariableWrite():
                self._variables[step.variable] = self.values[step.value]
            case CountedLoop():
                self._loop(step)

    def _loop(self, loop: CountedLoop) -> None:
        written = {s.variable for s in steps_within(loop.steps) if isinstance(s, VariableWrite)}
        carried = [variable for variable in self._variables if variable in written]
        outside = dict(self._variables)
        op = scf.ForOp(
            self._indices[loop.start],
            self._indices[loop.stop],
            self._indices[loop.step],
            [outside[variable] for variable in carried],
        )
        with ir.InsertionPoint(op.body):
            self._variables.update(zip(carried, op.inner_iter_args, strict=True))
            self._indices[loop.counter] = op.induction_variable
            if loop.counter in self._as_integer:
                cast = arith.IndexCastOp(_type(loop.width), op.induction_variable)
                self.values[loop.counter] = cast.result
            self.write(loop.steps)
            scf.YieldOp([self._variables[variable] for variable in carried])
        self._variables = {**outside, **dict(zip(carried, op.results, strict=True))}

    def _linear(self, address: ElementAddress) -> ir.Value:
        first, *others = (self._indices[number] for number in address.indices)
        for index, size in zip(others, address.sizes, strict=True):
            scaled = arith.MulIOp(first, self._indices[size]).result
            first = arith.AddIOp(scaled, index).result
        return first


def _index_uses(step: TraceStep) -> tuple[int, ...]:
    if isinstance(step, ElementLoad | ElementStore):
        return step.address.numbers
    return (step.start, step.stop, step.step) if isinstance(step, CountedLoop) else ()


def _integer_uses(step: TraceStep) -> tuple[int, ...]:
    if isinstance(step, PrimitiveResult):
        return step.operands
    return (step.value,) if isinstance(step, ElementStore | VariableWrite) else ()


def _computation(step: PrimitiveResult, values: Mapping[int, ir.Value]) -> ir.Value:
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
