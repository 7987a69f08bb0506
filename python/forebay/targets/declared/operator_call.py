"""The intrinsic that stands for a whole operator until it is cut into tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.computations.arranged_pointer import in_layouts
from forebay.targets.declared.group import IntrinsicGroup, source_of
from forebay.targets.description.errors import TargetError
from forebay.targets.description.intrinsic import Intrinsic, Operand
from forebay.targets.description.pool import Pool

TILED_PREFIX = "tiled_"
"""Before the name of an intrinsic, the name of the call of a whole operator."""


@dataclass(frozen=True)
class OperatorIntrinsic(Intrinsic):
    """An intrinsic that stands for a whole operator."""


def operator_intrinsic(group: IntrinsicGroup, pools: Sequence[Pool]) -> OperatorIntrinsic:
    """Return the intrinsic of a whole operator, whose operands are where transfers find them.

    Raises `TargetError` at an intrinsic with an operand that nothing moves to its pools.
    """
    names = (*group.main.operands, *group.operands.values())
    operands = {o.name: group.operands[o.name] for o in names if o.name in group.operands}
    scalars = dict.fromkeys((*group.main.scalars, *_all_scalars(group)))
    return OperatorIntrinsic(
        TILED_PREFIX + group.main.name,
        f"{group.main.symbol}_tiled",
        tuple(_outside(operand, group, pools) for operand in operands.values()),
        scalars=tuple(scalars),
        reference=in_layouts(
            group.computation.reference, {name: group.layouts[name] for name in operands}
        ),
    )


def _all_scalars(group: IntrinsicGroup) -> Sequence[str]:
    """Return the scalars of any part, and the dimensions that calls do not take."""
    dimensions = (*group.computation.parallel, *group.computation.reduction)
    return (*dimensions, *(n for n in group.computation.scalars() if n in group.scalars))


def _outside(operand: Operand, group: IntrinsicGroup, pools: Sequence[Pool]) -> Operand:
    """Return the operand of the whole operator: in host memory, or where calls take it."""
    inside = pools_of_operand(operand, group, pools)
    moved: set[str] = set()
    for transfer in group.device.transfers:
        here, there = transfer.targets, transfer.sources
        if operand.is_written:
            here, there = there, here
        if set(here) & set(inside):
            moved.update(there)
    local = {pool.name for pool in pools if pool.local}
    found = [p.name for p in pools if p.name in moved or (p.name in inside and p.name not in local)]
    if not found:
        way = "from" if operand.is_written else "to"
        raise TargetError(
            f"no transfer of '{group.device.name}' moves the operand '{operand.name}' {way} "
            f"{' or '.join(inside)}",
            group.main.place,
        )
    setter = group.setter_of(operand)
    own = operand.alignment if setter is None else source_of(setter).alignment
    alignment = 1 if local.issuperset(inside) else own
    return Operand(operand.name, operand.access, tuple(found), alignment)


def pools_of_operand(
    operand: Operand, group: IntrinsicGroup, pools: Sequence[Pool]
) -> tuple[str, ...]:
    """Return the pools that an operand of a call may be in; of one in a register, its source."""
    setter = group.setter_of(operand)
    if setter is not None:
        return pools_of_operand(source_of(setter), group, pools)
    if operand.pools is not None:
        return operand.pools
    device = group.device.name
    if operand.is_written:
        return tuple(pool.name for pool in pools if pool.lets_write(device))
    return tuple(pool.name for pool in pools if pool.lets_read(device))
