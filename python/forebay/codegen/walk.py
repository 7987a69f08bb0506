"""The ops inside an op."""

from __future__ import annotations

from mlir.ir import Operation, WalkOrder, WalkResult


def operations_in(root: Operation) -> list[Operation]:
    """Return `root` and all ops inside it in program order.

    A list, since an exception must not leave a callback of the walk itself.
    """
    found: list[Operation] = []

    def visit(operation: Operation) -> WalkResult:
        found.append(operation)
        return WalkResult.ADVANCE

    root.walk(visit, WalkOrder.PRE_ORDER)
    return found
