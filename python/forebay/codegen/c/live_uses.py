"""The uses of a value that are printed; a pure op without such uses is not printed."""

from __future__ import annotations

from mlir.dialects import arith, scf
from mlir.ir import Operation, OpView, Value

from forebay.codegen.c.registry import printers
from forebay.dialects.accel import DotOp, DotsOp, MultiplyAddOp


class LiveUses:
    """The printed uses of the values of a function, which does not change meanwhile."""

    def __init__(self) -> None:
        self._is_used: dict[Value, bool] = {}
        self._users: dict[Value, list[OpView]] = {}

    def of(self, value: Value) -> list[OpView]:
        """Return the printed users of a value, one entry per use."""
        return [user for user in self._users_of(value) if self._is_live(user)]

    def is_used(self, value: Value) -> bool:
        """Return whether the value has a printed user."""
        if value not in self._is_used:
            self._is_used[value] = any(map(self._is_live, self._users_of(value)))
        return self._is_used[value]

    def carried_value(self, total: Value) -> Value | None:
        """Return the loop-carried argument whose next value is `total` plus other terms, or None.

        No op but the sums themselves uses `total` and the sums behind it.
        """
        while len(users := self.of(total)) == 1:
            (user,) = users
            if isinstance(user, scf.YieldOp):
                loop = user.operation.parent.opview
                number = list(user.operands).index(total)
                return loop.inner_iter_args[number] if isinstance(loop, scf.ForOp) else None
            before = total_before(user)
            if before is None or before != total:
                return None
            total = user.result
        return None

    def _is_live(self, op: OpView) -> bool:
        if type(op) not in printers().expressions:
            return True
        return any(self.is_used(result) for result in op.operation.results)

    def _users_of(self, value: Value) -> list[OpView]:
        if value not in self._users:
            owners = [use.owner for use in value.uses]
            self._users[value] = [o.opview if isinstance(o, Operation) else o for o in owners]
        return self._users[value]


def total_before(op: OpView) -> Value | None:
    """Return the sum to which an op adds, or None for another op."""
    if isinstance(op, (DotOp, DotsOp, MultiplyAddOp)):
        return op.sum
    return op.lhs if isinstance(op, (arith.AddIOp, arith.AddFOp)) else None
