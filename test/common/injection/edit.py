"""Changes of single ops that the verifier would not always let through."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

SEGMENTS = "operandSegmentSizes"


def without_operands(op: ir.OpView, dropped: Iterable[int]) -> ir.OpView:
    """A copy of the op without some operands, in its place; its results are the new op's."""
    gone = set(dropped)
    operands = [value for number, value in enumerate(op.operands) if number not in gone]
    attributes = {name: op.operation.attributes[name] for name in op.operation.attributes}
    if SEGMENTS in attributes:
        attributes[SEGMENTS] = ir.DenseI32ArrayAttr.get(_segments(op, gone))
    with ir.InsertionPoint(op), op.location:
        new = ir.Operation.create(
            op.operation.name,
            results=[result.type for result in op.results],
            operands=operands,
            attributes=attributes,
        )
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.operation.erase()
    return new.opview


def erase(op: ir.OpView) -> None:
    """Erase an op; what waits for its token does not any more."""
    for result in op.results:
        for use in list(result.uses):
            user = use.owner.opview
            without_operands(user, [n for n, v in enumerate(user.operands) if v == result])
    op.operation.erase()


def _segments(op: ir.OpView, gone: set[int]) -> list[int]:
    sizes: list[int] = []
    first = 0
    for size in ir.DenseI32ArrayAttr(op.attributes[SEGMENTS]):
        sizes.append(sum(number not in gone for number in range(first, first + size)))
        first += size
    return sizes
