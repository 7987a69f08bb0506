"""The machine: memories, the buffers in them, and the checks that every access goes through."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from forebay.emulator.buffers import Buffer, Buffers
from forebay.emulator.faults import (
    DeadRead,
    Fault,
    ForeignRead,
    LiveOverwrite,
    Misaligned,
    NeverWritten,
    NoRight,
    OutOfRange,
    Where,
)
from forebay.emulator.footprint import Footprint
from forebay.emulator.memory import Memory, Rules
from forebay.emulator.report import Report
from forebay.emulator.site import Site, Sites
from forebay.emulator.tally import Tally
from forebay.emulator.view import View


class Machine:
    """Memories by number and by name; `poison` is what dead and unwritten bytes hold."""

    def __init__(self, host: str, poison: int) -> None:
        self.poison = poison
        self.sites = Sites(host)
        self.buffers = Buffers()
        self.report = Report()
        self.memories: list[Memory] = []
        self.named: dict[str, Memory] = {}
        self._tally: Tally | None = None

    def add_memory(self, name: str, size: int, rules: Rules) -> Memory:
        """A new memory, of which nothing is written."""
        memory = Memory(len(self.memories), name, size, rules, self.poison)
        self.memories.append(memory)
        self.named[name] = memory
        return memory

    def data_of(self, view: View) -> Any:
        """The elements of a view, as an array in this process."""
        memory = self.memories[view.buffer.memory]
        return np.ndarray(view.shape, view.dtype, memory.data.data, view.at, view.strides)

    def pointer_to(self, view: View) -> int:
        """Where the first element of a view lies in this process."""
        return self.memories[view.buffer.memory].pointer + view.at

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
        what = f"places buffer '{name}' at [{start}, {end}) of {memory.name}"
        if start < 0 or end > memory.size:
            reason = f"{what}, which has {memory.size} bytes; give the pool more or plan again"
            self._fault(OutOfRange, site, memory, start, reason, name)
        if (memory.rules.base + start) % alignment:
            reason = f"{what}, but its alignment is {alignment}"
            self._fault(Misaligned, site, memory, start, reason, name)
        for first, last in memory.rules.reserved:
            if start < last and first < end:
                reason = f"{what}, of which [{first}, {last}) is reserved"
                self._fault(OutOfRange, site, memory, max(start, first), reason, name)
        return self.buffers.bear(name, memory.number, start, end, lasting=lasting)

    def hold(self, view: View) -> None:
        """One value more leads to the view's buffer."""
        self.buffers.hold(view.buffer)

    def drop(self, view: View) -> None:
        """One value less; with the last one the buffer dies and its bytes are poisoned."""
        if self.buffers.drop(view.buffer):
            self._bury(view.buffer)

    def end(self, buffer: Buffer) -> None:
        """The buffer dies, whoever holds it."""
        if self.buffers.end(buffer):
            self._bury(buffer)

    def _bury(self, buffer: Buffer) -> None:
        memory = self.memories[buffer.memory]
        memory.poison(buffer.start, buffer.end, buffer.number, self.poison)

    # ---- Accesses --------------------------------------------------------------------------------

    def reads(self, view: View, footprint: Footprint, site: Site, *, by_right: bool = True) -> None:
        """Check that the site may read these bytes of the view and that they are the buffer's.

        Without `by_right`, something else than the device's right to the memory has decided.
        """
        memory = self._inside(view, footprint, site, "reads")
        if not footprint.size:
            return
        readers = memory.rules.readers
        if by_right and readers is not None and site.device not in readers:
            self._refuse_device(view, memory, site, "read", readers)
        owners = footprint.take(memory.owner, view.at)
        wrong = owners != view.buffer.number
        if wrong.any():
            self._refuse_read(view, footprint, site, int(wrong.argmax()))
        self._count(memory, view.at, footprint, wrote=False)

    def may_write(
        self, view: View, footprint: Footprint, site: Site, *, by_right: bool = True
    ) -> None:
        """Check that the site may write these bytes of the view and that nobody needs them."""
        memory = self._inside(view, footprint, site, "writes")
        if not footprint.size:
            return
        writers = memory.rules.writers
        if memory.rules.is_read_only:
            reason = f"writes buffer '{view.buffer.name}' in {memory.name}, which a run only reads"
            self._fault(NoRight, site, memory, view.at, reason, view.buffer.name)
        if by_right and writers is not None and site.device not in writers:
            self._refuse_device(view, memory, site, "write", writers)
        owners = footprint.take(memory.owner, view.at)
        wrong = owners != view.buffer.number
        if wrong.any():
            wrong &= self.buffers.alive[owners]
            if wrong.any():
                self._refuse_write(view, footprint, site, int(wrong.argmax()))

    def written(self, view: View, footprint: Footprint, site: Site) -> None:
        """Note that the site has written these bytes of the view."""
        if not footprint.size:
            return
        memory = self.memories[view.buffer.memory]
        footprint.put(memory.owner, view.at, view.buffer.number)
        footprint.put(memory.writer, view.at, site.number)
        self._count(memory, view.at, footprint, wrote=True)

    def reads_element(self, view: View, offset: int, site: Site) -> None:
        """The same for the element at byte `offset` of the memory, without arrays."""
        memory, width = self.memories[view.buffer.memory], view.dtype.itemsize
        readers = memory.rules.readers
        owners = memory.owner[offset : offset + width].tolist()
        is_fine = owners == [view.buffer.number] * width
        if not is_fine or (readers is not None and site.device not in readers):
            self.reads(view, Footprint(offset - view.at, (), width), site)
            return
        if self._tally is None:
            self.report.read[memory.name] += width
        else:
            self._tally.bytes_read(memory)[offset : offset + width] = True

    def writes_element(self, view: View, offset: int, site: Site) -> None:
        """Check that the site may write the element at byte `offset`, and note that it does."""
        footprint = Footprint(offset - view.at, (), view.dtype.itemsize)
        self.may_write(view, footprint, site)
        self.written(view, footprint, site)

    def fill(self, view: View, site: Site) -> None:
        """Note that somebody outside of the program has written all of the view."""
        memory = self.memories[view.buffer.memory]
        view.whole.put(memory.owner, view.at, view.buffer.number)
        view.whole.put(memory.writer, view.at, site.number)

    def aligned(self, view: View, alignment: int, site: Site, what: str) -> None:
        """Check an operand's own alignment; `what` is its name in messages."""
        memory = self.memories[view.buffer.memory]
        if (memory.rules.base + view.at) % alignment:
            reason = (
                f"needs {what} aligned to {alignment}, and it begins at {memory.place(view.at)}"
            )
            self._fault(Misaligned, site, memory, view.at, reason, view.buffer.name)

    def _count(self, memory: Memory, at: int, footprint: Footprint, *, wrote: bool) -> None:
        tally = self._tally
        if tally is not None:
            found = tally.bytes_written(memory) if wrote else tally.bytes_read(memory)
            footprint.put(found, at, True)
            return
        counter = self.report.written if wrote else self.report.read
        counter[memory.name] += footprint.size

    @contextmanager
    def one_op(self) -> Generator[None]:
        """What is read or written inside more than once counts once."""
        tally = self._tally = Tally()
        try:
            yield
        finally:
            self._tally = None
        tally.add_to(self.report.read, self.report.written)

    def _inside(self, view: View, footprint: Footprint, site: Site, verb: str) -> Memory:
        memory, buffer = self.memories[view.buffer.memory], view.buffer
        if not footprint.size:
            return memory
        first, end = (view.at + edge for edge in footprint.span)
        if first < buffer.start or end > buffer.end:
            wrong = first if first < buffer.start else max(first, buffer.end)
            reason = (
                f"{verb} {memory.place(wrong)}, outside of buffer '{buffer.name}' {buffer.span}"
            )
            self._fault(OutOfRange, site, memory, wrong, reason, buffer.name)
        return memory

    # ---- Refusals --------------------------------------------------------------------------------

    def refuse_index(self, view: View, element: str, site: Site) -> NoReturn:
        """Fault at an element that the view does not have."""
        memory = self.memories[view.buffer.memory]
        reason = (
            f"uses {element} outside of buffer '{view.buffer.name}' in {memory.name}, seen "
            f"as {'x'.join(map(str, view.shape)) or 'one element'}"
        )
        self._fault(OutOfRange, site, memory, view.at, reason, view.buffer.name)

    def _refuse_device(
        self, view: View, memory: Memory, site: Site, verb: str, may: Sequence[str]
    ) -> NoReturn:
        reason = (
            f"{verb}s buffer '{view.buffer.name}' in {memory.name} on device '{site.device}', "
            f"which may not {verb} there; who may: {', '.join(may) or 'nobody'}"
        )
        self._fault(NoRight, site, memory, view.at, reason, view.buffer.name)

    def _refuse_read(self, view: View, footprint: Footprint, site: Site, position: int) -> NoReturn:
        memory, buffer = self.memories[view.buffer.memory], view.buffer
        offset = view.at + footprint.offset_of(position)
        reason = f"reads {memory.place(offset)} in buffer '{buffer.name}' {buffer.span}, "
        owner = self.buffers[int(memory.owner[offset])]
        writer = self.sites[int(memory.writer[offset])]
        if not owner.number:
            reason += "which nothing has written"
            self._fault(NeverWritten, site, memory, offset, reason, buffer.name)
        if self.buffers.alive[owner.number]:
            reason += f"which belongs to live buffer '{owner.name}' {owner.span}"
            kind = ForeignRead
        else:
            reason += f"which is left of dead buffer '{owner.name}' {owner.span}"
            kind = DeadRead
        reason += f", written by {writer}"
        self._fault(kind, site, memory, offset, reason, buffer.name, owner.name, str(writer))

    def _refuse_write(
        self, view: View, footprint: Footprint, site: Site, position: int
    ) -> NoReturn:
        memory, buffer = self.memories[view.buffer.memory], view.buffer
        offset = view.at + footprint.offset_of(position)
        owner = self.buffers[int(memory.owner[offset])]
        writer = self.sites[int(memory.writer[offset])]
        reason = (
            f"writes {memory.place(offset)} in buffer '{buffer.name}' {buffer.span} over live "
            f"buffer '{owner.name}' {owner.span}, written by {writer}"
        )
        names = buffer.name, owner.name, str(writer)
        self._fault(LiveOverwrite, site, memory, offset, reason, *names)

    def _fault(
        self,
        kind: type[Fault],
        site: Site,
        memory: Memory,
        offset: int,
        reason: str,
        *names: str,
    ) -> NoReturn:
        """Names of the buffer, and of the byte's owner and writer, where there are any."""
        address = memory.rules.base + offset
        raise kind(Where(site.what, site.location, memory.name, address, *names), reason)
