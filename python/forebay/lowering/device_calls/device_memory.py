"""Memories inside devices for the references in LLVM: globals, and addresses as pointers."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref

from forebay.ir.machine.devices import devices_with_handles
from forebay.ir.machine.pools import pool_ops, pools_in
from forebay.ir.refused import RefusedError


def handle_numbers(module: ir.Operation) -> dict[str, int]:
    """Return the number, from 1, that is the handle of each device with a handle in references."""
    return {name: number for number, name in enumerate(devices_with_handles(module), 1)}


class DeviceMemory:
    """The memories inside a module's devices, each built in `block` when a reference needs it."""

    def __init__(self, module: ir.Operation, block: ir.Block) -> None:
        self._block = block
        self._pools = pools_in(module)
        self._ops = {op.sym_name.value: op for op in pool_ops(module)}
        self._numbers = handle_numbers(module)
        self._made: dict[str, ir.MemRefType] = {}

    def pointer(self, address: ir.Value, pools: Sequence[str]) -> ir.Value:
        """Return the pointer for an address, an i32, in the first of the pools that contains it."""
        from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

        *others, last = pools
        found = self._pointer_into(last, address)
        i32 = ir.IntegerType.get_signless(32)
        for name in reversed(others):
            pool = self._pools[name]
            row = arith.subi(address, arith.constant(i32, _signed(pool.base or 0)))
            rows = arith.constant(i32, -(-self._size(name) // pool.unit))
            is_there = arith.cmpi(arith.CmpIPredicate.ult, row, rows)
            found = arith.select(is_there, self._pointer_into(name, address), found)
        return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), found)

    def refuse_shared(self, pools: Sequence[str], origin: ir.OpView) -> None:
        """Refuse an address that is in several memories when no handle says which one is meant."""
        if len({self._pools[name].base or 0 for name in pools}) < len(pools):
            raise RefusedError(
                origin.location,
                f"an address of pools {', '.join(f'@{name}' for name in pools)} is in several of "
                "them, but the C function does not get the device that is meant; give the devices "
                "handles",
            )

    def select(
        self, device: str, handle: ir.Value, pointer: ir.Value, otherwise: ir.Value
    ) -> ir.Value:
        """Return `pointer` if a handle, which is a number, is this device's, else `otherwise`."""
        from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

        i64 = ir.IntegerType.get_signless(64)
        number = arith.constant(i64, self._numbers[device])
        is_own = arith.cmpi(arith.CmpIPredicate.eq, llvm.ptrtoint(i64, handle), number)
        return llvm.select(is_own, pointer, otherwise)

    def _pointer_into(self, name: str, address: ir.Value) -> ir.Value:
        i64, pool = ir.IntegerType.get_signless(64), self._pools[name]
        memory = memref.get_global(self._global(name), self._symbol(name))
        start = arith.index_cast(i64, memref.extract_aligned_pointer_as_index(memory))
        row = arith.subi(arith.extui(i64, address), arith.constant(i64, pool.base or 0))
        return arith.addi(start, arith.muli(row, arith.constant(i64, pool.unit)))

    def _global(self, name: str) -> ir.MemRefType:
        if name not in self._made:
            i8 = ir.IntegerType.get_signless(8)
            type_ = self._made[name] = ir.MemRefType.get([self._size(name)], i8)
            with ir.InsertionPoint.at_block_begin(self._block):
                memref.GlobalOp(
                    self._symbol(name),
                    ir.TypeAttr.get(type_),
                    sym_visibility="private",
                    initial_value=ir.UnitAttr.get(),
                    alignment=64,
                )
        return self._made[name]

    def _symbol(self, name: str) -> str:
        return f"memory.{name}"

    def _size(self, name: str) -> int:
        op = self._ops[name]
        if op.capacity is not None:
            return op.capacity.value
        return 0 if op.certificate is None else op.certificate.peak


def _signed(value: int) -> int:
    """Return the signed i32 with these 32 bits."""
    return value - (1 << 32) if value >= 1 << 31 else value
