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
    branch after each call, to a block that returns the status, and removes `accel.status`.
    """

    name: ClassVar[str] = "accel-return-status"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "cf", "func")

    def run(self, op: ir.Operation) -> None:
        """Split the blocks after the calls."""
        marked = [f for f in functions_in(module_of(op)) if STATUS in f.attributes]
        names = {function.sym_name.value for function in marked}
        for function in marked:
            if not function.is_external:
                _check_calls(function, names)
        for function in marked:
            del function.attributes[STATUS]


def _check_calls(function: func.FuncOp, names: set[str]) -> None:
    calls: dict[ir.Block, list[tuple[int, func.CallOp]]] = {}
    for block in function.body.blocks:
        for position, op in enumerate(block.operations):
            if isinstance(op, func.CallOp) and op.callee.value in names:
                calls.setdefault(block, []).append((position, op))
    if not calls:
        return
    i32 = ir.IntegerType.get_signless(32)
    last = list(function.body.blocks)[-1]
    failed = last.create_after(i32, arg_locs=[function.location])
    with ir.InsertionPoint(failed), function.location:
        func.ReturnOp([failed.arguments[0]])
    for block, found in calls.items():
        operations = list(block.operations)
        ends = [position + 1 for position, _ in found[1:]]
        blocks = [block]
        for (position, _), end in zip(found, [*ends, len(operations)], strict=True):
            blocks.append(blocks[-1].create_after())
            for op in operations[position + 1 : end]:
                blocks[-1].append(op)
        for (_, call), behind in zip(found, blocks[1:], strict=True):
            _check(call, behind, failed)


def _check(call: func.CallOp, behind: ir.Block, failed: ir.Block) -> None:
    """Branch after the call, the last op of its block: to the next block, or to `failed`."""
    with ir.InsertionPoint(call.operation.block), call.location:
        status = call.results[0]
        is_error = arith.cmpi(arith.CmpIPredicate.ne, status, arith.constant(status.type, 0))
        cf.cond_br(is_error, [status], [], failed, behind)
