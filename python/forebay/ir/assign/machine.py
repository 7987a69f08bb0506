"""The memory of a module, read once."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from msgspec import Struct

from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.access_constraints import AccessConstraints
from forebay.pools import Pool, PoolKind


class ModuleMemory(Struct, frozen=True):
    """The pools, the host, and whether ports without listed candidates are in pools (`pooled`).

    `constraints` are those of the ops of the module.
    """

    pools: Mapping[str, Pool]
    host: str
    pooled: bool
    constraints: AccessConstraints

    def reads(self, kind: PoolKind) -> bool:
        """Return whether the host can read, and so copy from, a pool of the kind."""
        return any(p.kind is kind and p.lets_read(self.host) for p in self.pools.values())


def module_memory_of(module: ir.Operation, *, pooled: bool) -> ModuleMemory:
    """Return the memory that the module's symbols declare."""
    return ModuleMemory(pools_in(module), host_of(module), pooled, AccessConstraints(module))
