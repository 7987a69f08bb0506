"""The memory pools of a target, and the devices that may read and write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from forebay.targets.description.errors import TargetError
from forebay.targets.description.source_location import DescribedObject

PoolKind = Literal["workspace", "constant", "state"]
Fill = Literal["rom", "at_init", "by_host"]


@dataclass(frozen=True)
class Pool(DescribedObject):
    """A named memory; sizes and offsets are in bytes.

    `alignment` is that of the pool's base and the default for every buffer in the pool. `base` is
    the absolute address of the pool, `start` the offset of the first byte that a plan may use.
    `reserved` lists half-open ranges that no buffer may overlap. `unit` is the size of an
    addressable row. `cost` is the cost of one byte of a buffer in this pool, `weight` that of one
    byte of the peak. `readers` and `writers` name devices; `None` means all. `fill` says how a
    constant pool gets its bytes: in the image, copied by a generated function before the first run,
    or by the application.

    A `local` pool is inside a device: the host cannot address it, the program reserves no memory
    for it, and the address of a buffer in it is the number `base + offset / unit`.
    """

    name: str
    kind: PoolKind
    capacity: int | None = None
    alignment: int = 16
    reserved: tuple[tuple[int, int], ...] = ()
    start: int | None = None
    base: int | None = None
    unit: int | None = None
    banks: int | None = None
    cost: int | None = None
    weight: int | None = None
    section: str | None = None
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    fill: Fill | None = None
    local: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expect("kind", self.kind, get_args(PoolKind))
        self._expect("fill", self.fill, (*get_args(Fill), None))

    def _expect(self, what: str, value: str | None, known: tuple[str | None, ...]) -> None:
        if value not in known:
            listed = ", ".join(name for name in known if name is not None)
            raise TargetError(
                f"pool '{self.name}' has the {what} '{value}'; it is one of {listed}", self.place
            )

    def lets_read(self, device: str) -> bool:
        """Return whether the device may read the pool."""
        return self.readers is None or device in self.readers

    def lets_write(self, device: str) -> bool:
        """Return whether the device may write the pool."""
        if self.kind == "constant":
            return False
        return self.writers is None or device in self.writers
