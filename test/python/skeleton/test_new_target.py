"""`forebay new-target`: files that run as they are, and no file of the user's overwritten."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from forebay.cli.parser import run
from forebay.skeleton.new_target import SkeletonError, files_of, write_new_target


def test_the_files_have_the_name_everywhere() -> None:
    files = files_of("tensor9")
    assert set(files) == {"tensor9.py", "tensor9_driver.c", "test_tensor9.py"}
    assert not any("my_npu" in text for text in files.values())
    assert 'Target("tensor9"' in files["tensor9.py"]
    assert "int32_t tensor9_fc(" in files["tensor9_driver.c"]


@pytest.mark.parametrize("name", ["", "My", "9a", "a-b", "a/b", "../a", "a b"])
def test_what_is_no_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(SkeletonError, match="is no name of a target"):
        write_new_target(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    own = tmp_path / "test_mine.py"
    own.write_text("kept", encoding="utf-8")
    with pytest.raises(SkeletonError, match=r"test_mine\.py exists; nothing was written"):
        write_new_target("mine", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["test_mine.py"]
    assert own.read_text(encoding="utf-8") == "kept"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SkeletonError, match="file: is a file; name a directory"):
        write_new_target("mine", tmp_path / "file")


def test_the_command_says_what_to_do_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new-target", "mine"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "wrote mine/mine.py",
        "wrote mine/mine_driver.c",
        "wrote mine/test_mine.py",
        "compile a network: forebay compile net.tflite --target ./mine/mine.py --offload-report -",
        "run the test:      python -m pytest mine/test_mine.py",
    ]


@pytest.mark.slow
def test_the_files_run_as_they_are(tmp_path: Path) -> None:
    write_new_target("mine", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.search(r"^7 passed", done.stdout, re.MULTILINE), done.stdout
