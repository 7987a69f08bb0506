"""accel-return-status: return the first status that is not 0 from all calling functions."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, cf, func

from forebay.ir.machine.device_commands import STATUS
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.passes._pass import Pass


class AccelReturnStatus(Pass):
    """Return the status of a call if it is not 0, in functions with `accel.status`.

    Needs control flow as branches between blocks. Looks at the calls of functions with
    `accel.status`; a caller without this attribute handles the status itself. Leaves a conditional
    branch behind each call, to a block that returns the status, and removes `accel.status`.
    """

    name: ClassVar[str] = "accel-return-status"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "cf", "func")

    def run(self, op: ir.Operation) -> None:
        """Split the blocks behind the calls."""
        marked = [f for f in functions_in(module_of(op)) if STATUS in f.attributes]
        names = {function.sym_name.value for function in marked}
        for function in marked:
            if not function.is_external:
                _check_calls(function, names)
        for function in marked:
            del function.attributes[STATUS]


def _check_calls(function: func.FuncOp, names: set[str]) -> None:
    calls = [
        op
        for block in function.body.blocks
        for op in block.operations
        if isinstance(op, func.CallOp) and op.callee.value in names
    ]
    if not calls:
        return
    i32 = ir.IntegerType.get_signless(32)
    last = list(function.body.blocks)[-1]
    failed = last.create_after(i32, arg_locs=[function.location])
    with ir.InsertionPoint(failed), function.location:
        func.ReturnOp([failed.arguments[0]])
    for call in calls:
        _check(call, failed)


def _check(call: func.CallOp, failed: ir.Block) -> None:
    """End the block behind the call; move the rest of it into a block of its own."""
    block = call.operation.block
    operations = list(block.operations)
    rest = block.create_after()
    for op in operations[operations.index(call) + 1 :]:
        rest.append(op)
    with ir.InsertionPoint(block), call.location:
        status = call.results[0]
        is_error = arith.cmpi(arith.CmpIPredicate.ne, status, arith.constant(status.type, 0))
        cf.cond_br(is_error, [status], [], failed, rest)
