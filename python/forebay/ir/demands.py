"""Which pools an operand may be in: what an op touches, on which device, and where that reaches.

The one home of this question, on tensors and on memrefs alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import _linalg_ops_gen as linalg  # pyright: ignore[reportPrivateUsage]
from mlir.dialects import arith, bufferization, func, memref, scf, tensor

from forebay.dialects import accel, memref_pool
from forebay.dialects.memref_pool import PoolKind, SpaceAttr
from forebay.ir.devices import device_of, intrinsic_of, module_around
from forebay.ir.pools import DeclaredPool, candidates_of
from forebay.ir.roots import named_attributes
from forebay.ir.transfers import pools_of, transfer_of, transfers_in

CANDIDATES = "memref_pool.candidates"
"""Attribute of an op with one tensor result, or of an argument or result: its candidate pools."""


@dataclass(frozen=True)
class Demand:
    """The bytes of `value` that `op` itself touches, and the device that does.

    `operand` is None for the storage of a result that the op makes anew. `pools`, when given, are
    where the operand must be, whatever the device's rights; `contiguous` operands are handed over
    as a pointer to their first byte, which is a multiple of `alignment`. `what` names the operand
    in messages.
    """

    op: ir.OpView
    operand: int | None
    value: ir.Value
    device: str
    reads: bool
    writes: bool
    pools: tuple[str, ...] | None
    what: str
    contiguous: bool = False
    alignment: int = 1


@dataclass(frozen=True)
class Touch:
    """One operand (or result, when `operand` is None) in the rule of a class of ops."""

    operand: int | None
    reads: bool = False
    writes: bool = False


def demands_of(op: ir.OpView, host: str | None = None) -> Iterator[Demand]:
    """A demand for every tensor or memref whose bytes the op itself touches.

    `host` is the module's, for callers who ask about all its ops.

    Views and control flow touch nothing, and neither do calls of functions with a body. Ops inside
    the regions of `op` have demands of their own.
    """
    if isinstance(op, (accel.CallOp, accel.LaunchOp)):
        yield from _of_intrinsic(op)
        return
    if isinstance(op, (accel.MoveOp, accel.StartOp)):
        yield from _of_transfer(op)
        return
    if isinstance(op, func.CallOp):
        yield from _of_declared(op)
        return
    touches = [touch for touch in touches_of(op) if _is_memory(_touched(op, touch))]
    if not touches:
        return
    device = device_of(op, host)
    for touch in touches:
        yield Demand(
            op,
            touch.operand,
            _touched(op, touch),
            device,
            touch.reads,
            touch.writes,
            None,
            f"operand {touch.operand} of '{op.operation.name}'"
            if touch.operand is not None
            else f"the result of '{op.operation.name}'",
        )


def pools_allowed(demand: Demand, pools: Mapping[str, DeclaredPool]) -> tuple[str, ...]:
    """Names of the pools that the value may be in for this demand, in the module's order."""
    return tuple(pool.name for pool in pools.values() if _allows(demand, pool))


def reaches(
    device: str,
    pool: DeclaredPool,
    pools: Collection[str] | None = None,
    *,
    reads: bool,
    writes: bool,
) -> bool:
    """Whether an operand of the device may be in the pool.

    `pools`, when given, are where it must be, whatever its rights. Nobody writes constants.
    """
    if writes and pool.kind is PoolKind.constant:
        return False
    if pools is not None:
        return pool.name in pools
    return (not reads or pool.lets_read(device)) and (not writes or pool.lets_write(device))


def _allows(demand: Demand, pool: DeclaredPool) -> bool:
    if isinstance(demand.op, memref_pool.CopyOp) and _is_moved(demand, pool.name):
        return not (demand.writes and pool.kind is PoolKind.constant)
    reads, writes = demand.reads, demand.writes
    return reaches(demand.device, pool, demand.pools, reads=reads, writes=writes)


def _is_moved(demand: Demand, pool: str) -> bool:
    """Whether a transfer can take the place of a copy whose one side is in the pool."""
    own, other = ("sources", "targets") if demand.reads else ("targets", "sources")
    across = candidates_of(demand.op.operands[1 - (demand.operand or 0)].type)
    return any(
        pool in pools_of(getattr(transfer, own))
        and (not across or set(across) & set(pools_of(getattr(transfer, other))))
        for transfer in transfers_in(module_around(demand.op))
    )


def touches_of(op: ir.OpView) -> Iterator[Touch]:
    """What a class of ops does to its operands; one that is not known uses all of them."""
    rule = _RULES.get(type(op))
    if rule is not None:
        yield from rule(op)
        return
    writes = any(isinstance(value.type, ir.MemRefType) for value in op.operands)
    for index, _ in enumerate(op.operands):
        yield Touch(index, reads=True, writes=writes)


