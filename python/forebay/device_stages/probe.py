"""The free bytes and the operand pools of each call, found by a trial plan of the program."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.accel import CallOp, IntrinsicOp, OperandAttr
from forebay.dialects.memref_pool import AllocOp, SpaceAttr
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.machine.devices import device_of
from forebay.ir.machine.pools import bytes_of, pools_in
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.problem import planned_placement
from forebay.planning import Interval
from forebay.pools import Pool

ModulePipeline = Callable[[ir.Module], None]
"""A function that changes a module in place."""

CALL_NUMBER = "accel.site"
"""Attribute of a call: its number among the probed calls."""

_RESERVED = "accel.reserved"
"""Attribute of an allocation that only reserves bytes for the stage."""


class CallContext(Struct, frozen=True):
    """The context of a call in the trial plan.

    `free` holds the free bytes by pool while the call runs. `operand_pools` holds the pool of each
    operand, None for memory of the caller.
    """

    free: Mapping[str, int]
    operand_pools: tuple[str | None, ...]


def probe(
    module: ModuleOp,
    calls: Sequence[CallOp],
    reserved: Sequence[Mapping[str, int]],
    trial: tuple[ModulePipeline, ModulePipeline],
) -> Sequence[CallContext]:
    """Return, per call, the free bytes of every pool with a capacity, and its operands' pools.

    The first function of `trial` lowers a module to buffers, the second plans it. They run on a
    clone that keeps the calls unchanged. `reserved` holds, per call, the bytes by pool that stay
    free beside it. An error of `trial` is raised unchanged, also when a pool is too small.
    """
    to_buffers, to_plan = trial
    clone = _clone(module, calls)
    to_buffers(clone)
    pools = pools_in(clone.operation)
    buffers = module_of(clone.operation)
    for number, call in _numbered_calls(buffers).items():
        for pool, size in reserved[number].items():
            if size and pools[pool].capacity is not None:
                _reserve(call, pool, size, buffers)
    to_plan(clone)
    planned = module_of(clone.operation)
    liveness = liveness_of(planned)
    numbered_calls = _numbered_calls(planned)
    return [
        _context_of(numbered_calls.get(number), liveness, pools_in(planned.operation))
        for number in range(len(calls))
    ]


def _clone(module: ModuleOp, calls: Sequence[CallOp]) -> ir.Module:
    """Return a copy of the module in which the calls are numbered."""
    i64 = ir.IntegerType.get_signless(64)
    for number, call in enumerate(calls):
        call.attributes[CALL_NUMBER] = ir.IntegerAttr.get(i64, number)
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    for call in calls:
        del call.attributes[CALL_NUMBER]
    return ir.Module.parse(bytecode.getvalue())


def _numbered_calls(module: ModuleOp) -> Mapping[int, CallOp]:
    """Return the calls by their numbers; a call whose result is unused has been removed."""
    return {
        ir.IntegerAttr(op.attributes[CALL_NUMBER]).value: op
        for op in ops_of(module, CallOp)
        if CALL_NUMBER in op.attributes
    }


def _reserve(call: CallOp, pool: str, size: int, module: ModuleOp) -> None:
    """Insert a buffer that is live while the call runs."""
    byte = ir.IntegerType.get_signless(8)
    type_ = ir.MemRefType.get([size], byte, memory_space=SpaceAttr.get([pool]))
    with call.location, ir.InsertionPoint(call):
        buffer = AllocOp(type_)
        buffer.operation.attributes[_RESERVED] = ir.UnitAttr.get()
        users = [
            CallOp([], _user_of(module, device_of(call), pool), [], [buffer.memref])
            for _ in range(2)
        ]
        users[1].operation.move_after(call.operation)


def _user_of(module: ModuleOp, device: str, pool: str) -> str:
    """Return an intrinsic of a device that writes to a pool, declared where needed."""
    name = f"{device}.reserve_{pool}"
    if name not in ir.SymbolTable(module.operation):
        operand = OperandAttr.get("bytes", "out", (pool,), 1)
        with module.location, ir.InsertionPoint.at_block_begin(module.body):
            IntrinsicOp(name, device, "reserve", ir.ArrayAttr.get([operand]))
    return name


def _context_of(call: CallOp | None, liveness: Liveness, pools: Mapping[str, Pool]) -> CallContext:
    ticks = [tick for tick, op in enumerate(liveness.ops) if op == call]
    free = {
        name: max(0, pool.usable - _taken(name, ticks, liveness))
        for name, pool in pools.items()
        if pool.usable is not None
    }
    operands = () if call is None else call.operands
    return CallContext(free, tuple(_pool_of(operand, liveness) for operand in operands))


def _pool_of(operand: ir.Value, liveness: Liveness) -> str | None:
    roots = liveness.aliases[operand]
    return next(
        (planned_placement(liveness.buffers[number]).pool for number in sorted(roots)), None
    )


def _taken(pool: str, ticks: Iterable[int], liveness: Liveness) -> int:
    """Return the live bytes of the pool at the program point (of `ticks`) that has the most."""
    sizes = [
        (bytes_of(root.type), lifetime)
        for root, lifetime in zip(liveness.buffers, liveness.lifetimes, strict=True)
        if planned_placement(root).pool == pool and not _is_reserved(root)
    ]
    return max((sum(s for s, life in sizes if _is_live(life, tick)) for tick in ticks), default=0)


def _is_live(lifetime: Iterable[Interval], tick: int) -> bool:
    return any(start <= tick < end for start, end in lifetime)


def _is_reserved(root: UnderlyingBuffer) -> bool:
    return root.op is not None and _RESERVED in root.op.attributes
