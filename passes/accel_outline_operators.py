"""accel-outline-operators: one private function per operator of the model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func, memref

from forebay.dialects import memref_pool
from forebay.ir.locations import OperatorLocation, operator_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_in
from forebay.ir.roots import entry_functions
from forebay.passes._pass import Pass

_VIEWS = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
)
_BUFFERS = (memref.GetGlobalOp, memref.ViewOp, memref_pool.AllocOp)
_GLUE = (*_VIEWS, *_BUFFERS, arith.ConstantOp)


@dataclass(frozen=True)
class AccelOutlineOperators(Pass):
    """Move the kernels of each operator out of the public functions, into a function of their own.

    The public function keeps the buffers and becomes a list of calls; the operator's function gets
    the buffers as arguments, so that its code has a name to profile, to count and to read.
    Operators are told apart by their locations; what comes from no imported operator stays where it
    is, and so does an operator that hands a scalar to another one.
    """

    name: ClassVar[str] = "accel-outline-operators"
    dialects: ClassVar[tuple[str, ...]] = ("func",)

    def run(self, op: ir.Operation) -> None:
        """Outline in every public function."""
        symbols = ir.SymbolTable(op)
        for function in entry_functions(module_of(op)):
            for operator, kernels in list(_operators(function)):
                if operator is not None and not _hands_scalars_out(kernels):
                    _outline(operator, kernels, function, symbols)


def _operators(
    function: func.FuncOp,
) -> Iterator[tuple[OperatorLocation | None, list[ir.OpView]]]:
    """Runs of kernels that belong to one operator, in order."""
    body = list(function.entry_block.operations)[:-1]
    kernels = [op for op in body if not isinstance(op, _GLUE)]
    for operator, run in groupby(kernels, key=_operator):
        yield operator, list(run)


def _operator(op: ir.OpView) -> OperatorLocation | None:
    return operator_of(op.location)


def _hands_scalars_out(kernels: list[ir.OpView]) -> bool:
    inside = set(kernels)
    block = kernels[0].operation.block
    return any(
        _ancestor_in(block, use.owner) not in inside
        for op in kernels
        for result in op.results
        for use in result.uses
    )


def _ancestor_in(block: ir.Block, op: ir.Operation | ir.OpView) -> ir.OpView:
    current = op.operation
    while current.block != block:
        assert current.parent is not None
        current = current.parent.operation
    return current.opview


# ---- Moving --------------------------------------------------------------------------------------


@dataclass
class _Captures:
    """What kernels use from outside, and what has to come along with them.

    `arguments` are handed in; `glue` (constants, views) is cloned into the function, sources first.
    """

    arguments: list[ir.Value] = field(default_factory=list[ir.Value])
    glue: list[ir.OpView] = field(default_factory=list[ir.OpView])

    def add(self, value: ir.Value) -> None:
        """Note that a kernel uses the value."""
        owner = value.owner
        op = None if isinstance(owner, ir.Block) else owner.opview
        if op is None or not isinstance(op, (*_VIEWS, arith.ConstantOp)):
            if value not in self.arguments:
                self.arguments.append(value)
        elif op not in self.glue:
            for operand in op.operands:
                self.add(operand)
            self.glue.append(op)


def _captures_of(kernels: list[ir.OpView]) -> _Captures:
    captures = _Captures()
    inside = {result for op in kernels for result in op.results}
    block = kernels[0].operation.block

    for operand in (value for op in _with_nested(kernels) for value in op.operands):
        owner = operand.owner
        defined_in = owner if isinstance(owner, ir.Block) else owner.operation.block
        if defined_in == block and operand not in inside:
            captures.add(operand)
    return captures


def _outline(
    operator: OperatorLocation,
    kernels: list[ir.OpView],
    caller: func.FuncOp,
    symbols: ir.SymbolTable,
) -> None:
    captures = _captures_of(kernels)
    types = [value.type for value in captures.arguments]
    location = kernels[0].location
    with location, ir.InsertionPoint(caller):
        callee = func.FuncOp(
            _unused_name(operator, symbols), ir.FunctionType.get(types, []), visibility="private"
        )
        body = callee.add_entry_block([_location_of(value) for value in captures.arguments])
    symbols.insert(callee.operation)
    with location, ir.InsertionPoint(kernels[-1]):
        func.CallOp([], callee.sym_name.value, captures.arguments)
    inside = dict(zip(captures.arguments, body.arguments, strict=True))
    with location, ir.InsertionPoint(body):
        end = func.ReturnOp([])
        for op in captures.glue:
            clone = op.operation.clone(ir.InsertionPoint(end))
            for index, operand in enumerate(op.operands):
                clone.operands[index] = inside.get(operand, operand)
            inside |= dict(zip(op.results, clone.results, strict=True))
    for kernel in kernels:
        kernel.move_before(end)
        _replace_operands(kernel, inside)


def _location_of(value: ir.Value) -> ir.Location:
    return value.location


def _replace_operands(kernel: ir.OpView, inside: dict[ir.Value, ir.Value]) -> None:
    for op in _with_nested([kernel]):
        for index, operand in enumerate(op.operands):
            if operand in inside:
                op.operands[index] = inside[operand]


def _with_nested(kernels: list[ir.OpView]) -> list[ir.OpView]:
    return [op for kernel in kernels for op in ops_in(kernel)]


def _unused_name(operator: OperatorLocation, symbols: ir.SymbolTable) -> str:
    """`conv_2d_3` for operator 3, a CONV_2D; operators in several runs get a further number."""
    kind = re.sub(r"\W", "_", operator.kind.lower())
    base = name = f"{kind}_{operator.index}"
    run = 1
    while name in symbols:
        run += 1
        name = f"{base}_{run}"
    return name
