"""Python files of users, run as modules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from forebay.support.user_module import UnreadableFileError, run_file

DATA = """
from __future__ import annotations
from dataclasses import dataclass, fields

@dataclass
class Size:
    bytes: int = 3

SIZE = Size()
KINDS = [field.type for field in fields(Size)]
"""


def test_a_file_is_a_module_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "sizes.py"
    path.write_text(DATA)
    module = run_file(path)
    assert (module.SIZE.bytes, module.KINDS) == (3, ["int"])
    assert module.__file__ == str(path)
    assert sys.modules[module.__name__] is module
    assert type(module.SIZE).__module__ == module.__name__
    assert list(tmp_path.iterdir()) == [path]  # no __pycache__


def test_other_content_is_another_module(tmp_path: Path) -> None:
    path = tmp_path / "number.py"
    path.write_text("N = 1")
    first = run_file(path)
    path.write_text("N = 2")
    second = run_file(path)
    assert (first.N, second.N) == (1, 2)
    assert first.__name__ != second.__name__


def test_annotations_are_not_texts_unless_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("def f(x: int) -> None: ...\nKIND = f.__annotations__['x']")
    assert run_file(path).KIND is int


@pytest.mark.parametrize(
    ("text", "error"), [("x = 1\ndef f(:\n", SyntaxError), ("x = {}['lost']", KeyError)]
)
def test_a_file_that_fails_is_no_module(tmp_path: Path, text: str, error: type[Exception]) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    before = set(sys.modules)
    with pytest.raises(error):
        run_file(path)
    assert set(sys.modules) == before


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"none.py: No such file or directory"):
        run_file(tmp_path / "none.py")
