"""Memory of this process at the fixed bases of a network's pools, while its code runs.

Each engine has its own bytes in an anonymous file. They are mapped twice: at any address, for the
code that fills and reads them, and at the planned address during a call. So one process may hold
any number of engines of one network, or of several networks that share a memory.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.network.engine import FILL
from forebay.network.errors import CodegenError
from forebay.network.model import PlannedPool

GRANULE = 1 << 16
"""A multiple of every page size of Linux."""

_MAP_FIXED_NOREPLACE = 0x100000
_lock = threading.RLock()


class FixedMemoryError(CodegenError):
    """This process cannot map memory at the address of a pool."""


class AddressRange(Struct, frozen=True):
    """Addresses `[start, end)`, rounded to whole granules, of pools that share granules."""

    start: int
    end: int
    pools: tuple[PlannedPool, ...]


def spans(pools: Sequence[PlannedPool]) -> tuple[AddressRange, ...]:
    """Return the ranges to map for pools at fixed bases, in the order of their addresses."""
    found: list[AddressRange] = []
    for pool in sorted(pools, key=lambda pool: pool.base or 0):
        base = pool.base or 0
        start = base // GRANULE * GRANULE
        end = -(-(base + pool.size) // GRANULE) * GRANULE
        if found and start < found[-1].end:
            last = found.pop()
            found.append(AddressRange(last.start, max(last.end, end), (*last.pools, pool)))
        else:
            found.append(AddressRange(start, end, (pool,)))
    return tuple(found)


class FixedMemory:
    """The bytes of pools at fixed bases, initially filled with 0xA5.

    Raises FixedMemoryError when this process cannot map memory there: on systems other than Linux,
    or if the addresses are in use.
    """

    def __init__(self, pools: Sequence[PlannedPool]) -> None:
        self._spans = spans(pools)
        self.arrays: dict[str, NDArray[np.uint8]] = {}
        """The bytes of each pool by offset; the bytes before its `start` are not used."""
        self._files: list[int] = []
        for span in self._spans:
            self._add(span)
        with self.mapped():
            pass  # an error is reported here and not during a run

    def __del__(self) -> None:
        for file in self._files:
            os.close(file)

    def _add(self, span: AddressRange) -> None:
        if sys.platform != "linux":
            raise FixedMemoryError(
                f"{_listed(span)} is at a constant address, where only Linux lets an engine have "
                "memory; use engine='emulator', or a target whose pool has no base"
            )
        file = os.memfd_create("forebay")
        self._files.append(file)
        os.ftruncate(file, _size(span))
        view = np.frombuffer(mmap.mmap(file, _size(span)), np.uint8)
        for pool in span.pools:
            begin = (pool.base or 0) - span.start
            self.arrays[pool.name] = view[begin : begin + pool.size]
            self.arrays[pool.name][pool.start :] = FILL

    @contextmanager
    def mapped(self) -> Generator[None]:
        """Map the bytes at their addresses inside the `with`, for one engine at a time."""
        with _lock:
            done: list[AddressRange] = []
            try:
                for span, file in zip(self._spans, self._files, strict=True):
                    _map(span, file)
                    done.append(span)
                yield
            finally:
                for span in done:
                    _libc().munmap(ctypes.c_void_p(span.start), ctypes.c_size_t(_size(span)))


def _map(span: AddressRange, file: int) -> None:
    library = _libc()
    library.mmap.restype = ctypes.c_void_p
    address = library.mmap(
        ctypes.c_void_p(span.start),
        ctypes.c_size_t(_size(span)),
        mmap.PROT_READ | mmap.PROT_WRITE,
        mmap.MAP_SHARED | _MAP_FIXED_NOREPLACE,
        file,
        ctypes.c_long(0),
    )
    if address == span.start:
        return
    number = ctypes.get_errno()
    failed = ctypes.c_void_p(-1).value
    if address != failed:  # a kernel that does not know the flag treats the address as a hint
        library.munmap(ctypes.c_void_p(address), ctypes.c_size_t(_size(span)))
    known = {
        errno.EPERM: "the system maps no memory at so low an address (vm.mmap_min_addr)",
        errno.EEXIST: "something else of this process lies there",
    }
    why = known.get(number, os.strerror(number) if address == failed else "it is not free")
    raise FixedMemoryError(
        f"{_listed(span)}: this process cannot have memory at [{span.start:#x}, {span.end:#x}): "
        f"{why}; use engine='emulator', or a target whose pool has another base"
    )


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _size(span: AddressRange) -> int:
    return span.end - span.start


def _listed(span: AddressRange) -> str:
    return "pool " + " and ".join(f"'{pool.name}'" for pool in span.pools)
