"""Effects of each class of ops on the bytes of its operands: the basis of access constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import _linalg_ops_gen as linalg  # pyright: ignore[reportPrivateUsage]
from mlir.dialects import arith, bufferization, func, memref, scf, tensor

from forebay.dialects import accel, memref_pool
from forebay.ir.memory.op_classes import STRUCTURED_OPS


@dataclass(frozen=True)
class OperandEffect:
    """The effect on one operand, or on the result if `operand` is None."""

    operand: int | None
    reads: bool = False
    writes: bool = False


def operand_effects_of(op: ir.OpView) -> Iterator[OperandEffect]:
    """Yield the effects on each operand.

    An unknown op reads all its operands, and writes all if one of them is a memref.
    """
    rule = _RULES.get(type(op))
    if rule is not None:
        yield from rule(op)
        return
    writes = any(isinstance(value.type, ir.MemRefType) for value in op.operands)
    for index, _ in enumerate(op.operands):
        yield OperandEffect(index, reads=True, writes=writes)


def _nothing(_: ir.OpView) -> Iterator[OperandEffect]:
    yield from ()


def _reads_first(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(0, reads=True)


def _reads_second(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(1, reads=True)


def _writes_second(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(1, writes=True)


def _moves(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(0, reads=True)
    yield OperandEffect(1, writes=True)


def _makes(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(None, writes=True)


def _pad(_: ir.OpView) -> Iterator[OperandEffect]:
    yield OperandEffect(0, reads=True)
    yield OperandEffect(None, writes=True)


def _alloc_tensor(op: bufferization.AllocTensorOp) -> Iterator[OperandEffect]:
    if op.copy is not None:
        yield OperandEffect(list(op.operands).index(op.copy), reads=True)
        yield OperandEffect(None, writes=True)


def _reduce(op: accel.ReduceOp) -> Iterator[OperandEffect]:
    last = len(op.operands) - 1
    yield from (OperandEffect(index, reads=True) for index in range(last))
    yield OperandEffect(last, writes=True)


def _structured(op: ir.OpView) -> Iterator[OperandEffect]:
    """Yield writes of the last operands, with reads where the region uses their old elements."""
    first = len(op.operands) - _outputs(op)
    arguments = list(op.regions[0].blocks[0].arguments) if len(op.regions) else []
    for index in range(len(op.operands)):
        if index < first:
            yield OperandEffect(index, reads=True)
        elif len(arguments) == len(op.operands):
            yield OperandEffect(index, reads=any(True for _ in arguments[index].uses), writes=True)
        else:
            yield OperandEffect(index, reads=len(arguments) != first, writes=True)


def _outputs(op: Any) -> int:
    """Return the number of operands that a structured op writes."""
    for name in ("outputs", "inits", "init"):
        found = getattr(op, name, None)
        if found is not None:
            return 1 if isinstance(found, ir.Value) else len(found)
    return len(op.results)


_NO_ACCESS = (
    arith.ConstantOp,
    arith.SelectOp,
    bufferization.ToBufferOp,
    bufferization.ToTensorOp,
    func.ReturnOp,
    linalg.IndexOp,
    linalg.YieldOp,
    memref.AllocOp,
    memref.AllocaOp,
    memref.AssumeAlignmentOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.DeallocOp,
    memref.DimOp,
    memref.DistinctObjectsOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetadataOp,
    memref.GetGlobalOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
    memref.TransposeOp,
    memref.ViewOp,
    memref_pool.AddressOp,
    memref_pool.AllocOp,
    scf.ConditionOp,
    scf.ExecuteRegionOp,
    scf.ForOp,
    scf.IfOp,
    scf.IndexSwitchOp,
    scf.WhileOp,
    scf.YieldOp,
    tensor.CastOp,
    tensor.CollapseShapeOp,
    tensor.DimOp,
    tensor.EmptyOp,
    tensor.ExpandShapeOp,
    tensor.ExtractSliceOp,
)

_RULES: dict[type, Callable[[Any], Iterator[OperandEffect]]] = {
    **dict.fromkeys(STRUCTURED_OPS, _structured),
    **dict.fromkeys(_NO_ACCESS, _nothing),
    accel.ReduceOp: _reduce,
    accel.WaitOp: _nothing,
    bufferization.AllocTensorOp: _alloc_tensor,
    bufferization.MaterializeInDestinationOp: _moves,
    memref.CopyOp: _moves,
    memref.LoadOp: _reads_first,
    memref.ReshapeOp: _reads_second,
    memref.StoreOp: _writes_second,
    memref_pool.CopyOp: _moves,
    tensor.ExtractOp: _reads_first,
    tensor.FromElementsOp: _makes,
    tensor.GenerateOp: _makes,
    tensor.InsertOp: _writes_second,
    tensor.InsertSliceOp: _moves,
    tensor.PadOp: _pad,
    tensor.SplatOp: _makes,
}
