"""A missing wait: of the host, or of an operation with a token operand."""

from __future__ import annotations

import random
from collections.abc import Iterator

from mlir import ir

from common.injection.edit import erase, without_operands
from common.injection.mutants import Change, Wrong
from common.injection.order import STARTS, queue_name
from common.injection.plans import shuffled
from common.injection.right import Right
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every wait, and every token that the order of a queue does not repeat."""
    waits = [
        (f"wait {number}", _erased(number))
        for number, _ in right.numbered(lambda op: isinstance(op, accel.WaitOp))
    ]
    tokens = [
        (f"token {operand} of op {number}", _without_operand(number, operand))
        for number, op in right.numbered(lambda op: isinstance(op, STARTS))
        for operand in range(len(op.operands) - len(op.after), len(op.operands))
        if queue_name(op.operands[operand].owner.opview) != queue_name(op)
    ]
    yield from shuffled([*waits, *tokens], rng)


def _erased(number: int) -> Change:
    return lambda module: erase(ops_nested_in(module)[number])


def _without_operand(number: int, operand: int) -> Change:
    def change(module: ir.Operation) -> None:
        without_operands(ops_nested_in(module)[number], [operand])

    return change
