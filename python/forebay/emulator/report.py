"""What a run did: multiplications, bytes moved, calls of intrinsics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from forebay.report.table import table


@dataclass
class Report:
    """Counts of one run or of several.

    `macs` counts the evaluations of a kernel's body in which two values that come from memory are
    multiplied; points that a window skips at a border are not evaluated. `read` and `written` count
    bytes by memory: of each op the distinct bytes that it reads and writes, once for each time that
    the op runs. `calls` counts the calls of each intrinsic, `ops` the kernels and copies that ran.
    """

    macs: int = 0
    ops: int = 0
    read: Counter[str] = field(default_factory=Counter[str])
    written: Counter[str] = field(default_factory=Counter[str])
    calls: Counter[str] = field(default_factory=Counter[str])

    def clear(self) -> None:
        """Count from zero."""
        self.macs = self.ops = 0
        for counter in (self.read, self.written, self.calls):
            counter.clear()

    def __str__(self) -> str:
        memories = sorted(self.read.keys() | self.written.keys())
        rows = [(name, f"{self.read[name]:,}", f"{self.written[name]:,}") for name in memories]
        lines = [f"{self.ops:,} kernels and copies, {self.macs:,} MACs, every access checked"]
        lines.append(table(("memory", "bytes read", "bytes written"), rows))
        lines += [f"{name}: {count:,} calls" for name, count in sorted(self.calls.items())]
        return "\n".join(lines)
