"""An operator behind the one that needs its result."""

from __future__ import annotations

import random
from collections.abc import Iterator

from mlir import ir

from common.injection.mutants import Change, Wrong
from common.injection.plans import shuffled
from common.injection.right import KERNELS, Right
from forebay.ir.nested import ops_nested_in


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every kernel that alone writes what it writes, behind each of its readers."""
    kernels = right.numbered(lambda op: isinstance(op, KERNELS))
    pairs = [
        (number, user)
        for number, _ in kernels
        if right.is_only_writer(number)
        for user in _users(right, number)
    ]
    for number, user in shuffled(pairs, rng):
        yield f"op {number} behind {user}", _moved(number, user)


def _users(right: Right, number: int) -> list[int]:
    block = right.ops[number].operation.block
    return [
        user
        for user in range(number + 1, len(right.ops))
        if right.writes[number] & right.reads[user] and right.ops[user].operation.block == block
    ]


def _moved(number: int, user: int) -> Change:
    def change(module: ir.Operation) -> None:
        ops = ops_nested_in(module)
        ops[number].operation.move_after(ops[user].operation)

    return change
