"""Breaks of long C lines at readable places."""

from __future__ import annotations

import re

_WIDTH = 100
_TOKEN = re.compile(r"""["()\[\]]|[,;=](?= )|[ ](?=(?P<operator>&&|\|\||<<|>>|[-+*/|&?:])[ ])""")
"""A bracket, a quote, or the first character of a separator: `, `, `= `, ` + ` and so on."""


def wrap_line(line: str, width: int = _WIDTH) -> list[str]:
    """Return the line in pieces of at most `width` characters, where it can be broken.

    It is broken after a comma, an operator or an assignment at the lowest depth of parentheses, as
    far to the right as fits, and never inside a string. A name that does not fit is not broken.
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
    for token in _TOKEN.finditer(line):
        at, character, length = token.start(), token[0], len(token["operator"] or "")
        if at + 1 + length >= width and best is not None:
            break
        if character == '"':
            is_text ^= line[at - 1] != "\\"
        elif is_text:
            continue
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif at > indent + 8 and (best is None or depth <= best[0]):
            best = (depth, at + 2 + length)
    return best[1] if best is not None else None
