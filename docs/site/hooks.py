"""Hooks of mkdocs: pages that are made from the code, and links to files outside of the site."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from pages import PAGES

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from the code."""
    for name, make in PAGES.items():
        files.append(File.generated(config, name, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Write links to files of the repository that are no pages as their paths."""
    folder = ROOT / "docs" / Path(page.file.src_uri).parent

    def path_of(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        if not target.exists():
            raise PluginError(f"{page.file.src_uri}: {link[2]} does not exist")
        path = target.relative_to(ROOT).as_posix()
        return f"`{path}`" if link[1].strip("`") in path else f"{link[1]} (`{path}`)"

    return _LINK.sub(path_of, markdown)
