"""Pools of a target, and registers of its devices, with the lines that describe them."""

from __future__ import annotations

from typing import Literal, TypeVar

from forebay import pools
from forebay.pools import DEFAULT_ALIGNMENT, ByteRange, Fill, PoolKind
from forebay.support.records import record
from forebay.targets.description.errors import TargetError
from forebay.targets.description.source_location import DescribedObject
from forebay.targets.description.symbol_names import symbol_of

Enumeration = TypeVar("Enumeration", PoolKind, Fill)


@record
class Pool(pools.Pool, DescribedObject):
    """A named memory pool of a target: `forebay.pools.Pool`, which documents the properties.

    Kinds and fills may be written as text: `Pool("l2", "workspace", 65536)`. Ranges in `reserved`
    may be pairs `(start, end)`. `alignment` is 16 bytes if it is not given. Raises `TargetError`
    for a kind, a fill or a range that does not exist.
    """

    kind: PoolKind | Literal["workspace", "constant", "state"] = PoolKind.workspace  # pyright: ignore[reportIncompatibleVariableOverride]
    alignment: int = DEFAULT_ALIGNMENT
    reserved: tuple[tuple[int, int], ...] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    fill: Fill | Literal["rom", "at_init", "by_host"] = Fill.rom  # pyright: ignore[reportIncompatibleVariableOverride]

    def __post_init__(self) -> None:
        DescribedObject.__post_init__(self)
        object.__setattr__(self, "kind", self._member(PoolKind, "kind", self.kind))
        object.__setattr__(self, "fill", self._member(Fill, "fill", self.fill))
        object.__setattr__(self, "reserved", tuple(map(self._range, self.reserved)))

    def _member(self, type_: type[Enumeration], what: str, value: object) -> Enumeration:
        if isinstance(value, type_):
            return value
        if value not in type_.__members__:
            raise TargetError(
                f"pool '{self.name}' has the {what} '{value}'; it is one of "
                f"{', '.join(type_.__members__)}",
                self.place,
            )
        return type_[str(value)]

    def _range(self, bounds: tuple[int, int]) -> ByteRange:
        try:
            start, end = bounds
        except (TypeError, ValueError):
            raise TargetError(
                f"pool '{self.name}' has the reserved range {bounds!r}; a range is (start, end)",
                self.place,
            ) from None
        return ByteRange(start, end)


@record
class Register(DescribedObject):
    """A register of a device: `capacity` bytes inside it that instructions set and use by name.

    Examples are the weights that an array keeps, or a configuration. A register holds one value at
    a time. It has no address: the C functions do not get the operands that are in it. An intrinsic
    lists the registers that it `sets` and `needs`. In a module it is the pool `<device>.<name>`.
    """

    name: str
    capacity: int

    def pool(self, device: str) -> Pool:
        """Return the pool that the register of a device is in a module."""
        pool = Pool(
            symbol_of(device, self.name),
            capacity=self.capacity,
            alignment=1,
            unit=self.capacity,
            local=True,
            is_register=True,
            readers=(device,),
            writers=(device,),
        )
        object.__setattr__(pool, "place", self.place)
        return pool
