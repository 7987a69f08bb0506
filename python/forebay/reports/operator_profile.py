"""The time that operators took on a board: the log of a program with hooks, as a table.

Lines of the log that count end with `forebay-inference`, at the start of an inference, or with
`forebay-operator INDEX COUNT`, at the end of an operator. What a terminal writes in front of them,
such as the time, and all other lines are ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from forebay.errors import Error
from forebay.formats.memory_map import MapOperator, MemoryMap
from forebay.formats.reading import read_file
from forebay.reports.table import ReportPart, TextTable

_INFERENCE, _OPERATOR = "forebay-inference", "forebay-operator"
_WIDTH = 60  # characters of an operator's title
_NUMBER = re.compile(r"[0-9]{1,20}")


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
            case [*_, word] if word == _INFERENCE:
                inferences.append(Counter())
            case [*_, word, index, count] if word == _OPERATOR and _are_numbers(index, count):
                inferences = inferences or [Counter()]
                inferences[-1][int(index)] += int(count)
            case words if _OPERATOR in words or _INFERENCE in words:
                raise ProfileError(
                    f"{path}:{number}: not '{_OPERATOR} INDEX COUNT' or '{_INFERENCE}': "
                    f"{line[:_WIDTH]!r}"
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


def _are_numbers(*texts: str) -> bool:
    return all(_NUMBER.fullmatch(text) for text in texts)


def profile_parts(inferences: Sequence[Mapping[int, int]], directory: Path) -> list[ReportPart]:
    """Return the counts of the first inference, and the range if inferences differ.

    Inferences without a count of an operator that has hooks are named: a branch may not be taken,
    but the log may also be cut. Raises `ProfileError` for an operator that the project in
    `directory` does not have, and for a project without hooks.
    """
    operators = _operators(directory / f"{_name(directory)}.json")
    titles = {index: _title(operator) for index, operator in operators.items()}
    hooked = [index for index, operator in operators.items() if operator.hooks is True]
    if not hooked:
        raise ProfileError(f"{directory}: no hooks; compile with --operator-hooks")
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
    return [*parts, *_missing(inferences, hooked, titles)]


def _missing(
    inferences: Sequence[Mapping[int, int]], hooked: Sequence[int], titles: Mapping[int, str]
) -> Iterator[str]:
    """Return a line for each inference that has no count of an operator with hooks."""
    for number, counts in enumerate(inferences, start=1):
        missing = [titles[index] for index in hooked if index not in counts]
        if missing:
            yield (
                f"inference {number} has no count of {len(missing)} of {len(hooked)} operators, "
                f"the first is {missing[0]}: the log is cut or of another network, or a branch of "
                "the network was not taken"
            )


def _name(directory: Path) -> str:
    """Return the name of the model in a project."""
    names = [path.name.removesuffix("_selftest.c") for path in directory.glob("*_selftest.c")]
    if len(names) != 1:
        raise ProfileError(f"{directory}: no directory with one C project")
    return names[0]


def _operators(memory_map: Path) -> dict[int, MapOperator]:
    """Return the operators that have an index, from the project's memory map."""
    operators = read_file(memory_map, MemoryMap).operators
    return {it.index: it for it in operators if it.index is not None}


def _title(operator: MapOperator) -> str:
    """Return index, kind and name of an operator, cut to a width."""
    title = f"{operator.index} {operator.kind} {operator.name}".rstrip()
    return title if len(title) <= _WIDTH else f"{title[:_WIDTH]}..."
