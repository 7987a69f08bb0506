"""What an op does to shadow memory, and the errors that it may find there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError
from forebay.ir.shadow.accesses import KERNELS, Accesses, accesses_of
from forebay.ir.shadow.layout import neighbours
from forebay.ir.shadow.memory import Mark, Shadow
from forebay.ir.shadow.placed import Placed, Placing
from forebay.ir.shadow.rights import Rights, Touch


class Reference(NamedTuple):
    """A buffer that a value may lead to, and which birth of it: OVER is of an earlier iteration."""

    buffer: int
    birth: int


References = frozenset[Reference]

OVER = -1

_NUMBERS = (ir.IntegerType, ir.IndexType, ir.FloatType, ir.VectorType, ir.ComplexType)


def _is_number(type_: ir.Type) -> bool:
    """Whether a value of the type is no way to memory, wherever it comes from."""
    return isinstance(type_, _NUMBERS)


def _is_no_memref(type_: ir.Type) -> bool:
    return not isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType)


class Uses:
    """Shadow memory of a module's buffers, and what every memref leads to at the moment."""

    def __init__(self, module: ModuleOp, placing: Placing) -> None:
        self.values: dict[ir.Value, References] = {}
        self._buffers = placing.buffers
        self._rights = Rights(module)
        self._overlapping: list[set[int]] = [set() for _ in placing.buffers]
        for one, other in neighbours(placing):
            self._overlapping[one].add(other)
            self._overlapping[other].add(one)
        self.shadow: Shadow[ir.Location] = Shadow([sorted(n) for n in self._overlapping])

    def check(self, op: ir.OpView) -> None:
        """Run one op that is neither a view nor control flow."""
        if len(op.regions) == 0 and not any(value in self.values for value in op.operands):
            self._refuse_memory(op, allowed=_is_no_memref)
            return
        self._refuse_unknown(op)
        touches = self._touches(op)
        self._check_rights(op, touches)
        reads = self._behind(touch.value for touch in touches if touch.reads)
        writes = self._behind(touch.value for touch in touches if touch.writes)
        for reference in sorted(reads):
            self._check_read(op, reference)
        for reference in sorted(writes):
            self._check_write(op, reference, reads | writes)
        for reference in reads:
            self.shadow.touch(reference.buffer)
        for reference in sorted(writes):
            self.shadow.write(reference.buffer, op.location)

    def start(self, op: StartOp | LaunchOp) -> None:
        """Run an op whose operands are in use until its token was waited for."""
        self.check(op)
        self.values[op.token] = self._behind(o for o in op.operands if o in self.values)

    def wait(self, op: WaitOp) -> None:
        """What ends here still has its operands as they were."""
        for reference in sorted(self._behind(t for t in op.tokens if t in self.values)):
            self._check_instance(op, reference)
            damage = self.shadow.damage(reference.buffer)
            if damage is not None:
                verb = f"until this '{op.operation.name}' something uses"
                raise self._lost(op.location, verb, reference.buffer, damage)

    def check_kept(self, number: int, function: func.FuncOp) -> None:
        """At the end of an entry function, the buffer must be as it was left."""
        damage = self.shadow.damage(number)
        if damage is not None:
            name = f"@{function.sym_name.value}"
            raise self._lost(function.location, f"after {name} its caller needs", number, damage)

    def _touches(self, op: ir.OpView) -> list[Touch]:
        """What an op does to which memref, in its regions too."""
        inner = ops_nested_in(op) if len(op.regions) else []
        found = [(op, accesses_of), *((i, partial(self._inner_accesses, op)) for i in inner)]
        return [
            touch
            for user, accesses in found
            for touch in self._rights.touches(user, accesses)
            if touch.value in self.values
        ]

    def _behind(self, values: Iterable[ir.Value]) -> References:
        return frozenset[Reference]().union(*(self.values[value] for value in values))

    def _check_rights(self, op: ir.OpView, touches: Iterable[Touch]) -> None:
        for touch in touches:
            references = self.values[touch.value]
            if not references:
                self._rights.check_outside(op, touch)
            for reference in sorted(references):
                self._rights.check(op, touch, self._buffers[reference.buffer])

    def _inner_accesses(self, kernel: ir.OpView, op: ir.OpView) -> Accesses:
        if isinstance(op, func.CallOp):
            raise RefusedError(op.location, f"'{kernel.operation.name}' must not call functions")
        self._refuse_memory(op)
        return accesses_of(op)

    def _check_read(self, op: ir.OpView, reference: Reference) -> None:
        self._check_instance(op, reference)
        damage = self.shadow.damage(reference.buffer)
        if damage is not None:
            verb = f"'{op.operation.name}' reads"
            raise self._lost(op.location, verb, reference.buffer, damage)

    def _check_write(self, op: ir.OpView, reference: Reference, others: References) -> None:
        buffer = self._buffers[reference.buffer]
        self._check_instance(op, reference)
        for other in sorted(others):
            if other.buffer in self._overlapping[reference.buffer]:
                second = self._buffers[other.buffer]
                raise RefusedError(
                    op.location,
                    f"'{op.operation.name}' writes {_told(buffer)} while it uses "
                    f"'{second.name}' at {second.span}, and the two share bytes",
                    _declared(buffer, second),
                )

    def _check_instance(self, op: ir.OpView, reference: Reference) -> None:
        if reference.birth == OVER:
            buffer = self._buffers[reference.buffer]
            raise RefusedError(
                op.location,
                f"'{op.operation.name}' uses {_told(buffer)} as an earlier iteration of a loop "
                "left it, but each iteration has its own there",
                [(buffer.location, f"'{buffer.name}' is allocated here")],
            )

    def _lost(
        self, where: ir.Location, verb: str, number: int, damage: Mark[ir.Location]
    ) -> RefusedError:
        buffer, by = self._buffers[number], self._buffers[damage.by]
        notes = [] if damage.where is None else [(damage.where, f"'{by.name}' is written here")]
        return RefusedError(
            where,
            f"{verb} {_told(buffer)}, but '{by.name}' at {by.span} has overwritten its bytes",
            [*notes, *_declared(buffer, by)],
        )

    def _refuse_unknown(self, op: ir.OpView) -> None:
        if len(op.regions) and type(op) not in KERNELS:
            raise RefusedError(
                op.location,
                f"the plan cannot be checked, since nobody knows how '{op.operation.name}' runs "
                "its regions",
            )
        self._refuse_memory(op)

    def _refuse_memory(
        self, op: ir.OpView, allowed: Callable[[ir.Type], bool] = _is_number
    ) -> None:
        if isinstance(op, (LaunchOp, StartOp)):
            return
        hidden = isinstance(op, memref.ExtractAlignedPointerAsIndexOp)
        if hidden or not all(allowed(result.type) for result in op.results):
            raise RefusedError(
                op.location,
                f"the plan cannot be checked, since nobody knows which memory "
                f"'{op.operation.name}' gives access to",
            )


def _told(buffer: Placed) -> str:
    return f"buffer '{buffer.name}' at {buffer.span} of pool @{buffer.pool}"


def _declared(*buffers: Placed) -> list[tuple[ir.Location, str]]:
    return [(buffer.location, f"'{buffer.name}' is declared here") for buffer in buffers]
