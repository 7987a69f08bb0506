"""Plain tables: the first column to the left, the others to the right."""


def lines_of(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return the table's lines, columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    return [_line(cells, widths) for cells in [head, rule, *rows]]


def count(value: int | None) -> str:
    """Return the number with thousands separated, `-` where there is none."""
    return "-" if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """Return the time with three digits that say something."""
    return "-" if value is None else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def _line(cells: list[str], widths: list[int]) -> str:
    first, *others = (
        cell.rjust(width) if i else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()
