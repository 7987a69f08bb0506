"""Which variables become rings: those that save instructions, and for which memory has room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mlir import ir
from mlir.dialects import memref
from mlir.dialects.builtin import ModuleOp

from forebay.ir.machine.pools import bytes_of, candidates_of, element_bytes, pools_in
from forebay.ir.module import ops_in_body
from forebay.lowering.rings.found import RingWindow, common_period

_POSITION_BYTES = 4
_LONGEST_PERIOD = 2**30
"""The position is a number of 32 bits."""
_MOVED_IN_WORDS = 32
"""Bytes. Fewer are moved by the C library, one after the other on small processors."""
_REPAYS_DIVISION = 44
"""Bytes. Moving so many in words takes as many instructions as two remainders of a division.

On a Cortex-M4, portable C with a ring of 9 or 10 rows takes 11 and 9 instructions more than a move
of 35 and 39 bytes; 14 and 27 fewer than one of 44 and 48 bytes, and 161 fewer than one of 31 bytes.
"""


def chosen_rings(rings: Iterable[RingWindow], module: ModuleOp) -> list[RingWindow]:
    """Return the windows of a function whose variables are rings, in the same order.

    The move that a ring saves has to be longer than what the position costs. Weights that are
    stored twice, and the position, need room in their pools, beside all other variables and
    constants.
    """
    room = _Room(module)
    chosen: list[RingWindow] = []
    for ring in rings:
        is_short = common_period([*chosen, ring]) <= _LONGEST_PERIOD
        needed = [*_repeated(ring), *([] if chosen else [_position_of(ring)])]
        if _saves(ring) and is_short and room.take(needed):
            chosen.append(ring)
    return chosen


def _saves(ring: RingWindow) -> bool:
    """Return whether the move takes more instructions than the position of the ring."""
    type_ = ir.MemRefType(ring.window.alloc.memref.type)
    moved = ring.window.span * element_bytes(type_.element_type)
    is_power_of_two = ring.period & (ring.period - 1) == 0
    return is_power_of_two or not _MOVED_IN_WORDS <= moved < _REPAYS_DIVISION


def _repeated(ring: RingWindow) -> Iterator[_Needed]:
    """Yield the rows of weights that a ring needs in addition."""
    for reader in ring.readers:
        type_ = ir.MemRefType(reader.kernel.inputs[reader.weights].type)
        size = bytes_of(type_) // ring.rows * (ring.rows - ring.new)
        yield _Needed(size, candidates_of(type_))


def _position_of(ring: RingWindow) -> _Needed:
    return _Needed(_POSITION_BYTES, candidates_of(ring.window.store.target.type))


class _Needed(NamedTuple):
    """Bytes that are needed in one of several pools."""

    size: int
    pools: tuple[str, ...]


class _Room:
    """The free bytes of pools of a limited size."""

    def __init__(self, module: ModuleOp) -> None:
        self._pools = pools_in(module.operation)
        self._free = {
            name: pool.usable for name, pool in self._pools.items() if pool.usable is not None
        }
        for op in ops_in_body(module, memref.GlobalOp):
            type_ = ir.MemRefType(ir.TypeAttr(op.type_).value)
            self._reserve(_Needed(bytes_of(type_), candidates_of(type_)))

    def take(self, needed: Iterable[_Needed]) -> bool:
        """Take bytes for a ring and return True, or return False if they are not free.

        They are taken in all candidate pools, since the plan may choose any of them.
        """
        before = dict(self._free)
        for each in needed:
            self._reserve(each)
        if all(self._free[name] >= 0 for name, own in before.items() if self._free[name] != own):
            return True
        self._free = before
        return False

    def _reserve(self, needed: _Needed) -> None:
        for name in needed.pools:
            if name in self._free:
                align = self._pools[name].alignment
                self._free[name] -= -(-needed.size // align) * align
