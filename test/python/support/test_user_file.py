"""A user's file runs as a module of its own; errors name the file and the line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.support.user_file import run_user_file


def test_a_changed_file_is_another_module(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    values = []
    for value in (1, 2):
        file.write_text(f"x = {value}")
        module = run_user_file(file, Error)
        values.append(module.x)
        assert sys.modules[module.__name__] is module
    assert values == [1, 2]


def test_errors_are_of_the_given_class(tmp_path: Path) -> None:
    class MineError(Error):
        pass

    with pytest.raises(MineError, match=r"none\.py: No such file or directory"):
        run_user_file(tmp_path / "none.py", MineError)
    (tmp_path / "wrong.py").write_text("a = 1\nb = a +\n")
    with pytest.raises(MineError, match=r"wrong\.py:2: SyntaxError"):
        run_user_file(tmp_path / "wrong.py", MineError)
    (tmp_path / "raises.py").write_text("\nraise KeyError('k')\n")
    with pytest.raises(MineError, match=r"raises\.py:2: KeyError: 'k'"):
        run_user_file(tmp_path / "raises.py", MineError)
