"""The counters of a run: multiplications, bytes moved, calls of intrinsics, modelled cycles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from forebay.emulator.machine.timeline import HOST, Timeline
from forebay.reports.table import table

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
        memories = sorted(self.read.keys() | self.written.keys())
        rows = [(name, f"{self.read[name]:,}", f"{self.written[name]:,}") for name in memories]
        lines = [f"{self.ops:,} kernels and copies, {self.macs:,} MACs, every access checked"]
        lines.append(table(("memory", "bytes read", "bytes written"), rows))
        lines += [f"{name}: {count:,} calls" for name, count in sorted(self.calls.items())]
        lines += [
            f"{name}: {count:,} bytes of {memory}"
            for (name, memory), count in sorted(self.moved.items())
        ]
        return "\n".join([*lines, *self._time()])

    def _time(self) -> list[str]:
        """Return the lines about time; none for a target that declares no times."""
        if not self.cycles:
            return []
        time = self.timeline
        lines = [f"{self.cycles:,} cycles modelled, {self.macs / self.cycles:.1f} MACs in each"]
        busy = [(lane, time.busy(lane)) for lane in time.lanes if lane != HOST]
        rows = [(lane, f"{count:,}", f"{count / self.cycles:.0%}") for lane, count in busy]
        lines.append(table(("device or queue", "cycles", "busy"), rows))
        ops = sorted(time.by_op().items(), key=lambda item: (-item[1], item[0]))[:_LONGEST]
        rows = [(name, f"{count:,}", location) for (location, name), count in ops]
        return [*lines, table(("longest", "cycles", "at"), rows)]
