"""accel-set-registers: each register of a device holds what its next use needs."""

from typing import ClassVar

from mlir import ir

from forebay.dialects.accel import IntrinsicOp, OperandAttr
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.pools import registers_in
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.passes._pass import Pass
from forebay.scheduling.register_buffers import assign_buffers
from forebay.scheduling.register_uses import RegisterUses
from forebay.scheduling.register_values import RegisterSetter, remove_unused
from forebay.support.records import record


@record
class AccelSetRegisters(Pass):
    """Set registers again where another value has overwritten them, and never twice in a row.

    A call that sets a register to what it holds already is removed. If all calls of a loop set a
    register to the same value, it is set once, in front of the loop. Where a call needs a value
    that another one has overwritten since, the call that set it is repeated. Then each value has a
    buffer of its own, so that a missing call is a read of bytes that nobody has written. The values
    of a register that queues use share one buffer, because several may be in flight.

    The pass refuses a call that needs a register which nothing has set, and a value that is
    overwritten and cannot be set again, because what it was set from has changed.
    """

    name: ClassVar[str] = "accel-set-registers"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")
    needs: ClassVar[tuple[str, ...]] = ("accel.intrinsic",)

    def run(self, op: ir.Operation) -> None:
        """Rewrite one function after the other."""
        module = module_of(op)
        registers = registers_in(op)
        if not registers:
            return
        functions = [f for f in functions_in(module) if not f.is_external]
        queued = _registers_of_queues(op)
        effects, uses = MemoryEffects(module), RegisterUses(functions, registers)
        for function in functions:
            RegisterSetter(uses, effects).rewrite(function)
            remove_unused(function, uses, effects)
            effects.invalidate(function)
            assign_buffers(function, uses, queued)
            effects.invalidate(function)


def _registers_of_queues(module: ir.Operation) -> frozenset[str]:
    """Return the pools of operands of intrinsics that have a queue."""
    block = module.regions[0].blocks[0]
    queued = (op for op in block.operations if isinstance(op, IntrinsicOp) and op.queue is not None)
    return frozenset(pool for op in queued for o in op.signature for pool in OperandAttr(o).pools)
