"""The stage of a device with declared intrinsics: calls of whole operators become tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir

from forebay.device_stages import CallSite, Reserve, Stage
from forebay.device_stages.tiles import TiledOperator, lower_in_tiles, reserve_for_tiles
from forebay.dialects.accel import CallOp
from forebay.targets.declared.group import IntrinsicGroup
from forebay.targets.declared.storage import OperandStorages
from forebay.targets.declared.tiled import DeclaredOperator
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.pool import Pool


@dataclass(frozen=True, eq=False)
class DeclaredStage:
    """The stage of one device, by the name of the intrinsic of a whole operator.

    Other calls are lowered by `stage` and `reserve`, those of the device's own description.
    """

    groups: Mapping[str, tuple[IntrinsicGroup, Intrinsic]]
    pools: Sequence[Pool]
    stage: Stage | None
    reserve: Reserve | None

    def lower(self, site: CallSite) -> Sequence[ir.Value] | None:
        """Lower the call of a whole operator in tiles."""
        if _name(site.call) not in self.groups:
            return None if self.stage is None else self.stage(site)
        if not site.operand_pools:
            return None
        return lower_in_tiles(site, *self._alternatives(site.call, site.operand_pools))

    def reserved(self, call: CallOp) -> Mapping[str, int]:
        """Return the bytes to keep free for tiles in pools that other operands may be in."""
        if _name(call) not in self.groups:
            return {} if self.reserve is None else self.reserve(call)
        operator, *others = self._alternatives(call, (None,) * len(call.operands))
        moved = [o.storage for o in (*operator.inputs, *operator.outputs) if o.storage.transfer]
        shared = {pool.name for pool in self.pools if not pool.local}
        if not shared & {storage.pool for storage in moved}:
            return {}
        return reserve_for_tiles(call, operator, *others)

    def _alternatives(
        self, call: CallOp, operand_pools: Sequence[str | None]
    ) -> Sequence[TiledOperator]:
        group, whole = self.groups[_name(call)]
        names = [o.name for o in sorted(whole.operands, key=lambda operand: operand.is_written)]
        storages = OperandStorages(group, self.pools, dict(zip(names, operand_pools, strict=True)))
        return DeclaredOperator(group, whole, call, storages).alternatives()


def derived_stage_of(function: Stage | Reserve | None) -> DeclaredStage | None:
    """Return the stage that a function of a device is a method of, or None if it is another."""
    owner: object = getattr(function, "__self__", None)
    return owner if isinstance(owner, DeclaredStage) else None


def _name(call: CallOp) -> str:
    """Return the intrinsic's name on its device."""
    return call.callee.value.rpartition(".")[2]
