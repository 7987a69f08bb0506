"""The uses of a value that are printed; a pure op without such uses is not printed."""

from __future__ import annotations

from collections.abc import Iterator

from mlir.ir import Operation, OpView, Value

from forebay.codegen.c.registry import printers


def live_uses(value: Value) -> list[OpView]:
    """Return the printed users of a value, one entry per use."""
    return [user for user in _users(value) if _is_live(user)]


def is_used(value: Value) -> bool:
    """Return whether the value has a printed user."""
    return any(_is_live(user) for user in _users(value))


def _is_live(op: OpView) -> bool:
    if type(op) not in printers().expressions:
        return True
    return any(is_used(result) for result in op.operation.results)


def _users(value: Value) -> Iterator[OpView]:
    for use in value.uses:
        user = use.owner
        yield user.opview if isinstance(user, Operation) else user
