"""The table of operators in `docs/operators.md`, from what the modules of the operators state.

python -m forebay.frontends.tflite.table docs/operators.md     writes the table into the page
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from forebay.frontends.tflite.lowering.registry import documented

_HEAD = (
    "| operator | types | limits | becomes | exact | golden | since |\n"
    "|---|---|---|---|---|---|---|\n"
)


def operator_table(names: Collection[str] = ()) -> str:
    """Return the table as Markdown, or its rows for these operators."""
    rows = [
        [
            ", ".join(row.operators),
            *(row.types, row.limits, row.becomes, row.exact, row.golden, row.since),
        ]
        for row in documented()
        if not names or not set(names).isdisjoint(row.operators)
    ]
    return _HEAD + "".join(f"|{'|'.join(map(_cell, row))}|\n" for row in rows)


def with_table(page: str) -> str:
    """Return the page with its table replaced."""
    before, _, rest = page.partition(_HEAD)
    after = rest[rest.index("\n\n") + 1 :]
    return before + operator_table() + after


def _cell(text: str) -> str:
    escaped = text.replace("|", r"\|")
    return f" {escaped} " if text else " "


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")
