"""Exact instruction counts per owner and run, by a QEMU plugin that is built here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forebay.engines.c import c_compiler
from forebay.mcu.board import Board
from forebay.mcu.errors import ToolError
from forebay.mcu.image.elf import Elf
from forebay.mcu.run.emulate import EmulatedRun, emulate
from forebay.mcu.tools import run_tool

PLUGIN = Path(__file__).parent / "plugin"
_FLAGS = ("-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")


@dataclass(frozen=True)
class Owners:
    """The owners of instructions.

    `groups` are sets of C function names with the owner of each call of these functions in a run;
    after the last call the first follows. Owners are numbers from 0 on in each group, and those of
    the groups follow each other. `outside` are functions whose instructions are not counted. The
    instructions of any other function count for its caller. A call of `entry` begins a run.
    """

    groups: tuple[tuple[frozenset[str], tuple[int, ...]], ...]
    outside: frozenset[str]
    entry: str

    @property
    def number(self) -> int:
        """The number of owners."""
        return sum(max(calls) + 1 for _, calls in self.groups)


def count(
    board: Board,
    elf: Elf,
    owners: Owners,
    timeout: float,
    *,
    each: bool = False,
) -> tuple[EmulatedRun, tuple[tuple[int, ...], ...]]:
    """Run an image; return its console output, and for each run the instructions of each owner.

    `each` counts by instruction instead of by block: slower, with the same result.
    """
    directory = elf.path.parent
    plugin, ranges, out = (directory / name for name in ("count.so", "ranges.txt", "counts.txt"))
    run_tool([*c_compiler(), *_FLAGS, str(PLUGIN / "count.c"), "-o", str(plugin)], directory)
    ranges.write_text(_ranges(elf, owners), encoding="ascii")
    out.unlink(missing_ok=True)
    entry = elf.address_of(owners.entry)
    options = [str(plugin), f"ranges={ranges}", f"out={out}", f"entry={entry:x}"]
    options += ["each=on"] if each else []
    text = ",".join(option.replace(",", ",,") for option in options)
    outcome = emulate(board, elf.path, ["-plugin", text], timeout)
    if not out.exists():
        raise ToolError(f"{board.emulator.program} wrote no counts; was it built with plugins?")
    lines = out.read_text(encoding="ascii").splitlines()
    return outcome, tuple(_numbers(line, owners.number) for line in lines)


def _numbers(line: str, owners: int) -> tuple[int, ...]:
    """Return the counts of a run, with zeros for the owners after the last one with code."""
    counts = [int(text) for text in line.split()]
    return (*counts, *[0] * (owners - len(counts)))


def _ranges(elf: Elf, owners: Owners) -> str:
    """Return the plugin's table: start, end and owners of each function, in hexadecimal."""
    numbers = dict.fromkeys(owners.outside, (0,))
    first = 1
    for group, calls in owners.groups:
        numbers |= dict.fromkeys(group, tuple(first + owner for owner in calls))
        first += max(calls) + 1
    spans = {
        (it.address, it.address + it.size): numbers[name]
        for it in elf.functions
        if (name := it.name.partition(".")[0]) in numbers
    }
    return "".join(
        f"{start:x} {end:x} {len(own):x} {' '.join(f'{owner:x}' for owner in own)}\n"
        for (start, end), own in sorted(spans.items())
    )
