"""Tables of figures, and how figures are written."""

from forebay.reports.table import TextTable


def figures(head: list[str], rows: list[list[str]]) -> TextTable:
    """Return a table with its first column left-aligned and the others right-aligned."""
    return TextTable(head, rows, numbers=range(1, len(head)))


def count(value: int | None) -> str:
    """Return the number with a thousands separator, or `-` for None."""
    return "-" if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """Return the time with two decimals from 1 s on, with three below, or `-` for None."""
    return "-" if value is None else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
