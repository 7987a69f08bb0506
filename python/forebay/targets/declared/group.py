"""Declared intrinsics that compute one operator together: all of a reduction, or parts of it.

operands of a fully connected layer     call
x weights bias            -> y          all of the depth
x weights bias            -> sums       the first part: the bias, and sums that are kept
x weights sums            -> sums       a part between
x weights sums            -> y          the last part
sums                      -> y          the end: nothing is added to the sums

A device computes all at once and in parts, with sums only where a reduction is cut; or always into
sums, which the end requantises, perhaps while it moves them out of the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from forebay.computations.computation import Computation
from forebay.computations.layout import OperandLayout
from forebay.targets.description.device import Device
from forebay.targets.description.errors import TargetError
from forebay.targets.description.intrinsic import Intrinsic, Operand
from forebay.tiling import TileLimit


class ReductionPart(Enum):
    """The part of a reduction that a call computes."""

    whole = "the whole reduction"
    first = "the first part"
    middle = "a part between"
    last = "the last part"
    end = "the result of finished sums"


@dataclass(frozen=True, eq=False)
class IntrinsicGroup:
    """The intrinsics of a device that share a computation, by the part that each computes."""

    device: Device
    computation: Computation
    parts: Mapping[ReductionPart, Intrinsic]

    @property
    def main(self) -> Intrinsic:
        """The intrinsic that the operator's call and pattern are named after."""
        return self.parts.get(ReductionPart.whole) or self.parts[ReductionPart.first]

    @cached_property
    def operands(self) -> Mapping[str, Operand]:
        """The operands of an operator: those of all parts, without sums."""
        return {
            operand.name: operand
            for intrinsic in self._in_order
            for operand in reversed(intrinsic.operands)
            if operand.name != self.computation.sums
        }

    @cached_property
    def layouts(self) -> Mapping[str, OperandLayout]:
        """The layout of each operand, sums included."""
        return {
            operand.name: intrinsic.layout_of(operand.name)
            for intrinsic in self._in_order
            for operand in intrinsic.operands
        }

    @cached_property
    def scalars(self) -> frozenset[str]:
        """The scalars that any part takes."""
        return frozenset(name for part in self.parts.values() for name in part.scalars)

    @cached_property
    def cuts_reduction(self) -> bool:
        """Return whether there are intrinsics for the parts of a reduction."""
        return ReductionPart.first in self.parts

    def limit_of(self, dimension: str) -> TileLimit:
        """Return the limit of a dimension; one that calls do not take is cut to single points."""
        limit = self.main.limits.get(dimension, TileLimit())
        assert isinstance(limit, TileLimit)
        return limit if dimension in self.main.scalars else TileLimit(most=1)

    def setter_of(self, operand: Operand) -> Intrinsic | None:
        """Return the intrinsic that sets the register which an operand is in, None for a memory.

        It has one operand beside the register, of which it takes the operand's tile. Raises
        `TargetError` if the device has no such intrinsic, or several.
        """
        registers = [register.name for register in self.device.registers]
        pools = operand.pools or ()
        if len(pools) != 1 or pools[0] not in registers:
            return None
        setters = [one for one in self.device.intrinsics if _sets(one, pools[0])]
        if len(setters) != 1:
            many = "several intrinsics" if setters else "no intrinsic"
            raise TargetError(
                f"'{self.main.name}' takes '{operand.name}' from the register '{pools[0]}', but "
                f"{many} of '{self.device.name}' can set it from one operand",
                self.main.place,
            )
        return setters[0]

    def capacity_of(self, operand: Operand) -> int:
        """Return the bytes of the register that an operand is in."""
        names = operand.pools or ()
        return next(r.capacity for r in self.device.registers if r.name in names)

    @property
    def _in_order(self) -> Sequence[Intrinsic]:
        """The parts, the one after which the others are named last."""
        others = [part for part in self.parts.values() if part is not self.main]
        return (*others, self.main)


def source_of(setter: Intrinsic) -> Operand:
    """Return the operand from which an intrinsic sets a register."""
    (source,) = (operand for operand in setter.operands if not operand.is_written)
    return source


def _sets(intrinsic: Intrinsic, register: str) -> bool:
    written = [operand for operand in intrinsic.operands if operand.is_written]
    is_only = [(o.access, o.pools) for o in written] == [("out", (register,))]
    return intrinsic.computes is None and is_only and len(intrinsic.operands) == 2


def groups_of(device: Device) -> Iterator[IntrinsicGroup]:
    """Yield the groups of a device's declared intrinsics.

    Raises `TargetError` at an intrinsic that has no place in a group.
    """
    found: dict[Computation, dict[ReductionPart, Intrinsic]] = {}
    for intrinsic in device.intrinsics:
        if intrinsic.computes is None:
            continue
        parts = found.setdefault(intrinsic.computes, {})
        part = _part_of(intrinsic, intrinsic.computes)
        if part in parts:
            raise TargetError(
                f"'{intrinsic.name}' and '{parts[part].name}' compute {part.value} of one "
                "computation; give each a computation object of its own",
                intrinsic.place,
            )
        parts[part] = intrinsic
    for computation, parts in found.items():
        _check_parts(device, computation, parts)
        yield IntrinsicGroup(device, computation, parts)


_ALONE = frozenset({ReductionPart.whole})
_IN_PARTS = frozenset(ReductionPart) - {ReductionPart.end}
_WITH_END = frozenset({ReductionPart.first, ReductionPart.middle, ReductionPart.end})


def _check_parts(
    device: Device, computation: Computation, parts: Mapping[ReductionPart, Intrinsic]
) -> None:
    """Raise `TargetError` if a device computes some parts of a reduction, but not all."""
    if frozenset(parts) == _ALONE:
        return
    expected = _WITH_END if ReductionPart.end in parts else _IN_PARTS
    (intrinsic, *_) = parts.values()
    missing = [part.value for part in ReductionPart if part in expected - set(parts)]
    if missing:
        raise TargetError(
            f"'{intrinsic.name}' computes {_part_of(intrinsic, computation).value} of a "
            f"{computation.title}, but no intrinsic of '{device.name}' with the same "
            f"computation object computes {' and '.join(missing)}",
            intrinsic.place,
        )
    for part, candidates in parts.items():
        if part not in expected:
            raise TargetError(
                f"'{candidates.name}' computes {part.value} of a {computation.title}, but "
                f"'{parts[ReductionPart.end].name}' computes {ReductionPart.end.value}; give "
                f"'{candidates.name}' a computation object of its own",
                candidates.place,
            )


def _part_of(intrinsic: Intrinsic, computation: Computation) -> ReductionPart:
    sums = [o for o in intrinsic.operands if o.name == computation.sums]
    if not sums:
        return ReductionPart.whole
    if not sums[0].is_written:
        names = {operand.name for operand in intrinsic.operands}
        is_end = names.isdisjoint(computation.reduced_operands())
        return ReductionPart.end if is_end else ReductionPart.last
    return ReductionPart.middle if sums[0].access == "inout" else ReductionPart.first
