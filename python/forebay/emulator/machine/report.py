"""The counters of a run: multiplications, bytes moved, calls of intrinsics, modelled cycles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from forebay.emulator.machine.timeline import HOST, Timeline
from forebay.reports.table import ReportPart, TextTable, plain_text

_LONGEST = 10
"""The number of ops that the text lists by their cycles."""


@dataclass
class RunReport:
    """The counters of one run or of several.

    `macs` counts the evaluations of a kernel's body in which two values that come from memory are
    multiplied; points that a window skips at a border are not evaluated. `read` and `written` count
    bytes by memory: the distinct bytes that an op reads and writes, once per execution of the op.
    `calls` counts the commands to devices, by intrinsic and by transfer; `moved` the bytes of
    transfers, by transfer and memory; `ops` the kernels and copies of the host. `timeline` is the
    modelled time of the run.
    """

    macs: int = 0
    ops: int = 0
    read: Counter[str] = field(default_factory=Counter[str])
    written: Counter[str] = field(default_factory=Counter[str])
    calls: Counter[str] = field(default_factory=Counter[str])
    moved: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    timeline: Timeline = field(default_factory=Timeline)

    def clear(self) -> None:
        """Reset all counters to zero."""
        self.macs = self.ops = 0
        for counter in (self.read, self.written, self.calls, self.moved):
            counter.clear()
        self.timeline.clear()

    @property
    def cycles(self) -> int:
        """Return the modelled cycles from first to last; 0 when the target declares no times."""
        return self.timeline.cycles

    def __str__(self) -> str:
        return plain_text(self.parts())

    def parts(self) -> list[ReportPart]:
        """Return the lines and tables of the report."""
        memories = sorted(self.read.keys() | self.written.keys())
        rows = [(name, f"{self.read[name]:,}", f"{self.written[name]:,}") for name in memories]
        lines: list[ReportPart] = []
        lines.append(f"{self.ops:,} kernels and copies, {self.macs:,} MACs, every access checked")
        lines.append(TextTable(("memory", "bytes read", "bytes written"), rows, numbers=(1, 2)))
        lines += [f"{name}: {count:,} calls" for name, count in sorted(self.calls.items())]
        lines += [
            f"{name}: {count:,} bytes of {memory}"
            for (name, memory), count in sorted(self.moved.items())
        ]
        return [*lines, *self._time()]

    def _time(self) -> list[ReportPart]:
        """Return the lines about time; none for a target that declares no times."""
        if not self.cycles:
            return []
        time = self.timeline
        lines: list[ReportPart] = []
        lines.append(f"{self.cycles:,} cycles modelled, {self.macs / self.cycles:.1f} MACs in each")
        busy = [(lane, time.busy(lane)) for lane in time.lanes if lane != HOST]
        rows = [(lane, f"{count:,}", f"{count / self.cycles:.0%}") for lane, count in busy]
        lines.append(TextTable(("device or queue", "cycles", "busy"), rows, numbers=(1, 2)))
        ops = sorted(time.by_op().items(), key=lambda item: (-item[1], item[0]))[:_LONGEST]
        rows = [(name, f"{count:,}", location) for (location, name), count in ops]
        return [*lines, TextTable(("longest", "cycles", "at"), rows, numbers=(1,))]
