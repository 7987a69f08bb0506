"""Weights of another layer, or of an older network; loads that are missing are a kind apart."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
from mlir import ir
from mlir.dialects import memref

from common.injection.mutants import Change, Wrong
from common.injection.plans import shuffled
from common.injection.right import Right
from forebay.ir.nested import ops_nested_in


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every constant in place of every other of its type, and every constant with other numbers."""
    globals_ = right.numbered(lambda op: isinstance(op, memref.GlobalOp) and op.constant)
    reads = right.numbered(lambda op: isinstance(op, memref.GetGlobalOp))
    others = [
        (f"@{op.sym_name.value} in op {number}", _reading(number, op.sym_name.value))
        for (number, read), (_, op) in itertools.product(reads, globals_)
        if op.sym_name.value != _name(read) and op.type_.value == read.result.type
    ]
    older = [
        (f"an older @{op.sym_name.value}, {seed}", _older(number, seed))
        for number, op in globals_
        for seed in range(_OLDER)
        if np.dtype(np.array(op.initial_value).dtype).kind == "i"
    ]
    yield from _in_turns(shuffled(others, rng), shuffled(older, rng))


_STEPS = np.array([-1, 1, *[0] * 14])
_OLDER = 8
"""Networks of which each constant may be left."""


def _in_turns(*drawn: list[Wrong]) -> Iterator[Wrong]:
    for pair in itertools.zip_longest(*drawn):
        yield from (wrong for wrong in pair if wrong is not None)


def _name(read: memref.GetGlobalOp) -> str:
    return ir.FlatSymbolRefAttr(read.operation.attributes["name"]).value


def _reading(number: int, name: str) -> Change:
    def change(module: ir.Operation) -> None:
        op = ops_nested_in(module)[number]
        op.operation.attributes["name"] = ir.FlatSymbolRefAttr.get(name, module.context)

    return change


def _older(number: int, seed: int) -> Change:
    """One in eight elements is one more or less."""

    def change(module: ir.Operation) -> None:
        op = ops_nested_in(module)[number]
        numbers = np.array(op.initial_value)
        rng = np.random.default_rng(seed)
        steps = rng.choice(
            np.array([-1, 0, 1], numbers.dtype), numbers.shape, p=[1 / 16, 7 / 8, 1 / 16]
        )
        with module.context:
            op.initial_value = ir.DenseElementsAttr.get(numbers + steps)

    return change
