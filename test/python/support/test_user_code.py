import json
import runpy
from pathlib import Path

import pytest

from forebay.support.user_code import error_summary, location_of


def failing(path: Path, text: str) -> BaseException:
    path.write_text(text)
    with pytest.raises(BaseException) as caught:
        runpy.run_path(str(path))
    return caught.value


def test_the_innermost_line_of_the_user_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import json\n\ndef f():\n    return json.loads('{')\n\nf()\n"
    found = location_of(failing(tmp_path / "mine.py", text))
    assert str(found) == "mine.py:4"  # not the line of the json module


def test_a_syntax_error_is_at_its_own_line(tmp_path: Path) -> None:
    found = location_of(failing(tmp_path / "mine.py", "x = 1\ny = = 2\n"))
    assert found is not None
    assert (Path(found.file).name, found.line) == ("mine.py", 2)


def test_an_error_without_code_of_the_user_has_no_place() -> None:
    error = json.JSONDecodeError("no frame", "{", 0)
    assert location_of(error) is None


def test_a_summary_is_one_line() -> None:
    assert error_summary(ValueError("two\n  lines")) == "ValueError: two lines"
    assert error_summary(KeyError()) == "KeyError"
