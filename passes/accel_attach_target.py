"""accel-attach-target: the target's devices and pools become symbols of the module."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay import targets
from forebay.dialects import accel, memref_pool
from forebay.ir.module import module_of
from forebay.passes._pass import Pass, PassError, option


@dataclass(frozen=True)
class AccelAttachTarget(Pass):
    """Write the target's devices and pools into the module.

    Every later pass reads them from there and knows no target by name. A module that brings a
    symbol of the same name is refused.
    """

    name: ClassVar[str] = "accel-attach-target"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")

    target: str = option("host", "name of the target")

    def run(self, op: ir.Operation) -> None:
        """Insert `accel.device` and `memref_pool.pool` operations at the module's beginning."""
        try:
            target = targets.load(self.target)
        except targets.TargetError as error:
            raise PassError(op.location, str(error)) from error
        module = module_of(op)
        _refuse_taken_names(module, target)
        with ir.InsertionPoint.at_block_begin(module.body):
            for device in target.devices:
                accel.DeviceOp(device.name, device.kind)
            for pool in target.pools:
                _declare(pool)


def _refuse_taken_names(module: ModuleOp, target: targets.Target) -> None:
    symbols = ir.SymbolTable(module.operation)
    for entry in (*target.devices, *target.pools):
        if entry.name in symbols:
            taken = symbols[entry.name]
            raise PassError(
                taken.location,
                f"target '{target.name}' brings the symbol @{entry.name}, which the module has "
                "already; rename it or attach the target once",
            )


def _declare(pool: targets.Pool) -> None:
    memref_pool.PoolOp(
        pool.name,
        memref_pool.PoolKind[pool.kind],
        capacity=pool.capacity,
        alignment=pool.alignment,
        reserved=[bound for reserved in pool.reserved for bound in reserved] or None,
        section=pool.section,
        readers=pool.readers,
        writers=pool.writers,
    )
