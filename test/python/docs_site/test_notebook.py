"""The notebook in the examples gives the outputs that are stored in it.

`FOREBAY_UPDATE_GOLDEN=1` stores them again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "examples" / "notebook" / "plan.ipynb"
Cell = dict[str, Any]


def outputs_of(cell: Cell) -> list[dict[str, str]]:
    """Return what a cell printed and returned, by MIME type, each as one text."""
    found: list[dict[str, str]] = []
    for output in cell["outputs"]:
        assert output["output_type"] in ("stream", "execute_result"), output
        data = output.get("data") or {output.get("name"): output["text"]}
        found.append({kind: "".join(text) for kind, text in data.items()})
    return found


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.slow  # starts Jupyter, and compiles four networks
def test_the_notebook_gives_the_stored_outputs() -> None:
    reason = "pip install nbclient ipykernel"
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    nbformat = pytest.importorskip("nbformat", reason=reason)
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    executed = nbformat.read(NOTEBOOK, as_version=4)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(
        executed, kernel_name="python3", resources=folder, record_timing=False
    ).execute()
    if os.environ.get("FOREBAY_UPDATE_GOLDEN"):
        executed["metadata"] = stored["metadata"]
        nbformat.write(executed, NOTEBOOK)
        return
    for before, after in zip(code_cells(stored), code_cells(executed), strict=True):
        assert outputs_of(after) == outputs_of(before), "".join(before["source"])


def test_the_page_of_the_site_has_every_cell_and_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "site"))
    from notebook_page import notebook_page

    page = notebook_page()
    for cell in code_cells(json.loads(NOTEBOOK.read_text(encoding="utf-8"))):
        assert f"```python\n{''.join(cell['source'])}\n```" in page
        for output in outputs_of(cell):
            text = output.get("text/plain", output.get("stdout", ""))
            assert "text/html" in output or f"```text\n{text.rstrip()}\n```" in page
    assert page.count("<svg") == 2
