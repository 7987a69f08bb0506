"""The time that operators took on a board: the log of a program with hooks, as a table.

Lines of the log that count are `forebay-inference` at the start of an inference and
`forebay-operator INDEX COUNT` at the end of an operator; a program may print anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from forebay.errors import Error
from forebay.formats.memory_map import MemoryMap
from forebay.formats.reading import read_file
from forebay.reports.table import ReportPart, TextTable

_INFERENCE, _OPERATOR = "forebay-inference", "forebay-operator"
_WIDTH = 60  # characters of an operator's title


class ProfileError(Error):
    """A log without complete measurements, or of another network."""


def read_log(path: Path) -> list[Counter[int]]:
    """Return the counts of each inference by operator; several parts of an operator are added.

    Raises `ProfileError` with the line of a malformed entry, and for a log without entries.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}") from error
    inferences: list[Counter[int]] = []
    for number, line in enumerate(lines, start=1):
        match line.split():
            case [word] if word == _INFERENCE:
                inferences.append(Counter())
            case [word, index, count] if word == _OPERATOR and (index + count).isdecimal():
                inferences = inferences or [Counter()]
                inferences[-1][int(index)] += int(count)
            case [word, *_] if word in (_OPERATOR, _INFERENCE):
                raise ProfileError(
                    f"{path}:{number}: not '{_OPERATOR} INDEX COUNT' or '{_INFERENCE}': {line!r}"
                )
            case _:
                pass
    measured = [counts for counts in inferences if counts]
    if not measured:
        raise ProfileError(
            f"{path}: no line '{_OPERATOR} INDEX COUNT'; compile with --operator-hooks, and define "
            "FOREBAY_HOOKS as docs/mcu.md shows"
        )
    return measured


def profile_parts(inferences: Sequence[Mapping[int, int]], directory: Path) -> list[ReportPart]:
    """Return the counts of the first inference, and the range if inferences differ.

    Raises `ProfileError` for an operator that the project in `directory` does not have.
    """
    titles = _titles(directory)
    unknown = sorted({index for counts in inferences for index in counts} - titles.keys())
    if unknown:
        raise ProfileError(
            f"{directory} has no operator {unknown[0]}: the log is of another network"
        )
    first = inferences[0]
    total = sum(first.values())
    rows = [
        [titles[index], f"{count:,}", f"{count / total:.1%}" if total else ""]
        for index, count in sorted(first.items())
    ]
    rows.append(["total", f"{total:,}", "100.0%" if total else ""])
    parts: list[ReportPart] = [TextTable(["operator", "count", "share"], rows, numbers=(1, 2))]
    totals = [sum(counts.values()) for counts in inferences]
    if min(totals) != max(totals):
        parts.append(f"over the {len(totals)} inferences: {min(totals):,} to {max(totals):,}")
    return parts


def _titles(directory: Path) -> dict[int, str]:
    """Return index, kind and tensor of each operator, from the project's memory map."""
    maps = sorted(path.with_suffix(".json") for path in directory.glob("*_selftest.c"))
    names = [path.with_name(path.name.replace("_selftest.json", ".json")) for path in maps]
    if len(names) != 1:
        raise ProfileError(f"{directory}: no directory with one C project")
    titles: dict[int, str] = {}
    for operator in read_file(names[0], MemoryMap).operators:
        if operator.index is not None:
            title = f"{operator.index} {operator.kind} {operator.name}"
            titles[operator.index] = title if len(title) <= _WIDTH else f"{title[:_WIDTH]}..."
    return titles
