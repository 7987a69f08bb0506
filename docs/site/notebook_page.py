"""A Jupyter notebook with its stored outputs, as a page of the site."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "notebook" / "plan.ipynb"


def notebook_page() -> str:
    """Return the page: text, code, and below each piece of code what it printed and returned."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    parts = [part for cell in cells for part in _parts(cell)]
    origin = f"*This page is `{NOTEBOOK.relative_to(ROOT)}`, with the outputs stored there.*"
    return "\n\n".join([parts[0], origin, *parts[1:]]) + "\n"


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source.replace("](../../docs/", "](../")
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            yield f"<div>{_in_one_block(''.join(data['text/html']))}</div>"
        else:
            yield f"```text\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```"


def _in_one_block(html: str) -> str:
    """Return HTML without empty lines, which would end a block of HTML in Markdown."""
    return re.sub(r"\n\s*\n", "\n", html)
