"""Plain tables for terminals and logs."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table as text: the first column left-aligned, columns of numbers right-aligned."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    numeric = [
        bool(rows) and all(row[column][:1].isdigit() for row in rows) for column in range(len(head))
    ]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in (head, *rows)
    ]
    return "\n".join(lines)
