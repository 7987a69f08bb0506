"""Reports of lines and tables, which rich fits to a terminal, or aligns as plain text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import rich.table

_NARROWEST = 6
"""The least width of a column of texts in a terminal."""


class TextTable(Struct, frozen=True):
    """A table of texts; `numbers` are the columns that are right-aligned."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()


ReportPart = str | TextTable
"""A line or a table of a report."""


def plain_text(parts: Iterable[ReportPart]) -> str:
    """Return a report as text without escape codes, with one line per row of any length."""
    return "\n".join(part if isinstance(part, str) else _plain(part) for part in parts)


def show(parts: Iterable[ReportPart]) -> None:
    """Print a report: fitted to the width of a terminal, elsewhere as plain text."""
    if not sys.stdout.isatty():
        print(plain_text(parts))
        return
    from rich.console import Console  # noqa: PLC0415

    colors = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(file=sys.stdout, color_system=colors)
    for part in parts:
        if isinstance(part, str):
            print(part)
        else:
            console.print(_rich(part))


def _plain(table: TextTable) -> str:
    """Return the table as rich prints it on lines of any length; rich alone loads in 60 ms."""
    lines = (table.head, *table.rows)
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths, table.numbers) for line in lines)


def _line(texts: Sequence[str], widths: Sequence[int], numbers: Sequence[int]) -> str:
    cells: list[str] = []
    for column, (text, width) in enumerate(zip(texts, widths, strict=True)):
        blanks = " " * (width - _width(text))
        cells.append(blanks + text if column in numbers else text + blanks)
    return "  ".join(cells).rstrip()


def _width(text: str) -> int:
    """Return the columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)


def _rich(table: TextTable) -> rich.table.Table:
    """Return the table for rich.

    Where a terminal is narrow, numbers keep their width, the last column is wrapped, and long words
    of the other columns are cropped, to `_NARROWEST` characters at the least.
    """
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    last = len(table.head) - 1
    for column, title in enumerate(table.head):
        if column in table.numbers:
            width = max(len(row[column]) for row in (table.head, *table.rows))
            made.add_column(Text(title), justify="right", no_wrap=True, min_width=width)
        else:
            overflow = "fold" if column == last else "ellipsis"
            made.add_column(Text(title), overflow=overflow, min_width=_NARROWEST)
    for row in table.rows:
        made.add_row(*map(Text, row))
    return made
