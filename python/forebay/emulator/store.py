"""Memories and the buffers in them, as they come and go."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.emulator import refusals
from forebay.emulator.buffers import Buffer, Buffers
from forebay.emulator.faults import Fault
from forebay.emulator.memory import Memory, Rules
from forebay.emulator.site import Site, Sites
from forebay.emulator.view import View


class Store:
    """Memories by number and by name; `poison` is what dead and unwritten bytes hold.

    One that is not `strict` raises nothing: it does what a machine without checks would do, as
    far as bytes tell, and remembers in `noted` the first thing that it would have refused.
    """

    def __init__(self, host: str, poison: int, *, strict: bool = True) -> None:
        self.poison = poison
        self.strict = strict
        self.noted: Fault | None = None
        self.sites = Sites(host)
        self.buffers = Buffers()
        self.memories: list[Memory] = []
        self.named: dict[str, Memory] = {}
        self._spare: dict[tuple[str, int, Rules], list[Memory]] = {}
        self._unreached: dict[tuple[int, str], NDArray[np.uint8]] = {}

    def refuse(self, fault: Fault) -> None:
        """Raise it; a machine that is not strict goes on."""
        if self.strict:
            raise fault
        self.noted = self.noted or fault

    def add_memory(
        self, name: str, size: int, rules: Rules, data: NDArray[np.uint8] | None = None
    ) -> Memory:
        """A new memory, of which nothing is written; `data` are its bytes, where these exist."""
        memory = Memory(len(self.memories), name, size, rules, self.poison, data=data)
        self.memories.append(memory)
        self.named[name] = memory
        return memory

    def spare_memory(self, name: str, size: int, rules: Rules) -> Memory:
        """Memory for one buffer alone, new or left by one that died; nothing of it is written."""
        left = self._spare.get((name, size, rules))
        if left:
            return left.pop()
        memory = Memory(len(self.memories), name, size, rules, self.poison)
        self.memories.append(memory)
        return memory

    def data_of(self, view: View, site: Site | None = None) -> Any:
        """The elements of a view, as an array in this process, as the site sees them."""
        at, data = view.at, self.memories[view.buffer.memory].data
        if self._unreached and site is not None:
            missed = self._unreached.get((view.buffer.number, site.device))
            at, data = (at, data) if missed is None else (view.at - view.buffer.start, missed)
        return np.ndarray(view.shape, view.dtype, data.data, at, view.strides)

    def pointer_to(self, view: View, site: Site) -> int:
        """Where the first element of a view lies in this process, as the site sees it."""
        if self._unreached:
            missed = self._unreached.get((view.buffer.number, site.device))
            if missed is not None:
                return missed.ctypes.data + view.at - view.buffer.start
        return self.memories[view.buffer.memory].pointer + view.at

    def miss(self, view: View, site: Site, fault: Fault) -> None:
        """Refuse an access to what the site's device does not reach: it would see anything else."""
        self.refuse(fault)
        key, buffer = (view.buffer.number, site.device), view.buffer
        if key not in self._unreached:
            self._unreached[key] = np.full(buffer.end - buffer.start, self.poison, np.uint8)

    # ---- Births and deaths -----------------------------------------------------------------------

    def bear(
        self,
        memory: Memory,
        name: str,
        span: tuple[int, int],
        site: Site,
        *,
        alignment: int,
        lasting: bool = False,
    ) -> Buffer:
        """A buffer in bytes `span` of a memory: inside of it, aligned, and on no reserved byte."""
        start, end = span
        if start < 0 or end > memory.size:
            self.refuse(refusals.beyond_the_pool(memory, name, span, site))
            memory.reach(end, self.poison)
        if not memory.rules.is_aligned(start, alignment):
            self.refuse(refusals.misplaced(memory, name, span, alignment, site))
        for reserved in memory.rules.reserved:
            if start < reserved[1] and reserved[0] < end:
                self.refuse(refusals.on_reserved(memory, name, span, reserved, site))
        return self.buffers.bear(name, memory.number, start, end, lasting=lasting)

    def hold(self, view: View) -> None:
        """One value more leads to the view's buffer."""
        self.buffers.hold(view.buffer)

    def drop(self, view: View) -> None:
        """One value less; with the last one the buffer dies and its bytes are poisoned."""
        if self.buffers.drop(view.buffer):
            self._bury(view.buffer)

    def release(self, buffer: Buffer) -> None:
        """An operation that was started uses the buffer no more."""
        if self.buffers.release(buffer):
            self._bury(buffer)

    def end(self, buffer: Buffer) -> None:
        """The buffer dies, whoever holds it."""
        if self.buffers.end(buffer):
            self._bury(buffer)

    def _bury(self, buffer: Buffer) -> None:
        memory = self.memories[buffer.memory]
        memory.poison(buffer.start, buffer.end, buffer.number, self.poison)
        if memory.rules.is_unplaced:
            memory.clear(self.poison)
            self._spare.setdefault((memory.name, memory.size, memory.rules), []).append(memory)

    def fill(self, view: View, site: Site) -> None:
        """Note that somebody outside of the program has written all of the view."""
        memory = self.memories[view.buffer.memory]
        view.whole.put(memory.owner, view.at, view.buffer.number)
        view.whole.put(memory.writer, view.at, site.number)
