"""Plain tables: the first column left-aligned, the others right-aligned."""


def lines_of(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return the table's lines, columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    return [_line(cells, widths) for cells in [head, rule, *rows]]


def count(value: int | None) -> str:
    """Return the number with a thousands separator, or `-` for None."""
    return "-" if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """Return the time with two decimals from 1 s on, with three below, or `-` for None."""
    return "-" if value is None else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def _line(cells: list[str], widths: list[int]) -> str:
    first, *others = (
        cell.rjust(width) if i else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()
