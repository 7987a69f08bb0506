"""Parsing of sizes in bytes, such as `64KiB`."""

from __future__ import annotations

import re

UNITS = {"": 1, "B": 1} | {
    name: 1024**power for power, letter in enumerate("KMGT", 1) for name in (letter, f"{letter}iB")
}
"""Factors by unit; K is the same as KiB, 1,024 bytes."""

SMALLEST = "min"
"""The budget that stands for as few bytes as possible."""
EVERY_POOL = "*"
"""The pool of a budget that is for all pools without one of their own."""

_FORM = re.compile(r"([0-9]+(?:_[0-9]+)*)\s*([A-Za-z]*)", re.ASCII)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+", re.ASCII)


def size_of(text: str) -> int:
    """Parse `65536`, `0x10000`, `64K`, `64KiB` or `64 kib` to bytes; units are powers of 1,024.

    Raises `ValueError`, whose text names valid forms, for anything else. KB, MB and GB are
    rejected, because they can also mean powers of 1,000.
    """
    if _NUMBER.fullmatch(text):
        return int(text, 0)
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is no number of bytes; write 65536, 0x10000, 64K or 64KiB")
    number, unit = match.groups()
    known = {name.lower(): factor for name, factor in UNITS.items()}
    if unit.lower() not in known:
        raise ValueError(
            f"'{text}' has the unit '{unit}'; units are {', '.join(filter(None, UNITS))}, "
            "all powers of 1,024"
        )
    return int(number) * known[unit.lower()]