def _touched(op: ir.OpView, touch: Touch) -> ir.Value:
    return op.results[0] if touch.operand is None else op.operands[touch.operand]


def _is_memory(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType | ir.MemRefType)


# ---- Calls ---------------------------------------------------------------------------------------


def _of_transfer(op: accel.MoveOp | accel.StartOp) -> Iterator[Demand]:
    """Where a transfer moves from and to, whoever else may do so."""
    transfer = transfer_of(op)
    device, name = transfer.device.value, transfer.sym_name.value
    sources, targets = pools_of(transfer.sources), pools_of(transfer.targets)
    yield Demand(op, 0, op.source, device, True, False, sources, f"the source of @{name}")
    yield Demand(op, 1, op.target, device, False, True, targets, f"the target of @{name}")


def _of_intrinsic(call: accel.CallOp | accel.LaunchOp) -> Iterator[Demand]:
    intrinsic = intrinsic_of(call)
    operands = [accel.OperandAttr(operand) for operand in intrinsic.signature]
    read = [operand for operand in operands if operand.access == "in"]
    written = [operand for operand in operands if operand.access != "in"]
    for index, operand in enumerate((*read, *written)):
        yield Demand(
            call,
            index,
            call.operands[index],
            intrinsic.device.value,
            operand.access != "out",
            operand.access != "in",
            operand.pools or None,
            f'operand "{operand.name}" of @{intrinsic.sym_name.value}',
            contiguous=True,
            alignment=operand.align,
        )


def _of_declared(call: func.CallOp) -> Iterator[Demand]:
    """A function without a body touches what it gets; its arguments' attributes may say more."""
    callee = ir.SymbolTable(module_around(call))[call.callee.value]
    assert isinstance(callee, func.FuncOp)
    if not callee.is_external:
        return
    has_attributes = "arg_attrs" in callee.attributes
    for index, value in enumerate(call.operands):
        if not _is_memory(value):
            continue
        attributes = named_attributes(callee.arg_attrs[index]) if has_attributes else {}
        access, space = attributes.get("bufferization.access"), attributes.get(CANDIDATES)
        told = access.value if isinstance(access, ir.StringAttr) else "read-write"
        yield Demand(
            call,
            index,
            value,
            device_of(callee),
            told in ("read", "read-write"),
            told in ("write", "read-write"),
            space.pools if isinstance(space, SpaceAttr) else None,
            f"argument {index} of @{call.callee.value}",
            contiguous=True,
        )


# ---- Rules ---------------------------------------------------------------------------------------


def _nothing(_: ir.OpView) -> Iterator[Touch]:
    yield from ()


def _reads_first(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(0, reads=True)


def _reads_second(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(1, reads=True)


def _writes_second(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(1, writes=True)


def _moves(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(0, reads=True)
    yield Touch(1, writes=True)


def _makes(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(None, writes=True)


def _pad(_: ir.OpView) -> Iterator[Touch]:
    yield Touch(0, reads=True)
    yield Touch(None, writes=True)


def _alloc_tensor(op: bufferization.AllocTensorOp) -> Iterator[Touch]:
    if op.copy is not None:
        yield Touch(list(op.operands).index(op.copy), reads=True)
        yield Touch(None, writes=True)


def _reduce(op: accel.ReduceOp) -> Iterator[Touch]:
    last = len(op.operands) - 1
    yield from (Touch(index, reads=True) for index in range(last))
    yield Touch(last, writes=True)


def _structured(op: ir.OpView) -> Iterator[Touch]:
    """The last operands are written; read only where the region uses their old elements."""
    first = len(op.operands) - _outputs(op)
    arguments = list(op.regions[0].blocks[0].arguments) if len(op.regions) else []
    for index in range(len(op.operands)):
        if index < first:
            yield Touch(index, reads=True)
        elif len(arguments) == len(op.operands):
            yield Touch(index, reads=any(True for _ in arguments[index].uses), writes=True)
        else:
            yield Touch(index, reads=len(arguments) != first, writes=True)


def _outputs(op: Any) -> int:
    """The number of operands that a structured op writes."""
    for name in ("outputs", "inits", "init"):
        found = getattr(op, name, None)
        if found is not None:
            return 1 if isinstance(found, ir.Value) else len(found)
    return len(op.results)


def _linalg_classes() -> list[type]:
    return [
        value
        for value in vars(linalg).values()
        if isinstance(value, type) and issubclass(value, ir.OpView) and value is not ir.OpView
    ]


_TOUCH_NOTHING = (
    arith.ConstantOp,
    arith.SelectOp,
    bufferization.ToBufferOp,
    bufferization.ToTensorOp,
    func.ReturnOp,
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

_RULES: dict[type, Callable[[Any], Iterator[Touch]]] = {
    **dict.fromkeys(_linalg_classes(), _structured),
    **dict.fromkeys(_TOUCH_NOTHING, _nothing),
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
