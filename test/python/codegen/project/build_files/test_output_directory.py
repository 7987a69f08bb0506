"""Directories that runs write: all files or none, and no file of the user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forebay.codegen.project.build_files import output_directory
from forebay.codegen.project.build_files.output_directory import (
    replace_files,
    require_replaceable,
    write_directory,
)
from forebay.codegen.project.build_files.output_manifest import MANIFEST_NAME
from forebay.network.errors import OutputDirectoryError

FIRST = {"net.c": "one", "net_weights.c": "weights", "zephyr/module.yml": "name"}
SECOND = {"net.c": "two", "net.h": "header"}


def contents(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): path.read_text()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != MANIFEST_NAME
    }


def test_a_run_replaces_what_the_run_before_wrote(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    write_directory(out, SECOND)
    assert contents(out) == SECOND
    assert not (out / "zephyr").exists()  # empty, and made by the first run
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_of_the_user_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    mine = {"main.c": "mine", "zephyr/prj.conf": "mine", "build/net.o": "mine"}
    for name, text in mine.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text)
    write_directory(out, SECOND)
    assert contents(out) == SECOND | mine


def test_a_changed_file_is_the_user_s(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    (out / "net.c").write_text("edited")
    before = (out / MANIFEST_NAME).read_text()
    with pytest.raises(OutputDirectoryError, match=r"net\.c' was changed since forebay wrote it"):
        write_directory(out, SECOND)
    assert contents(out) == FIRST | {"net.c": "edited"}
    assert (out / MANIFEST_NAME).read_text() == before
    assert {path.name for path in out.iterdir()} == {*SECOND, *FIRST, MANIFEST_NAME, "zephyr"} - {
        "net.h",
        "zephyr/module.yml",
    }


def test_a_changed_file_that_is_made_no_more_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    (out / "net_weights.c").write_text("edited")
    write_directory(out, SECOND)
    assert contents(out) == SECOND | {"net_weights.c": "edited"}
    with pytest.raises(OutputDirectoryError, match=r"net_weights\.c' is not forebay's"):
        write_directory(out, FIRST)


def test_a_file_beside_the_manifest_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    (out / "net.h").write_text("mine")
    with pytest.raises(OutputDirectoryError, match=r"net\.h' is not forebay's"):
        write_directory(out, SECOND)
    assert contents(out) == FIRST | {"net.h": "mine"}


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_links_and_folders_in_place_of_a_file_are_the_user_s(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    (out / "net.c").rename(tmp_path / "elsewhere.c")
    if kind == "link":
        (out / "net.c").symlink_to(tmp_path / "elsewhere.c")
    else:
        (out / "net.c").mkdir()
    with pytest.raises(OutputDirectoryError, match=r"net\.c' was changed"):
        write_directory(out, FIRST)
    assert (tmp_path / "elsewhere.c").read_text() == "one"


def test_a_directory_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputDirectoryError, match="it was not written by forebay"):
        require_replaceable(tmp_path)
    (tmp_path / "thesis.tex").rename(tmp_path / MANIFEST_NAME)
    with pytest.raises(
        OutputDirectoryError, match=r"no manifest of this version.*line 1, column 1"
    ):
        require_replaceable(tmp_path)


def test_an_empty_directory_stays_the_same_one(tmp_path: Path) -> None:
    inode = tmp_path.stat().st_ino
    write_directory(tmp_path, FIRST)
    assert contents(tmp_path) == FIRST
    assert tmp_path.stat().st_ino == inode


def test_a_manifest_leads_nowhere_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    manifest = json.loads((out / MANIFEST_NAME).read_text())
    (tmp_path / "mine").write_text("one")
    manifest["files"]["../mine"] = manifest["files"]["net.c"]
    (out / MANIFEST_NAME).write_text(json.dumps(manifest))
    with pytest.raises(OutputDirectoryError, match=r"no manifest of this version.*'../mine'"):
        write_directory(out, SECOND)
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize("failing", range(6))
def test_a_failure_at_any_rename_undoes_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    before = (out / MANIFEST_NAME).read_text()
    renames = 0
    replace, unlink = Path.replace, Path.unlink

    def counted(path: Path) -> None:
        nonlocal renames
        renames += 1
        if renames == failing + 1:
            raise OSError(28, "No space left on device", str(path))

    def failing_replace(self: Path, target: Path) -> Path:
        counted(self)
        return replace(self, target)

    def failing_unlink(self: Path, missing_ok: bool = False) -> None:
        counted(self)
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "replace", failing_replace)
    monkeypatch.setattr(Path, "unlink", failing_unlink)
    # manifest, net.c, net.h, then net_weights.c and module.yml away, manifest
    with pytest.raises(OutputDirectoryError, match="No space left on device"):
        write_directory(out, SECOND)
    assert contents(out) == FIRST
    assert (out / MANIFEST_NAME).read_text() == before
    assert not list(out.glob(".forebay*"))


@pytest.mark.parametrize("last", range(6))
def test_the_next_run_recovers_from_one_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    (out / "main.c").write_text("mine")
    with monkeypatch.context() as patched:
        renames = 0
        replace, unlink = Path.replace, Path.unlink

        def dead_replace(self: Path, target: Path) -> Path:
            nonlocal renames
            renames += 1
            return replace(self, target) if renames <= last else target

        def dead_unlink(self: Path, missing_ok: bool = False) -> None:
            nonlocal renames
            renames += 1
            if renames <= last:
                unlink(self, missing_ok)

        patched.setattr(Path, "replace", dead_replace)
        patched.setattr(Path, "unlink", dead_unlink)
        patched.setattr(output_directory.shutil, "rmtree", lambda *_, **__: None)
        write_directory(out, SECOND)
    assert list(out.glob(".forebay-staging-*"))
    write_directory(out, {"net.c": "three"})
    assert contents(out) == {"net.c": "three", "main.c": "mine"}
    assert not list(out.glob(".forebay*"))


def test_new_contents_of_single_files_are_the_manifest_s(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_directory(out, FIRST)
    replace_files(out, {"net_weights.c": "new"})
    assert contents(out) == FIRST | {"net_weights.c": "new"}
    write_directory(out, SECOND)  # nothing was changed by the user
    assert contents(out) == SECOND


def test_an_impossible_output_is_reported_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputDirectoryError, match="is a file; name a directory"):
        require_replaceable(tmp_path / "file")
    with pytest.raises(OutputDirectoryError, match="file' is not a directory"):
        require_replaceable(tmp_path / "file" / "out")
    (tmp_path / "link").symlink_to(tmp_path / "absent")
    with pytest.raises(OutputDirectoryError, match="a link to what is not there"):
        require_replaceable(tmp_path / "link")
    monkeypatch.setattr(output_directory.os, "access", lambda *_: False)  # root may write
    with pytest.raises(OutputDirectoryError, match="cannot be made: the directory"):
        require_replaceable(tmp_path / "out")
    with pytest.raises(OutputDirectoryError, match="cannot be written to"):
        require_replaceable(tmp_path)


def test_failed_runs_leave_no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputDirectoryError, match="No space left on device"):
        write_directory(tmp_path / "a" / "b" / "out", FIRST)
    assert list(tmp_path.iterdir()) == []
