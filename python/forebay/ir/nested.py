"""All operations inside one, as a list: a callback of `walk` must not raise."""

from mlir import ir


def operations_in(
    root: ir.Operation, order: ir.WalkOrder = ir.WalkOrder.PRE_ORDER
) -> list[ir.OpView]:
    """`root` and everything nested in it, outer ones first unless `order` says otherwise."""
    found: list[ir.OpView] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op.opview)
        return ir.WalkResult.ADVANCE

    root.walk(collect, order)
    return found
