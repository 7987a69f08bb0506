"""Breaks of long C lines at readable places."""

from __future__ import annotations

_WIDTH = 100
_OPERATORS = (
    " + ",
    " - ",
    " * ",
    " / ",
    " && ",
    " || ",
    " | ",
    " & ",
    " << ",
    " >> ",
    " ? ",
    " : ",
)


def wrap_line(line: str, width: int = _WIDTH) -> list[str]:
    """Return the line in pieces of at most `width` characters, where it can be broken.

    It is broken after a comma, an operator or an assignment at the lowest depth of parentheses, as
    far to the right as fits, and never inside a string.
    """
    indent = len(line) - len(line.lstrip())
    pieces: list[str] = []
    rest = line
    while len(rest) > width:
        at = _break(rest, width, len(rest) - len(rest.lstrip()))
        if at is None:
            break
        pieces.append(rest[:at].rstrip())
        rest = " " * (indent + 8) + rest[at:].lstrip()
    return [*pieces, rest]


def _break(line: str, width: int, indent: int) -> int | None:
    depth = 0
    best: tuple[int, int] | None = None
    is_text = False
    for i, character in enumerate(line[:width]):
        if character == '"' and line[i - 1] != "\\":
            is_text = not is_text
        if is_text:
            continue
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        end = _end_of_separator(line, i)
        if end is None or end > width or i <= indent + 8:
            continue
        if best is None or depth <= best[0]:
            best = (depth, end)
    return best[1] if best is not None else None


def _end_of_separator(line: str, at: int) -> int | None:
    if line.startswith((", ", "; ", "= "), at):
        return at + 2
    for operator in _OPERATORS:
        if line.startswith(operator, at):
            return at + len(operator)
    return None
