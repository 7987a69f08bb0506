"""Which memory of the board each pool lies in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forebay.codegen.model import ModelInfo, PoolInfo
from forebay.codegen.names import Naming
from forebay.mcu.board import Board, Memory
from forebay.mcu.errors import McuError
from forebay.mcu.linker_script import Region


@dataclass(frozen=True)
class Placed:
    """A pool in a memory: its linker section, and the symbol of its bytes."""

    pool: PoolInfo
    memory: Memory
    section: str
    symbol: str

    @property
    def size(self) -> int:
        """Bytes that the image must have for it; an empty pool is one byte, as C wants."""
        return max(self.pool.size, 1)

    @property
    def region(self) -> Region:
        """What the linker script says of it."""
        pool = self.pool
        title = f"pool '{pool.name}' {self.size:,}"
        return Region(self.section, self.memory, title, pool.alignment, is_rom=pool.is_rom)


def place(
    model: ModelInfo, naming: Naming, board: Board, wishes: Mapping[str, str]
) -> tuple[Placed, ...]:
    """Place every pool: where `wishes` (pool to memory) says, else in the first home with room.

    A pool that bears a memory's name lies there. One that fits into none of its homes is put into
    the last: the linker says what it lacks. Raises `McuError` for a pool or a memory that is not
    there.
    """
    _check(model, board, wishes)
    free = {memory.name: memory.size - memory.kept for memory in board.memories}
    placed: list[Placed] = []
    for pool in sorted(model.pools, key=lambda pool: pool.name not in wishes):
        homes = _homes(pool, board)
        name = wishes.get(pool.name) or _first_with_room(pool, homes, free)
        free[name] -= pool.size + pool.alignment
        placed.append(
            Placed(pool, board.memory(name), _section(pool, naming), _symbol(pool, naming))
        )
    order = [pool.name for pool in model.pools]
    return tuple(sorted(placed, key=lambda it: order.index(it.pool.name)))


def _homes(pool: PoolInfo, board: Board) -> tuple[str, ...]:
    """Constants that are put there at run time need memory that can be written."""
    namesake = tuple(memory.name for memory in board.memories if memory.name == pool.name)
    kind = "workspace" if pool.is_constant and not pool.is_rom else pool.kind
    return namesake or board.homes[kind]


def _first_with_room(pool: PoolInfo, homes: Sequence[str], free: Mapping[str, int]) -> str:
    needed = pool.size + pool.alignment
    return next((name for name in homes if free[name] >= needed), homes[-1])


def _check(model: ModelInfo, board: Board, wishes: Mapping[str, str]) -> None:
    pools = [pool.name for pool in model.pools]
    memories = [memory.name for memory in board.memories]
    for pool, memory in wishes.items():
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


def _section(pool: PoolInfo, naming: Naming) -> str:
    """The section that the target names, else one that the compiler gives the right type."""
    if pool.section is not None:
        return pool.section
    name = naming.pools[pool.name]
    return f".rodata.pool.{name}" if pool.is_rom else f".noinit.{name}"


def _symbol(pool: PoolInfo, naming: Naming) -> str:
    name = naming.pools[pool.name]
    return f"{naming.prefix}_{name}" if pool.is_rom else name
