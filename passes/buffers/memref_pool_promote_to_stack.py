"""memref-pool-promote-to-stack: small temporaries of kernels in loops are local variables."""

from collections.abc import Iterator
from typing import ClassVar

from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.machine.devices import device_of, host_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.nested import ops_of, users_of
from forebay.ir.rows.layout import is_rows
from forebay.lowering.tiles import TILE_BYTES
from forebay.passes._pass import Pass


class MemrefPoolPromoteToStack(Pass):
    """Turn a buffer of at most 16 bytes into a `memref.alloca` without a memory space.

    Upstream's `promote-buffers-to-stack` does so for a `memref.alloc` outside of the pools.
    The buffer is allocated in a loop, and only kernels of the host in the same block use it, such
    as a tile of `accel-tile-temporaries`. In C it is an array on the stack. Variables of one type
    that are not in use at the same time are one variable, since C compilers do not share their
    bytes. A pinned buffer stays in its pool.
    """

    name: ClassVar[str] = "memref-pool-promote-to-stack"
    dialects: ClassVar[tuple[str, ...]] = ("memref",)
    needs: ClassVar[tuple[str, ...]] = ("memref_pool.alloc",)

    def run(self, op: ir.Operation) -> None:
        """Replace the buffers of the whole module, block by block."""
        host = host_of(op)
        found = [alloc for alloc in ops_of(op, AllocOp) if _is_local(alloc, host)]
        variables: dict[ir.Block, list[memref.AllocaOp]] = {}
        for alloc in found:
            known = variables.setdefault(alloc.operation.block, [])
            free = next(_free(known, alloc), None)
            if free is None:
                known.append(free := _variable(alloc))
            alloc.memref.replace_all_uses_with(free.memref)
            alloc.operation.erase()


def _is_local(alloc: AllocOp, host: str) -> bool:
    type_, block = ir.MemRefType(alloc.memref.type), alloc.operation.block
    if is_rows(type_) or alloc.pinned is not None or bytes_of(type_) > TILE_BYTES:
        return False
    return isinstance(block.owner.opview, scf.ForOp) and all(
        isinstance(user, ReduceOp | linalg.GenericOp)
        and user.operation.block == block
        and device_of(user, host) == host
        for user in users_of(alloc.memref)
    )


def _free(known: list[memref.AllocaOp], alloc: AllocOp) -> Iterator[memref.AllocaOp]:
    """Yield the variables that have the type of a buffer, and are not used after its op."""
    for variable in known:
        users = users_of(variable.memref)
        if variable.memref.type == _local_type(alloc) and all(
            user.operation.is_before_in_block(alloc.operation) for user in users
        ):
            yield variable


def _variable(alloc: AllocOp) -> memref.AllocaOp:
    with ir.InsertionPoint(alloc), alloc.location:
        return memref.AllocaOp(_local_type(alloc), [], [])


def _local_type(alloc: AllocOp) -> ir.MemRefType:
    type_ = ir.MemRefType(alloc.memref.type)
    return ir.MemRefType.get(type_.shape, type_.element_type)
