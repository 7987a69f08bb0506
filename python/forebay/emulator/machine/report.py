"""The counters of a run: multiplications, bytes moved, calls of intrinsics, modelled cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from forebay.emulator.machine.operator_times import OperatorTime, operator_times
from forebay.emulator.machine.timeline import HOST, Timeline
from forebay.reports.table import ReportPart, TextTable, plain_text


@dataclass
class RunReport:
    """The counters of one run or of several.

    `device_macs` counts MACs by device and location: the evaluations of a kernel's body in which
    two values that come from memory are multiplied; points that a window skips at a border are not
    evaluated. `peaks` has the MACs that a device can execute per cycle, of devices that declare it.
    `read` and `written` count bytes by memory: the distinct bytes that an op reads and writes, once
    per execution of the op. `calls` counts the commands to devices, by intrinsic and by transfer;
    `moved` the bytes of transfers, by transfer and memory; `ops` the kernels and copies of the
    host, the device `host`. `timeline` is the modelled time of the run.
    """

    host: str = HOST
    peaks: Mapping[str, int] = field(default_factory=dict[str, int])
    ops: int = 0
    device_macs: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    read: Counter[str] = field(default_factory=Counter[str])
    written: Counter[str] = field(default_factory=Counter[str])
    calls: Counter[str] = field(default_factory=Counter[str])
    moved: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    timeline: Timeline = field(default_factory=Timeline)

    def clear(self) -> None:
        """Reset all counters to zero."""
        self.ops = 0
        for counter in (self.device_macs, self.read, self.written, self.calls, self.moved):
            counter.clear()
        self.timeline.clear()

    @property
    def macs(self) -> int:
        """The MACs of all devices and the host."""
        return self.device_macs.total()

    def macs_of(self, device: str, location: str | None = None) -> int:
        """Return the MACs of a device, of one location or of all."""
        if location is not None:
            return self.device_macs[device, location]
        return sum(count for (name, _), count in self.device_macs.items() if name == device)

    @property
    def cycles(self) -> int:
        """Return the modelled cycles from first to last; 0 when nothing is modelled."""
        return self.timeline.cycles

    def utilisation(self, device: str, cycles: int, location: str | None = None) -> float | None:
        """Return the share of a device's MACs in these cycles that compute; None if unknown."""
        peak = self.peaks.get(device)
        return self.macs_of(device, location) / (peak * cycles) if peak and cycles else None

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
        """Return the lines about time."""
        parts: list[ReportPart] = []
        if self.timeline.unmodelled:
            parts.append(
                f"the host's work is not modelled ({self.timeline.unmodelled:,} operations of "
                "kernels and copies): give its operations per cycle, --host-rate"
            )
        if not self.cycles:
            return parts
        parts += [f"{self.cycles:,} cycles modelled", self._lane_table(), *self._device_lines()]
        return [*parts, *self._conflict_lines(), self._operator_table()]

    def _lane_table(self) -> TextTable:
        time = self.timeline
        lanes = [n for n in time.lanes if n != HOST or time.host_rate is not None]
        busy = [(lane, time.busy(lane)) for lane in lanes]
        rows = [(lane, f"{count:,}", f"{count / self.cycles:.0%}") for lane, count in busy]
        return TextTable(("device or queue", "cycles", "busy"), rows, numbers=(1, 2))

    def _device_lines(self) -> list[str]:
        """Return what the devices compute per cycle; MACs of the host are no device's."""
        lines: list[str] = []
        for device in dict.fromkeys(name for name, _ in self.device_macs):
            count = self.macs_of(device)
            if device == self.host or not count:
                continue
            line = f"{device}: {count:,} MACs, {count / self.cycles:.1f} per cycle"
            used = self.utilisation(device, self.cycles)
            lines.append(line if used is None else f"{line}, {used:.0%} of its peak")
        return lines

    def _conflict_lines(self) -> list[str]:
        found = sorted(self.timeline.bank_conflicts.items())
        return [f"{lane}: {cycles:,} cycles of bank conflicts" for lane, cycles in found]

    def _operator_table(self) -> TextTable:
        rows = [self._operator_row(found) for found in operator_times(self.timeline)]
        titles = ("operator", "cycles", "MACs of devices", "utilisation", "bound by")
        return TextTable(titles, rows, numbers=(1, 2, 3))

    def _operator_row(self, found: OperatorTime) -> tuple[str, ...]:
        names = dict.fromkeys(name for name, _ in self.device_macs if name != self.host)
        macs = {name: self.macs_of(name, found.location) for name in names}
        used = [
            self.utilisation(name, found.cycles, found.location) for name in names if macs[name]
        ]
        best = max((share for share in used if share is not None), default=None)
        return (
            found.location,
            f"{found.cycles:,}",
            f"{sum(macs.values()):,}",
            "" if best is None else f"{best:.0%}",
            found.bound,
        )
