"""The tables of names in `docs/api.md`, from the modules and their docstrings.

python -m forebay.api.page docs/api.md     writes the tables into the page
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import GenericAlias

_SECTION = re.compile(
    r"^## [^\n]*: `(?P<module>[\w.]+)`$(?:.|\n)*?"
    r"^\| name \| meaning \|\n\|---\|---\|\n(?P<rows>(?:\|.*\n)*)",
    re.MULTILINE,
)
_ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)


def with_tables(page: str) -> str:
    """Return the page with a row for each public name of the module of each section.

    The meaning is the first paragraph of the docstring. Names without one, such as aliases of
    types, keep the meaning that the page gives them.
    """
    return _SECTION.sub(_with_table, page)


def _with_table(section: re.Match[str]) -> str:
    module = importlib.import_module(section["module"])
    written = dict(_ROW.findall(section["rows"]))
    rows = [
        f"| `{name}` | {_meaning(getattr(module, name), written.get(name, ''))} |\n"
        for name in module.__all__
    ]
    return section[0].removesuffix(section["rows"]) + "".join(rows)


def _meaning(value: object, written: str) -> str:
    is_alias = isinstance(value, GenericAlias)  # which is a class to `inspect` before Python 3.11
    has_own = inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value)
    if is_alias or not has_own:
        return written
    first = (inspect.getdoc(value) or "").split("\n\n")[0]
    return " ".join(first.split()).replace("|", r"\|")


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
