"""accel-set-registers: each register of a device holds what its next use needs."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.pools import registers_in
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.passes._pass import Pass
from forebay.scheduling.register_buffers import share_buffers
from forebay.scheduling.register_uses import RegisterUses
from forebay.scheduling.register_values import RegisterSetter, remove_unused


@dataclass(frozen=True)
class AccelSetRegisters(Pass):
    """Set registers again where another value has overwritten them, and never twice in a row.

    A call that sets a register to what it holds already is removed. If all calls of a loop set a
    register to the same value, it is set once, in front of the loop. Where a call needs a value
    that another one has overwritten since, the call that set it is repeated. Then all values of a
    register share one buffer, so that nothing needs the register twice at one time.

    The pass refuses a call that needs a register which nothing has set, and a value that is
    overwritten and cannot be set again, because what it was set from has changed.
    """

    name: ClassVar[str] = "accel-set-registers"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")

    def run(self, op: ir.Operation) -> None:
        """Rewrite one function after the other."""
        module = module_of(op)
        registers = registers_in(op)
        if not registers:
            return
        functions = [f for f in functions_in(module) if not f.is_external]
        effects, uses = MemoryEffects(module), RegisterUses(functions, registers)
        for function in functions:
            RegisterSetter(uses, effects).rewrite(function)
            remove_unused(function, uses, effects)
            effects.invalidate(function)
            share_buffers(function, uses)
            effects.invalidate(function)
