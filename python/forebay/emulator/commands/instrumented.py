"""Rewrite the loads and stores of an intrinsic's reference so that they check their own indices.

An access out of range is not executed; the first one is noted in a record. For an operand that is
only written, a map marks the elements that are written; reading an unmarked one is noted as well::

    record   [kind, operand, element, multiplications]     kind 0: nothing is wrong
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, memref, scf

from forebay.ir.nested import ops_in

OUTSIDE, STALE, READ_ONLY = 1, 2, 3
RECORD = 4
"""Length of the record in 64-bit numbers."""

_COUNT = 3


@dataclass(frozen=True, eq=False)
class InstrumentedOperand:
    """A pointer inside the function, and what the intrinsic declares about it.

    `map` marks elements: the written ones of an operand that is only written, all accessed ones of
    any other.
    """

    number: int
    size: ir.Value
    access: str
    map: ir.Value | None


class Instrumentation:
    """A rewriter of the accesses in the body of a function."""

    def __init__(self, operands: Mapping[ir.Value, InstrumentedOperand], record: ir.Value) -> None:
        self._operands = operands
        self._record = record

    def function(self, block: ir.Block) -> None:
        """Rewrite all accesses and count all multiplications in a block, at any depth."""
        for op in [nested for outer in block.operations for nested in ops_in(outer)]:
            if isinstance(op, arith.MulIOp | arith.MulFOp) and is_mac(op):
                self._count(op)
        for op in [nested for outer in block.operations for nested in ops_in(outer)]:
            if isinstance(op, memref.LoadOp) and op.memref in self._operands:
                self._load(op, self._operands[op.memref])
            elif isinstance(op, memref.StoreOp) and op.memref in self._operands:
                self._store(op, self._operands[op.memref])

    def _load(self, op: memref.LoadOp, operand: InstrumentedOperand) -> None:
        with ir.InsertionPoint(op), op.location:
            at = op.indices[0]
            inside = _below(at, operand.size)
            self._note_unless(inside, OUTSIDE, operand, at)
            safe = arith.SelectOp(inside, at, index_constant(0)).result
            if operand.map is not None and operand.access != "out":
                memref.StoreOp(_i8(1), operand.map, [safe])
            elif operand.map is not None:
                mark = memref.LoadOp(operand.map, [safe]).result
                is_written = arith.CmpIOp(arith.CmpIPredicate.ne, mark, _i8(0)).result
                self._note_unless(is_written, STALE, operand, at)
        op.operation.operands[1] = safe

    def _store(self, op: memref.StoreOp, operand: InstrumentedOperand) -> None:
        with ir.InsertionPoint(op), op.location:
            at = op.indices[0]
            inside = _below(at, operand.size)
            self._note_unless(inside, OUTSIDE, operand, at)
            if operand.access == "in":
                never = arith.ConstantOp(ir.IntegerType.get_signless(1), 0).result
                self._note_unless(never, READ_ONLY, operand, at)
                op.operation.erase()
                return
            branch = scf.IfOp(inside)
            with ir.InsertionPoint(branch.then_block):
                if operand.map is not None:
                    memref.StoreOp(_i8(1), operand.map, [at])
                memref.StoreOp(op.value, op.memref, [at])
                scf.YieldOp([])
        op.operation.erase()

    def _note_unless(
        self, fine: ir.Value, kind: int, operand: InstrumentedOperand, at: ir.Value
    ) -> None:
        """Store the mistake in the record unless `fine` holds or the record already has one."""
        truth = arith.ConstantOp(ir.IntegerType.get_signless(1), 1).result
        wrong = scf.IfOp(arith.XOrIOp(fine, truth).result)
        with ir.InsertionPoint(wrong.then_block):
            seen = memref.LoadOp(self._record, [index_constant(0)]).result
            is_first = arith.CmpIOp(arith.CmpIPredicate.eq, seen, _i64(0)).result
            first = scf.IfOp(is_first)
            with ir.InsertionPoint(first.then_block):
                element = arith.IndexCastOp(ir.IntegerType.get_signless(64), at).result
                for place, value in enumerate((_i64(kind), _i64(operand.number), element)):
                    memref.StoreOp(value, self._record, [index_constant(place)])
                scf.YieldOp([])
            scf.YieldOp([])

    def _count(self, op: ir.OpView) -> None:
        """Count multiplications that are directly in a loop before the loop, others in place."""
        loop = op.operation.parent
        if loop is None or not isinstance(loop.opview, scf.ForOp):
            with ir.InsertionPoint(op), op.location:
                self._add(_i64(1))
            return
        begin, end, step = list(loop.operation.operands)[:3]
        with ir.InsertionPoint(loop), op.location:
            points = arith.CeilDivSIOp(arith.SubIOp(end, begin).result, step).result
            rounds = arith.MaxSIOp(points, _like(0, points)).result
            i64 = ir.IntegerType.get_signless(64)
            is_index = isinstance(rounds.type, ir.IndexType)
            convert = arith.IndexCastOp if is_index else arith.ExtSIOp
            self._add(convert(i64, rounds).result)

    def _add(self, more: ir.Value) -> None:
        before = memref.LoadOp(self._record, [index_constant(_COUNT)]).result
        memref.StoreOp(arith.AddIOp(before, more).result, self._record, [index_constant(_COUNT)])


def is_mac(op: ir.OpView) -> bool:
    """Return whether the op multiplies two loaded values and its product is added up."""
    adds = (arith.AddIOp, arith.AddFOp)
    is_added = any(isinstance(use.owner.operation.opview, adds) for use in op.results[0].uses)
    return is_added and all(map(_is_loaded, op.operands))


def _is_loaded(value: ir.Value) -> bool:
    """Return whether a value is computed from a load by ops without regions only."""
    owner: Any = value.owner
    if isinstance(owner, ir.Block) or len(owner.operation.regions):
        return False
    op = owner.operation.opview
    return isinstance(op, memref.LoadOp) or any(map(_is_loaded, op.operands))


def new_record() -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a record without a mistake and with a count of 0."""
    return np.zeros(RECORD, np.int64)


def _below(index: ir.Value, size: ir.Value) -> ir.Value:
    return arith.CmpIOp(arith.CmpIPredicate.ult, index, size).result


def index_constant(value: int) -> ir.Value:
    """Build a constant index at the insertion point."""
    return arith.ConstantOp(ir.IndexType.get(), value).result


def _i64(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IntegerType.get_signless(64), value).result


def _i8(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IntegerType.get_signless(8), value).result


def _like(value: int, other: ir.Value) -> ir.Value:
    return arith.ConstantOp(other.type, value).result
