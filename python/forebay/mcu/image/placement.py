"""The placement of each pool in a memory of the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forebay.mcu.board import Board, BoardMemory
from forebay.mcu.errors import McuError
from forebay.mcu.image.linker_script import LinkerRegion
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming
from forebay.pools import PoolKind


@dataclass(frozen=True)
class PlacedPool:
    """A pool in a memory: its linker section, and the symbol of its bytes.

    A pool at a constant base has a symbol only if its constants are programmed there.
    """

    pool: PlannedPool
    memory: BoardMemory
    section: str
    symbol: str | None

    @property
    def size(self) -> int:
        """Bytes that the image must have for it; an empty pool is one byte, because C needs one."""
        return max(self.pool.size - (self.pool.start if self.pool.is_mapped else 0), 1)

    @property
    def is_in_image(self) -> bool:
        """Return whether its bytes are in memory when the board starts."""
        return self.pool.is_rom or self.pool.is_programmed

    @property
    def address(self) -> int | None:
        """The address of its first byte if the target fixes it, else None."""
        return None if self.pool.base is None else self.pool.base + self.pool.start

    @property
    def region(self) -> LinkerRegion:
        """The region for the linker script."""
        pool = self.pool
        title = f"pool '{pool.name}' {self.size:,}"
        return LinkerRegion(
            self.section,
            self.memory,
            title,
            pool.alignment,
            is_rom=self.is_in_image,
            address=self.address,
            size=self.size,
            guard=self.symbol if is_guarded(self.pool) else None,
        )


def is_guarded(pool: PlannedPool) -> bool:
    """Return whether there are bytes around a pool by which writes outside of it are found."""
    return not (pool.is_constant or pool.is_mapped)


def place(
    model: ModelInfo, naming: Naming, board: Board, requested: Mapping[str, str]
) -> tuple[PlacedPool, ...]:
    """Place every pool: as `requested` (pool to memory) says, else in the first home with room.

    A pool with the name of a memory is placed there. A pool that fits into none of its homes is put
    into the last one, and the linker reports the missing bytes. A pool at a constant base is in the
    memory with that address. Raises `McuError` for an unknown pool or memory.
    """
    _check(model, board, requested)
    free = {memory.name: memory.size - memory.kept for memory in board.memories}
    placed = [_at_base(pool, naming, board, requested) for pool in model.mapped_pools]
    for it in placed:
        free[it.memory.name] -= it.size
    movable = [pool for pool in model.pools if not pool.is_mapped]
    for pool in sorted(movable, key=lambda pool: pool.name not in requested):
        homes = _homes(pool, board)
        name = requested.get(pool.name) or _first_with_room(pool, homes, free)
        free[name] -= pool.size + pool.alignment
        placed.append(
            PlacedPool(pool, board.memory(name), _section(pool, naming), _symbol(pool, naming))
        )
    order = [pool.name for pool in model.pools]
    return tuple(sorted(placed, key=lambda it: order.index(it.pool.name)))


def _at_base(
    pool: PlannedPool, naming: Naming, board: Board, requested: Mapping[str, str]
) -> PlacedPool:
    """Return the placement of a pool whose address is a constant in the code."""
    name = naming.pools[pool.name]
    begin, end = (pool.base or 0) + pool.start, (pool.base or 0) + pool.size
    memory = next((m for m in board.memories if m.holds(begin, end - begin)), None)
    where = f"pool '{pool.name}' is at [{begin:#010x}, {end:#010x})"
    if memory is None:
        known = ", ".join(f"{m.name} [{m.address:#010x}, {m.end:#010x})" for m in board.memories)
        raise McuError(f"{where}, in none of the memories of {board.name}: {known}")
    if requested.get(pool.name, memory.name) != memory.name:
        raise McuError(
            f"--pool {pool.name}={requested[pool.name]}: {where} of '{memory.name}' by its target; "
            "give it another base there, or none"
        )
    section = f"{'.rodata' if pool.is_programmed else '.noinit'}.at.{name}"
    return PlacedPool(pool, memory, section, image_symbol(name) if pool.is_programmed else None)


def image_symbol(pool: str) -> str:
    """Return the name of the array in `main.c` with a pool's constants outside of the network."""
    return f"image_of_{pool}"


def _homes(pool: PlannedPool, board: Board) -> tuple[str, ...]:
    """Return the memories to try; constants that are loaded at run time need writable memory."""
    same_name = tuple(memory.name for memory in board.memories if memory.name == pool.name)
    kind = PoolKind.workspace if pool.is_constant and not pool.is_rom else pool.kind
    return same_name or board.homes[kind]


def _first_with_room(pool: PlannedPool, homes: Sequence[str], free: Mapping[str, int]) -> str:
    needed = pool.size + pool.alignment
    return next((name for name in homes if free[name] >= needed), homes[-1])


def _check(model: ModelInfo, board: Board, requested: Mapping[str, str]) -> None:
    pools = [pool.name for pool in model.pools]
    memories = [memory.name for memory in board.memories]
    for pool, memory in requested.items():
        if pool not in pools:
            raise McuError(
                f"--pool {pool}={memory}: '{model.name}' has no pool '{pool}'; "
                f"pools: {', '.join(pools) or 'none'}"
            )
        if memory not in memories:
            raise McuError(
                f"--pool {pool}={memory}: {board.name} has no memory '{memory}'; "
                f"memories: {', '.join(memories)}"
            )


def _section(pool: PlannedPool, naming: Naming) -> str:
    """Return the section that the target names, else one that the compiler gives the right type."""
    if pool.section is not None:
        return pool.section
    name = naming.pools[pool.name]
    return f".rodata.pool.{name}" if pool.is_rom else f".noinit.{name}"


def _symbol(pool: PlannedPool, naming: Naming) -> str:
    name = naming.pools[pool.name]
    return f"{naming.prefix}_{name}" if pool.is_rom else name
