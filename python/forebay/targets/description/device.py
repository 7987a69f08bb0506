"""Devices of a target."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.device_stages import Reserve, Stage
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.place import Described
from forebay.targets.description.transfer import Queue, Transfer


@dataclass(frozen=True)
class Device(Described):
    """One instance of a kind of device; the host, of which there is one, is a device too.

    `base` is the address of its registers or window; instances of a kind have intrinsics of their
    own and share the C functions. `transfers` move bytes between pools; `queues` run those and
    intrinsics beside the host. `stage` lowers the calls of its intrinsics, told what is free;
    `reserve` says of a call what must be. With a `handle` its C functions take
    `struct <kind> *device` first, which says the instance.
    """

    name: str
    kind: str
    host: bool = False
    base: int | None = None
    intrinsics: tuple[Intrinsic, ...] = ()
    stage: Stage | None = None
    reserve: Reserve | None = None
    transfers: tuple[Transfer, ...] = ()
    queues: tuple[Queue, ...] = ()
    handle: bool = False
