"""memref-pool-adopt: turn the allocations of bufferization into buffers of pools."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects import func, memref

from forebay.dialects import accel, memref_pool
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.access_constraints import AccessConstraints
from forebay.ir.memory.block_copies import BlockCopy, block_copies_in, copy_of
from forebay.ir.memory.operands import check_operand
from forebay.ir.nested import memory_ops_in, ops_nested_in
from forebay.ir.views.queries import view_kind_of
from forebay.ir.views.rules import ViewKind
from forebay.passes._pass import Pass, PassError
from forebay.pools import Pool, PoolKind

_MACHINE = (
    accel.DeviceOp,
    accel.IntrinsicOp,
    accel.QueueOp,
    accel.TransferOp,
    memref_pool.PoolOp,
)
"""The declarations of a machine."""


class MemrefPoolAdopt(Pass):
    """Turn every `memref.alloc` and `memref.alloca` into a `memref_pool.alloc`, and drop deallocs.

    A copy of a buffer into itself is dropped, too: the store of a variable that is already in its
    place.

    This is also the verification pass after bufferization. It refuses buffers without candidate
    pools, dynamic shapes, results that are memrefs, copies between pools that the program does not
    ask for, operands that no candidate pool suits, and operands that an intrinsic cannot get as a
    pointer. `accel-lower-copies` checks copies into and out of devices.
    """

    name: ClassVar[str] = "memref-pool-adopt"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool",)

    def run(self, op: ir.Operation) -> None:
        """Rewrite the allocations in place, then check every operand."""
        _move_constants_back(op)
        pools = pools_in(op)
        for inner in ops_nested_in(op):
            _adopt(inner, pools)
        host = host_of(op)
        moved = {
            inner for copy in block_copies_in(op) if _is_moved(copy, pools) for inner in copy.ops
        }
        constraints = AccessConstraints(op)
        for inner in memory_ops_in(op):
            if inner in moved:
                continue
            for constraint in constraints.of(inner):
                check_operand(constraint, pools, host)


def _move_constants_back(module: ir.Operation) -> None:
    """Move the constants that bufferization made first after the machine's declarations.

    Later passes look these up by name for each command, from the beginning of the module.
    """
    first, *others = module.regions[0].blocks[0].operations
    if isinstance(first, memref.GlobalOp):
        for op in others:
            if isinstance(op, _MACHINE):
                op.operation.move_before(first.operation)


def _adopt(op: ir.OpView, pools: Mapping[str, Pool]) -> None:
    match op:
        case memref.AllocOp() | memref.AllocaOp():
            _replace(op, pools)
        case memref.DeallocOp():
            op.erase()
        case memref.GlobalOp():
            _check_global(op, pools)
        case func.FuncOp():
            _check_function(op, pools)
        case memref.CopyOp():
            _check_copy(op, pools)
        case memref_pool.CopyOp() if op.source == op.target:
            op.erase()
        case memref.MemorySpaceCastOp():
            _check_cast(op)
        case func.CallIndirectOp():
            _check_call(op)
        case _:
            pass


def _replace(op: memref.AllocOp | memref.AllocaOp, pools: Mapping[str, Pool]) -> None:
    """Replace an allocation and keep its alignment; a `memref.alloca` then ends at its last use."""
    type_ = ir.MemRefType(op.memref.type)
    if not type_.has_static_shape:
        raise PassError(
            op.location,
            f"buffer of type {type_} has a dynamic shape, which needs a bound to be planned; "
            "give the shape when compiling",
        )
    _check_space(type_, op.location, "buffer", pools)
    if any(pools[name].kind is PoolKind.constant for name in candidates_of(type_)):
        raise PassError(
            op.location,
            f"buffer of type {type_} is written at run time, but has a pool of constants as a "
            "candidate; leave that pool out",
        )
    with ir.InsertionPoint(op), op.location:
        buffer = memref_pool.AllocOp(type_, alignment=op.alignment)
    op.memref.replace_all_uses_with(buffer.memref)
    op.erase()


def _check_global(op: memref.GlobalOp, pools: Mapping[str, Pool]) -> None:
    _check_space(op.type_.value, op.location, f"@{op.sym_name.value}", pools)


def _check_function(function: func.FuncOp, pools: Mapping[str, Pool]) -> None:
    if any(_is_memref(result) for result in function.type.results):
        raise PassError(
            function.location,
            f"@{function.sym_name.value} returns memory; run buffer-results-to-out-params with "
            "modify-public-functions first",
        )
    for index, type_ in enumerate(function.type.inputs):
        if candidates_of(type_):
            _check_space(type_, function.location, f"argument {index}", pools)


def _is_moved(copy: BlockCopy, pools: Mapping[str, Pool]) -> bool:
    """Return whether a transfer must make the copy, because one side of it is inside a device."""
    sides = (copy.source.memory.type, copy.target.memory.type)
    return any(pools[name].local for type_ in sides for name in candidates_of(type_))


def _check_copy(op: memref.CopyOp, pools: Mapping[str, Pool]) -> None:
    """Check that only an operator that assembles its result from parts copies between pools.

    Such an operator inserts a slice, for example. `accel-lower-copies` checks copies into and out
    of devices.
    """
    source, target = _spaces(op.source.type, op.target.type)
    copy = copy_of(op)
    if source == target or (copy is not None and _is_moved(copy, pools)):
        return
    if not _is_part(op.target):
        raise PassError(
            op.location,
            f"bufferization made a copy between pools, from {source} to {target}; "
            "a copy that is meant is a memref_pool.copy",
        )
    with ir.InsertionPoint(op), op.location:
        memref_pool.CopyOp(None, op.source, op.target)
    op.erase()


def _is_part(value: ir.Value) -> bool:
    is_argument = isinstance(value.owner, ir.Block)
    return not is_argument and view_kind_of(value.owner.opview) is ViewKind.PART


def _check_cast(op: memref.MemorySpaceCastOp) -> None:
    source, target = _spaces(op.source.type, op.dest.type)
    if source != target:
        raise PassError(
            op.location,
            f"a cast moves no bytes from {source} to {target}; use memref_pool.copy",
        )


def _check_call(op: func.CallIndirectOp) -> None:
    if any(_is_memref(value.type) for value in (*op.operands, *op.results)):
        raise PassError(
            op.location,
            "the function that this calls with memory is unknown; call it by its symbol",
        )


def _check_space(
    type_: ir.Type, location: ir.Location, what: str, pools: Mapping[str, Pool]
) -> None:
    names = candidates_of(type_)
    if not names:
        raise PassError(
            location,
            f"{what} of type {type_} has no candidate pools; run memref-pool-assign before "
            "bufferization",
        )
    for name in names:
        if name not in pools:
            raise PassError(
                location,
                f"{what} names the pool @{name}, which is not in the module; it has "
                f"{_listed(pools) or 'none'}",
            )


def _spaces(*types: ir.Type) -> list[str]:
    """Return the candidate pools of memrefs as text, or "the caller's memory"."""
    return [_listed(candidates_of(type_)) or "the caller's memory" for type_ in types]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"@{name}" for name in names)


def _is_memref(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType)
