"""Write the table of ONNX operators in `docs/ways-in.md`.

python -m forebay.frontends.onnx.table docs/ways-in.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from forebay.frontends.onnx.lowering.registry import onnx_documented

_HEADER = "| operator | types | limits | results equal ONNX's reference evaluator |"


def onnx_table() -> str:
    """Return the table as Markdown."""
    rows = [
        f"| {', '.join(sorted(r.operators))} | {r.types} | {r.limits} | {r.golden} |"
        for r in onnx_documented()
    ]
    return "\n".join([_HEADER, "|---|---|---|---|", *rows])


def with_onnx_table(page: str) -> str:
    """Return the page with the table in place of its old one."""
    start = page.index(_HEADER)
    end = page.index("\n\n", start)
    return page[:start] + onnx_table() + page[end:]


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_onnx_table(file.read_text()))
