"""The devices of a target."""

from __future__ import annotations

from forebay.device_stages import Reserve, Stage
from forebay.support.records import record
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.pool import Register
from forebay.targets.description.source_location import DescribedObject
from forebay.targets.description.transfer import Queue, Transfer


@record
class Device(DescribedObject):
    """One instance of a kind of device; the host, of which there is one, is a device too.

    `base` is the address of its window in the host's memory map. Instances of one kind have
    separate intrinsics and share the C functions. `transfers` move bytes between pools. `queues`
    run transfers and intrinsics in parallel with the host. `registers` hold what one instruction
    sets and later ones use. `stage` lowers the calls of the device's intrinsics and is given the
    free bytes of each pool; `reserve` returns the bytes that must be free for a call. `peak` is the
    number of MACs that it can execute per cycle; reports give its utilisation. With
    `handle`, the C functions take `struct <kind> *device`, the instance, as first parameter.
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
    peak: int | None = None
    registers: tuple[Register, ...] = ()
