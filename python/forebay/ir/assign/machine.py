"""What the module says about its memory, looked up once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from forebay.dialects.memref_pool import PoolKind
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import DeclaredPool, pools_in


@dataclass(frozen=True)
class ModuleMemory:
    """The pools, the host, and whether ports that list no candidates live in pools (`pooled`)."""

    pools: Mapping[str, DeclaredPool]
    host: str
    pooled: bool

    def reads(self, kind: PoolKind) -> bool:
        """Return whether the host reads any pool of the kind, and so can copy from there."""
        return any(p.kind is kind and p.lets_read(self.host) for p in self.pools.values())


def module_memory_of(module: ir.Operation, *, pooled: bool) -> ModuleMemory:
    """Read the module's symbols."""
    return ModuleMemory(pools_in(module), host_of(module), pooled)
