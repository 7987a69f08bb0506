"""The queues of a device, and its transfers between pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from forebay.support.records import record
from forebay.targets.description.source_location import DescribedObject


@record
class Queue(DescribedObject):
    """A queue that runs its operations in order, in parallel with the host and other queues.

    At most `depth` operations may be outstanding: issued and not yet waited for. In C,
    `<symbol>_wait(ticket)` returns when an operation has ended, and `<symbol>_after(ticket)` makes
    the next operation of this queue wait for an operation of another queue. Both return a status,
    0 or an error. The error of an operation is returned by the wait for it.
    """

    name: str
    symbol: str
    depth: int = 1


@record
class Transfer(DescribedObject):
    """A C function that moves a block from one of the pools `sources` to one of `targets`.

    A block has up to `rank` dimensions; the innermost is contiguous and a multiple of `granule`
    bytes. With a `queue` of the same device, it can be started and waited for. The timing model
    counts `latency` cycles, plus one cycle per `bandwidth` bytes.

    `limits` are the largest numbers that the C function takes, by parameter: `extent` (`extent0`,
    `extent1`, ..., outermost first, if the rank is above 2) and `bytes`. A copy beyond them becomes
    several transfers. `source_flags` and `target_flags` are bits that the function gets with the
    address of a side inside the device: `address | flags`.
    """

    name: str
    symbol: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    rank: int = 1
    queue: str | None = None
    granule: int | None = None
    latency: int | None = None
    bandwidth: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    source_flags: int = 0
    target_flags: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in ("sources", "targets"):
            names: str | tuple[str, ...] = getattr(self, side)
            if isinstance(names, str):
                object.__setattr__(self, side, (names,))
