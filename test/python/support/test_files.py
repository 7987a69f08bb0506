"""Files that appear whole or not at all, as others expect them."""

import os
import stat
from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.support.files import replaced_when_done, write_whole


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="half way"), replaced_when_done(path) as file:
        file.write(b"ne")
        raise ValueError("half way")
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]
    assert path.read_text() == "old"


def test_a_reader_sees_the_old_file_until_the_new_one_is_there(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    with replaced_when_done(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_others_may_read_it_as_the_user_s_mask_says(tmp_path: Path) -> None:
    write_whole(tmp_path / "report.json", "text")
    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE((tmp_path / "report.json").stat().st_mode)
    assert mode == 0o666 & ~mask


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(path, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert path.is_fifo()


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Error, match="there is no directory"):
        write_whole(tmp_path / "missing" / "report.json", "text")
