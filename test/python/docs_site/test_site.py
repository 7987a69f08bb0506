"""The site is built without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SITE = ROOT / "docs" / "site"


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The pages that are made from the code."""
    monkeypatch.syspath_prepend(str(SITE))
    from pages import PAGES

    return {name: make() for name, make in PAGES.items()}


def test_every_pass_command_and_document_has_a_section(pages: dict[str, str]) -> None:
    from forebay.cli.parser import COMMANDS
    from forebay.formats.documents import DOCUMENTS
    from forebay.passes import pass_names

    assert re.findall(r"^## (.*)$", pages["reference/passes.md"], re.M) == list(pass_names())
    commands = re.findall(r"^## forebay (.*)$", pages["reference/commands.md"], re.M)
    assert commands == list(COMMANDS)
    documents = re.findall(r"^## (.*)$", pages["reference/schemas.md"], re.M)
    assert documents == [kind.document for kind in DOCUMENTS]
    assert "::: forebay.planning.model.problem.Problem" in pages["reference/api.md"]


@pytest.mark.slow
def test_the_site_is_built_strictly(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="pip install 'forebay[docs]'")
    pytest.importorskip("mkdocstrings", reason="pip install 'forebay[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    front = (tmp_path / "index.html").read_text()
    assert "<h1" in front and "plan.png" in front
    assert "memref-pool-plan" in (tmp_path / "reference" / "passes" / "index.html").read_text()
