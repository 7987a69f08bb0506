"""`docs/api.md` lists every public name with its docstring's first paragraph, and its code runs."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import forebay
import forebay.api
from forebay.api.page import with_tables

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
WRITE = "python -m forebay.api.page docs/api.md"
SECTION = re.compile(r"^## .*: `([\w.]+)`$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PARTS = SECTION.split(PAGE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
MODULES = [forebay.__name__] + [
    f"forebay.api.{module.name}"
    for module in pkgutil.iter_modules(forebay.api.__path__)
    if module.ispkg
]
EXAMPLES = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in SECTIONS.items()
    if name != "forebay"  # it compiles a file that a user has
    for number, code in enumerate(CODE.findall(text))
]


def test_each_public_module_has_a_section() -> None:
    assert sorted(SECTIONS) == sorted(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_the_table_lists_the_names_of_the_module(name: str) -> None:
    listed = [row[0] for row in ROW.findall(SECTIONS[name])]
    assert listed == importlib.import_module(name).__all__, WRITE


def test_the_meanings_are_those_of_the_docstrings() -> None:
    assert with_tables(PAGE) == PAGE, WRITE


def test_every_name_has_a_meaning() -> None:
    assert [name for name, meaning in ROW.findall(PAGE) if not meaning.strip()] == []


def test_every_module_has_an_example() -> None:
    assert all(CODE.search(text) for text in SECTIONS.values())


@pytest.mark.parametrize("name", ["api", "api.formats", "api.planner", "api.regions"])
def test_what_needs_no_mlir_does_not_load_it(name: str) -> None:
    program = f"import sys, forebay.{name}; sys.exit('mlir' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_run(code: str) -> None:
    exec(compile(code, "docs/api.md", "exec"), {"__name__": "example"})
