"""Add a status result, 0 for now, to functions that issue device commands."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mlir import ir
from mlir.dialects import arith, func

from forebay.ir.machine.device_commands import STATUS, refuse_result
from forebay.ir.nested import ops_of
from forebay.ir.refused import RefusedError


def return_statuses(functions: Sequence[func.FuncOp], commanding: Container[str]) -> None:
    """Give the functions of these names an i32 as result, and mark them with `accel.status`.

    The result is always 0: to return early on a status other than 0 needs branches, which
    structured control flow does not have. Raises `RefusedError` for a function that has a result
    already.
    """
    i32 = ir.IntegerType.get_signless(32)
    own = [function for function in functions if function.sym_name.value in commanding]
    for function in own:
        if list(function.type.results):
            raise RefusedError(function.location, refuse_result(function.sym_name.value))
        type_ = ir.FunctionType.get(function.type.inputs, [i32])
        function.attributes["function_type"] = ir.TypeAttr.get(type_)
        function.attributes[STATUS] = ir.UnitAttr.get()
        for op in ops_of(function, func.ReturnOp):
            with ir.InsertionPoint(op), op.location:
                func.ReturnOp([arith.constant(i32, 0)])
            op.operation.erase()
    names = {function.sym_name.value for function in own}
    for function in functions:
        for op in ops_of(function, func.CallOp) if names else ():
            if op.callee.value in names:
                with ir.InsertionPoint(op), op.location:
                    func.CallOp([i32], op.callee.value, list(op.operands))
                op.operation.erase()
