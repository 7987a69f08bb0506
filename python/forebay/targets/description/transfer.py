"""The queues of a device, and its transfers between pools."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.targets.description.source_location import DescribedObject


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Transfer(DescribedObject):
    """A C function that moves a block from one of the pools `sources` to one of `targets`.

    A block has up to `rank` dimensions; the innermost is contiguous and a multiple of `granule`
    bytes. With a `queue` of the same device, it can be started and waited for. The timing model
    counts `latency` cycles, plus one cycle per `bandwidth` bytes.
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

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in ("sources", "targets"):
            names: str | tuple[str, ...] = getattr(self, side)
            if isinstance(names, str):
                object.__setattr__(self, side, (names,))
