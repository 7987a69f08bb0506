"""An intrinsic's reference as machine code that watches itself.

The function takes, beside pointers and scalars, the number of elements behind each pointer and a
record. An access outside is not done; the first one is noted. Of what is only written, a map holds
which elements are; reading one before is noted as well::

    record   [kind, operand, element, multiplications]     kind 0: nothing is wrong
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, memref, scf

from forebay.dialects.accel import IntrinsicOp, OperandAttr
from forebay.emulator.jit import Kernel, Kernels
from forebay.ir.nested import ops_in
from forebay.lowering.inline import inline

OUTSIDE, STALE, READ_ONLY = 1, 2, 3
RECORD = 4
"""Length of the record, of 64-bit numbers."""

_COUNT = 3


@dataclass(frozen=True, eq=False)
class _Operand:
    """A pointer inside of the function, and what the intrinsic says about it."""

    number: int
    size: ir.Value
    access: str
    map: ir.Value | None


def watched_reference(intrinsic: IntrinsicOp, kernels: Kernels) -> Kernel:
    """A kernel of pointers, maps of what is only written, sizes, scalars, and the record."""
    operands = [OperandAttr(attribute) for attribute in intrinsic.signature]
    arguments = list(intrinsic.reference.blocks[0].arguments)
    elements = [ir.MemRefType(a.type).element_type for a in arguments[: len(operands)]]
    with intrinsic.location:
        types = _types(elements, operands, len(arguments) - len(operands))

    def build(given: Sequence[ir.Value]) -> None:
        count, outs = len(operands), sum(operand.access == "out" for operand in operands)
        pointers, maps = given[:count], iter(given[count : count + outs])
        sizes = given[count + outs : 2 * count + outs]
        scalars, record = given[2 * count + outs : -1], given[-1]
        views = [_view(*pair) for pair in zip(pointers, sizes, strict=True)]
        known = {
            view: _Operand(number, size, operand.access, _own_map(operand, maps))
            for number, (view, size, operand) in enumerate(zip(views, sizes, operands, strict=True))
        }
        clone = intrinsic.operation.clone()
        inline(clone.regions[0].blocks[0], [*views, *scalars])
        clone.erase()
        _Watch(known, record).function(ir.InsertionPoint.current.block)

    return kernels.of_body(types, build)


def _types(
    elements: Sequence[ir.Type], operands: Sequence[OperandAttr], scalars: int
) -> list[ir.Type]:
    i8, i32, i64 = (ir.IntegerType.get_signless(width) for width in (8, 32, 64))
    outs = sum(operand.access == "out" for operand in operands)
    return [
        *(ir.MemRefType.get([1], element) for element in elements),
        *[ir.MemRefType.get([1], i8)] * outs,
        *[ir.IndexType.get()] * len(operands),
        *[i32] * scalars,
        ir.MemRefType.get([RECORD], i64),
    ]


def _own_map(operand: OperandAttr, maps: Any) -> ir.Value | None:
    if operand.access != "out":
        return None
    return _view(next(maps), None)


def _view(pointer: ir.Value, size: ir.Value | None) -> ir.Value:
    """`memref<?xT>` at a pointer; maps are as long as what they are for."""
    element = ir.MemRefType(pointer.type).element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    length = size if size is not None else _index(1)
    strided = ir.MemRefType.get([dynamic], element, ir.StridedLayoutAttr.get(0, [1]))
    cast = memref.ReinterpretCastOp(strided, pointer, [], [length], [], [0], [dynamic], [1]).result
    return memref.CastOp(ir.MemRefType.get([dynamic], element), cast).result


class _Watch:
    """Rewrites the accesses of a function's body."""

    def __init__(self, operands: Mapping[ir.Value, _Operand], record: ir.Value) -> None:
        self._operands = operands
        self._record = record

    def function(self, block: ir.Block) -> None:
        """All accesses and multiplications in a block, at any depth."""
        for op in [nested for outer in block.operations for nested in ops_in(outer)]:
            if isinstance(op, arith.MulIOp | arith.MulFOp) and is_mac(op):
                self._count(op)
        for op in [nested for outer in block.operations for nested in ops_in(outer)]:
            if isinstance(op, memref.LoadOp) and op.memref in self._operands:
                self._load(op, self._operands[op.memref])
            elif isinstance(op, memref.StoreOp) and op.memref in self._operands:
                self._store(op, self._operands[op.memref])

    def _load(self, op: memref.LoadOp, operand: _Operand) -> None:
        with ir.InsertionPoint(op), op.location:
            at = op.indices[0]
            inside = _below(at, operand.size)
            self._note_unless(inside, OUTSIDE, operand, at)
            safe = arith.SelectOp(inside, at, _index(0)).result
            if operand.map is not None:
                mark = memref.LoadOp(operand.map, [safe]).result
                is_written = arith.CmpIOp(arith.CmpIPredicate.ne, mark, _i8(0)).result
                self._note_unless(is_written, STALE, operand, at)
        op.operation.operands[1] = safe

    def _store(self, op: memref.StoreOp, operand: _Operand) -> None:
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

    def _note_unless(self, fine: ir.Value, kind: int, operand: _Operand, at: ir.Value) -> None:
        """The first mistake goes into the record."""
        truth = arith.ConstantOp(ir.IntegerType.get_signless(1), 1).result
        wrong = scf.IfOp(arith.XOrIOp(fine, truth).result)
        with ir.InsertionPoint(wrong.then_block):
            seen = memref.LoadOp(self._record, [_index(0)]).result
            is_first = arith.CmpIOp(arith.CmpIPredicate.eq, seen, _i64(0)).result
            first = scf.IfOp(is_first)
            with ir.InsertionPoint(first.then_block):
                element = arith.IndexCastOp(ir.IntegerType.get_signless(64), at).result
                for place, value in enumerate((_i64(kind), _i64(operand.number), element)):
                    memref.StoreOp(value, self._record, [_index(place)])
                scf.YieldOp([])
            scf.YieldOp([])

    def _count(self, op: ir.OpView) -> None:
        """Count multiplications in a loop before it begins, others where they are."""
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
        before = memref.LoadOp(self._record, [_index(_COUNT)]).result
        memref.StoreOp(arith.AddIOp(before, more).result, self._record, [_index(_COUNT)])


def is_mac(op: ir.OpView) -> bool:
    """Whether two values that come from memory are multiplied, and the product is added up."""
    adds = (arith.AddIOp, arith.AddFOp)
    is_added = any(isinstance(use.owner.operation.opview, adds) for use in op.results[0].uses)
    return is_added and all(map(_is_loaded, op.operands))


def _is_loaded(value: ir.Value) -> bool:
    """Whether a number comes from a load, by arithmetic alone."""
    owner: Any = value.owner
    if isinstance(owner, ir.Block) or len(owner.operation.regions):
        return False
    op = owner.operation.opview
    return isinstance(op, memref.LoadOp) or any(map(_is_loaded, op.operands))


def new_record() -> np.ndarray[Any, np.dtype[np.int64]]:
    """Nothing is wrong, nothing is counted."""
    return np.zeros(RECORD, np.int64)


def _below(index: ir.Value, size: ir.Value) -> ir.Value:
    return arith.CmpIOp(arith.CmpIPredicate.ult, index, size).result


def _index(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), value).result


def _i64(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IntegerType.get_signless(64), value).result


def _i8(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IntegerType.get_signless(8), value).result


def _like(value: int, other: ir.Value) -> ir.Value:
    return arith.ConstantOp(other.type, value).result
