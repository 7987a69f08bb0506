"""Where the shared planning problems are."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared")) / "planning"
needs_problems = pytest.mark.skipif(
    not (FOLDER / "index.json").exists(),
    reason=f"the shared planning problems are not at {FOLDER} (set FOREBAY_SHARED)",
)


def entries(folder: str) -> list[dict[str, Any]]:
    if not (FOLDER / "index.json").exists():
        return []
    index = json.loads((FOLDER / "index.json").read_text())
    return [entry for entry in index if entry["file"].startswith(folder)]
