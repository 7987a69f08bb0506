"""The uses of a value that are printed; a pure op without such uses is not printed."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith, func, scf
from mlir.ir import OpView, Value

from forebay.codegen.c.registry import printers
from forebay.dialects.accel import DotEachOp, DotOp, DotsOp, MultiplyAddOp
from forebay.ir.nested import unused_ops_in, users_of


class LiveUses:
    """The printed uses of the values of a function, which does not change meanwhile."""

    def __init__(self, function: func.FuncOp) -> None:
        # The last op of a chain that is not printed has no use. Few functions have such an op.
        pure = printers().expressions
        self._all_live = not any(type(op) in pure for op in unused_ops_in(function))
        self._is_used: dict[Value, bool] = {}
        self._users: dict[Value, list[OpView]] = {}
        self._carried: dict[Value, Value | None] = {}

    def of(self, value: Value) -> list[OpView]:
        """Return the printed users of a value, one entry per use."""
        users = self._users_of(value)
        return users if self._all_live else [user for user in users if self._is_live(user)]

    def only_user(self, value: Value) -> OpView | None:
        """Return the printed user of a value that has one use; None for others."""
        users = self.of(value)
        return users[0] if len(users) == 1 else None

    def is_used(self, value: Value) -> bool:
        """Return whether the result of a pure op has a printed user."""
        if self._all_live:
            return True
        found = self._is_used.get(value)
        if found is None:
            found = self._is_used[value] = any(map(self._is_live, self._users_of(value)))
        return found

    def carried_value(self, total: Value) -> Value | None:
        """Return the loop-carried argument whose next value is `total` plus other terms, or None.

        No op but the sums themselves uses `total` and the sums after it.
        """
        passed: list[Value] = []
        while total not in self._carried:
            passed.append(total)
            user = self.only_user(total)
            before = None if user is None else total_before(user)
            if user is None or before is None or before != total:
                self._carried[total] = self._next_value(user, total)
                break
            total = user.operation.results[0]
        found = self._carried[total]
        self._carried.update(dict.fromkeys(passed, found))
        return found

    def _next_value(self, user: OpView | None, total: Value) -> Value | None:
        """Return the argument of a loop that has `total` in its next iteration, or None."""
        if not isinstance(user, scf.YieldOp):
            return None
        loop = user.operation.parent.opview
        number = list(user.operands).index(total)
        return loop.inner_iter_args[number] if isinstance(loop, scf.ForOp) else None

    def _is_live(self, op: OpView) -> bool:
        if self._all_live or type(op) not in printers().expressions:
            return True
        return any(self.is_used(result) for result in op.operation.results)

    def _users_of(self, value: Value) -> list[OpView]:
        found = self._users.get(value)
        if found is None:
            found = self._users[value] = users_of(value)
        return found


_PRODUCTS = frozenset((DotOp, DotsOp, DotEachOp, MultiplyAddOp))
_SUMS = frozenset((arith.AddIOp, arith.AddFOp))


def total_before(op: Any) -> Value | None:
    """Return the sum to which an op adds, or None for another op."""
    kind = type(op)
    if kind in _SUMS:
        return op.lhs
    return op.sum if kind in _PRODUCTS else None
