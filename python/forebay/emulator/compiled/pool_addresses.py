"""Addresses of compiled code: pools of the host by pointers, pools inside devices by rows.

Only calls of devices are checked, not what compiled code does on the host. So each pool is one
buffer, and a host pool counts as completely written by the host. A workspace inside a device is
unwritten until a transfer or an intrinsic writes it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from mlir import ir

from forebay.emulator.interpreter.pools import pool_size_of, rules_of
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.ir.machine.pools import pool_of, pool_ops
from forebay.pools import PoolKind

_BYTE = np.dtype(np.uint8)


@dataclass(frozen=True)
class PoolAddress:
    """The byte at `offset` of a pool."""

    memory: EmulatedMemory
    buffer: EmulatedBuffer
    offset: int

    @property
    def bytes_left(self) -> int:
        """Return the number of bytes from here to the end of the pool."""
        return self.memory.size - self.offset

    @property
    def pointer(self) -> int:
        """Return the address of the byte in this process."""
        return self.memory.pointer + self.offset

    def __str__(self) -> str:
        return self.memory.place(self.offset)

    def bytes(self, first: int, shape: Sequence[int], strides: Sequence[int] = (1,)) -> MemoryView:
        """Return a view of bytes that begins `first` bytes after this one."""
        at = self.offset + first
        return MemoryView(self.buffer, at, tuple(shape), tuple(strides), _BYTE, at)


class PoolAddresses:
    """The pools of a module; the code accesses those of the host at addresses in this process.

    `memory` maps a pool to its address and size; the machine allocates pools inside devices itself.
    """

    def __init__(
        self, module: ir.Operation, memory: Mapping[str, tuple[int, int]], machine: Machine
    ) -> None:
        self._machine = machine
        self._begins: dict[str, PoolAddress] = {}
        self._own: list[EmulatedMemory] = []
        host = machine.points.outside("the host")
        for op in pool_ops(module):
            pool = pool_of(op)
            name, rules = pool.name, rules_of(pool)
            if rules.is_local:
                found = machine.add_memory(f"@{name}", pool_size_of(op), rules)
                if pool.kind is PoolKind.workspace:
                    self._own.append(found)
            elif name in memory:
                address, size = memory[name]
                data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
                found = machine.add_memory(f"@{name}", size, rules, data)
            else:
                continue  # the code allocates no memory for this pool
            self._begins[found.name] = self._whole(found, host)

    def _whole(self, memory: EmulatedMemory, host: ProgramPoint) -> PoolAddress:
        buffers = self._machine.buffers
        buffer = buffers.allocate("the pool", memory.number, 0, memory.size, lasting=True)
        place = PoolAddress(memory, buffer, 0)
        if not memory.rules.is_local:
            self._machine.fill(place.bytes(0, (memory.size,)), host)
        return place

    def begin_run(self) -> None:
        """Mark the workspaces inside devices as unwritten."""
        for memory in self._own:
            memory.clear(self._machine.poison)

    def at_pointer(self, pointer: int) -> PoolAddress | None:
        """Return the address in a host pool, or None if the pointer is in no pool."""
        for begin in self._begins.values():
            offset = pointer - begin.memory.pointer
            if not begin.memory.rules.is_local and 0 <= offset < begin.memory.size:
                return PoolAddress(begin.memory, begin.buffer, offset)
        return None

    def at_address(self, address: int, pools: Sequence[str]) -> PoolAddress | None:
        """Return the address inside a device, preferably in one of `pools`, or None."""
        found = [place for begin in self._begins.values() if (place := _row(begin, address))]
        expected = [place for place in found if place.memory.name in pools]
        others = [place for place in found if not place.memory.rules.is_register]
        return next(iter(expected or others), None)


def _row(begin: PoolAddress, address: int) -> PoolAddress | None:
    rules = begin.memory.rules
    offset = (address - rules.base) * rules.unit
    if not rules.is_local or not 0 <= offset < begin.memory.size:
        return None
    return PoolAddress(begin.memory, begin.buffer, offset)
