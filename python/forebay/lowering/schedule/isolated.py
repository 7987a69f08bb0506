"""A copy of a kernel in a function of its own, whose schedule can be tried and priced."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func

from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.machine.cpu import CPU_ATTRIBUTE
from forebay.ir.nested import defining_op, ops_nested_in


def isolated_copy(op: ReduceOp, module: ir.Module, cpu: Cpu) -> ReduceOp:
    """Return a copy of an op in a new function of a module, whose arguments are its operands.

    Constants that the op's regions use are in the function, too; other values from outside are
    arguments. The function is one of a processor. The copy lives as long as the module.
    """
    types = [value.type for value in op.operands]
    with op.operation.location, ir.InsertionPoint(module.body):
        function = func.FuncOp("isolated", (types, []))
        function.attributes[CPU_ATTRIBUTE] = ir.StringAttr.get(cpu.name)
        block = function.add_entry_block()
    copy = op.operation.clone(ip=ir.InsertionPoint(block)).opview
    assert isinstance(copy, ReduceOp)
    for number, argument in enumerate(block.arguments):
        copy.operation.operands[number] = argument
    _capture_used_values(copy, block)
    return copy


def _capture_used_values(copy: ReduceOp, block: ir.Block) -> None:
    """Let the regions of a copy use nothing from the module of the op that it is a copy of."""
    blocks = [region.blocks[0] for region in copy.operation.regions]
    captured: dict[ir.Value, ir.Value] = {}
    for op in ops_nested_in(copy):
        for number, value in enumerate(op.operands):
            owner = value.owner
            if (owner if isinstance(owner, ir.Block) else owner.operation.block) in blocks:
                continue
            if value not in captured:
                captured[value] = _captured(value, copy, block)
            op.operation.operands[number] = captured[value]


def _captured(value: ir.Value, copy: ReduceOp, block: ir.Block) -> ir.Value:
    constant = defining_op(value)
    if isinstance(constant, arith.ConstantOp):
        return constant.operation.clone(ip=ir.InsertionPoint(copy)).results[0]
    return block.add_argument(value.type, value.location)
