"""What a drawn program knows of its values while it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fuzz.programs.machine import LOCAL_POOLS

BufferSet = frozenset[int]


@dataclass(frozen=True)
class Memref:
    """A matrix of bytes: a buffer, or a view of one.

    `buffers` are those that it may be in; two values that share none share no byte. `offset` is
    None if it is known only at run time. A `pool` of None is memory of the caller.
    """

    name: str
    pool: str | None
    rows: int
    columns: int
    buffers: BufferSet
    stride: int
    offset: int | None = 0
    is_plain: bool = True
    is_written: bool = True
    """Whether the program may write it: no constant, no input."""

    @staticmethod
    def plain(
        name: str, pool: str | None, shape: tuple[int, int], buffers: BufferSet, *, is_written: bool
    ) -> Memref:
        return Memref(name, pool, *shape, buffers, shape[1], is_written=is_written)

    @property
    def type(self) -> str:
        offset = "?" if self.offset is None else self.offset
        layout = "" if self.is_plain else f", strided<[{self.stride}, 1], offset: {offset}>"
        space = "" if self.pool is None else f", #memref_pool.space<@{self.pool}>"
        return f"memref<{self.rows}x{self.columns}xi8{layout}{space}>"

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def is_local(self) -> bool:
        return self.pool in LOCAL_POOLS

    def view(self, name: str, shape: tuple[int, int], stride: int, offset: int | None) -> Memref:
        rows, columns = shape
        return replace(
            self,
            name=name,
            rows=rows,
            columns=columns,
            stride=stride,
            offset=offset,
            is_plain=False,
        )


@dataclass(frozen=True)
class Number:
    """An index in `[0, most]`."""

    name: str
    most: int


@dataclass(frozen=True)
class InFlightOperation:
    """An operation that was started: its token, and the buffers that are its own until a wait."""

    token: str
    queue: str
    reads: BufferSet
    writes: BufferSet

    def clashes(self, reads: BufferSet, writes: BufferSet) -> bool:
        return bool((reads | writes) & self.writes or writes & self.reads)
