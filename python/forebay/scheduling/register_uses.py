"""The ops that set and use the registers of devices."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.dialects import accel
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.pools import candidates_of
from forebay.ir.nested import ops_in


class RegisterAccess(Struct, frozen=True, eq=False):
    """The access of a call to a buffer in a register, by the operand `name`."""

    op: accel.CallOp | accel.LaunchOp
    name: str
    register: str
    buffer: ir.Value
    reads: bool
    writes: bool


class RegisterUses:
    """The accesses to the registers of a module: of calls, and of functions that are called."""

    def __init__(self, functions: Sequence[func.FuncOp], registers: frozenset[str]) -> None:
        self._registers = registers
        self._functions = {f.sym_name.value: f for f in functions}
        self._signatures: dict[str, list[accel.OperandAttr]] = {}
        self._set_by: dict[str, frozenset[str]] = {}

    def register_of(self, value: ir.Value) -> str | None:
        """Return the register that a memref is in, or None."""
        pools = candidates_of(value.type)
        return pools[0] if len(pools) == 1 and pools[0] in self._registers else None

    def of(self, op: ir.OpView) -> list[RegisterAccess]:
        """Return the accesses of an op itself."""
        if not isinstance(op, (accel.CallOp, accel.LaunchOp)):
            return []
        return [
            RegisterAccess(
                op,
                operand.name,
                operand.pools[0],
                value,
                reads=operand.access != "out",
                writes=operand.access != "in",
            )
            for operand, value in zip(self._signature(op), op.operands, strict=False)
            if self.register_of(value) is not None
        ]

    def within(self, op: ir.OpView) -> list[RegisterAccess]:
        """Return the accesses of an op and of the ops inside it, without those of callees."""
        return [access for inner in ops_in(op) for access in self.of(inner)]

    def set_by_callees(self, op: ir.OpView) -> frozenset[str]:
        """Return the registers that functions which the op, or an op inside it, calls may set."""
        names = {i.callee.value for i in ops_in(op) if isinstance(i, func.CallOp)}
        return frozenset[str]().union(*(self._set_by_function(name) for name in names))

    def _set_by_function(self, name: str) -> frozenset[str]:
        function = self._functions.get(name)
        if name not in self._set_by and function is not None:
            self._set_by[name] = frozenset()  # for a recursive call, whose caller adds the rest
            written = frozenset(a.register for a in self.within(function) if a.writes)
            self._set_by[name] = written | self.set_by_callees(function)
        return self._set_by.get(name, frozenset())

    def _signature(self, op: accel.CallOp | accel.LaunchOp) -> list[accel.OperandAttr]:
        """Return the operands of the intrinsic in the order of the call."""
        name = op.callee.value
        if name not in self._signatures:
            operands = [accel.OperandAttr(operand) for operand in intrinsic_of(op).signature]
            self._signatures[name] = [
                *(operand for operand in operands if operand.access == "in"),
                *(operand for operand in operands if operand.access != "in"),
            ]
        return self._signatures[name]
