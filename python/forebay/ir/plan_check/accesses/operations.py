"""Operations in flight: their starts and waits, and the accesses that conflict with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.ir.plan_check.accesses.rights import AccessRights, CheckedAccess
from forebay.ir.plan_check.buffers.placed import PlacedBuffer, declarations_of
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.memory import in_flight
from forebay.ir.plan_check.memory.extents import may_share
from forebay.ir.plan_check.memory.in_flight import (
    InFlight,
    OperationRun,
    PendingAccess,
    Ticket,
)
from forebay.ir.plan_check.memory.references import Reference, References
from forebay.ir.refused import RefusedError

AccessedPart = tuple[CheckedAccess, References]
"""An access, and the parts of placed buffers that it is to."""


class Operations:
    """The operations of a run that are not ended on every path to this point (`in_flight`).

    `tickets` are those of tokens.
    """

    def __init__(
        self, run: Arithmetic, rights: AccessRights, buffers: Sequence[PlacedBuffer]
    ) -> None:
        self.in_flight: InFlight = {}
        self.tickets: dict[ir.Value, Ticket] = {}
        self._run = run
        self._rights = rights
        self._buffers = buffers

    def check(self, op: ir.OpView, parts: Iterable[AccessedPart]) -> None:
        """Raise `RefusedError` if an access of an op overlaps one of an in-flight operation."""
        self._check_disjoint(op, parts, self.in_flight)

    def check_start(self, op: StartOp | LaunchOp, parts: Iterable[AccessedPart]) -> None:
        """Raise `RefusedError` if an operation overlaps one that it may run concurrently with."""
        queue, after = self._order_of(op)
        self._check_disjoint(op, parts, in_flight.concurrent(self.in_flight, queue, after))

    def start(self, op: StartOp | LaunchOp, run: int, parts: Iterable[AccessedPart]) -> None:
        """Record that run number `run` of an op is in flight until a wait for its token."""
        queue, after = self._order_of(op)
        pending = {
            PendingAccess(reference._replace(instance=0), access.writes)
            for access, references in parts
            for reference in references
        }
        self.in_flight = in_flight.start(self.in_flight, (op, run), pending, queue, after)
        self.tickets[op.token] = run

    def wait(self, op: WaitOp) -> None:
        """End the operations that the tokens stand for."""
        self.in_flight = in_flight.wait(self.in_flight, self._tickets_of(op.tokens))

    def check_ended(self, function: func.FuncOp) -> None:
        """Raise `RefusedError` if an operation is in flight at the end of an entry function."""
        for op, _ in self.in_flight:
            raise RefusedError(
                op.location,
                f"a token without a wait on some path: '{op.operation.name}' may still be "
                f"in flight when @{function.sym_name.value} returns; wait for it on every path",
            )

    def _order_of(self, op: StartOp | LaunchOp) -> tuple[str, list[Ticket]]:
        """Return the queue of an operation, and the tickets of those that it waits for."""
        return self._rights.queue(op), self._tickets_of(op.after)

    def _tickets_of(self, tokens: Iterable[ir.Value]) -> list[Ticket]:
        return [self.tickets[token] for token in tokens if token in self.tickets]

    def _check_disjoint(
        self, op: ir.OpView, parts: Iterable[AccessedPart], others: InFlight
    ) -> None:
        if not others:
            return
        for access, references in parts:
            for reference in sorted(references):
                for key, operation in others.items():
                    for pending in sorted(operation.accesses):
                        if (access.writes or pending.writes) and self._share(reference, pending):
                            raise self._conflict(op, access, reference, key, pending)

    def _share(self, reference: Reference, pending: PendingAccess) -> bool:
        one, other = (self._buffers[r.buffer] for r in (reference, pending.reference))
        if not one.overlaps(other):
            return False
        return may_share(reference, pending.reference, other.start - one.start, self._run)

    def _conflict(
        self,
        op: ir.OpView,
        access: CheckedAccess,
        reference: Reference,
        key: OperationRun,
        pending: PendingAccess,
    ) -> RefusedError:
        buffer, other = self._buffers[reference.buffer], self._buffers[pending.reference.buffer]
        by = key[0]
        return RefusedError(
            op.location,
            f"'{op.operation.name}' {'writes' if access.writes else 'reads'} "
            f"{buffer.description}, of which '{by.operation.name}' may still "
            f"{'write' if pending.writes else 'read'} bytes for '{other.name}'; wait for its token "
            "first, on every path to here",
            [(by.location, "started here"), *declarations_of(*dict.fromkeys((buffer, other)))],
        )
