"""The interface that runs ops, for the rules of loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from mlir import ir

from forebay.dialects.accel import TokenType
from forebay.ir.plan_check.memory.path_state import AbstractValue
from forebay.ir.refused import RefusedError

Step = Callable[[], None]
"""Runs one op."""


class Runner(Protocol):
    """Runs ops, and reads and sets the abstract values of SSA values."""

    def run_block(self, block: ir.Block) -> None:
        """Run the ops of a block."""
        ...

    def step_of(self, op: ir.OpView) -> Step | None:
        """Return what runs an op, or None for an op that does nothing by itself."""
        ...

    def values_of(self, values: Iterable[ir.Value]) -> list[AbstractValue]:
        """Return the abstract values."""
        ...

    def bind(self, values: Iterable[ir.Value], contents: Iterable[AbstractValue]) -> None:
        """Set the abstract values."""
        ...


def only_block(region: ir.Region, where: ir.Location) -> ir.Block:
    """Return the block of a region; raise `RefusedError` for several."""
    if len(region.blocks) != 1:
        raise RefusedError(where, "the plan cannot be checked across jumps between blocks")
    return region.blocks[0]


def last_op(block: ir.Block) -> ir.OpView:
    """Return the terminator of a block."""
    return block.operations[len(block.operations) - 1]


def is_memref(value: ir.Value) -> bool:
    """Return whether a value is a memref, of any rank."""
    return isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType)


def is_token(value: ir.Value) -> bool:
    """Return whether a value is the token of a started operation."""
    return isinstance(value.type, TokenType)
