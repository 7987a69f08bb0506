"""The kinds of pools, and the ways in which their constants get there.

The values are those of the attributes of the dialect `memref_pool`, which uses these classes.
"""

from __future__ import annotations

from enum import IntEnum


class _Named(IntEnum):
    """An enumeration whose members are printed by name, as in IR."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


class PoolKind(_Named):
    """The contents of a pool: bytes that buffers reuse, constants, or state that outlives a run."""

    workspace = 0
    constant = 1
    state = 2


class Fill(_Named):
    """The way in which a constant pool gets its bytes.

    They are in the image (`rom`), a generated function copies them there before the first run
    (`at_init`), or the application does (`by_host`).
    """

    rom = 0
    at_init = 1
    by_host = 2
