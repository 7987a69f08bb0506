"""The cache of records: a file per key, which is the hash of everything that a record depends on.

These are the bytes of the model, of the files of targets and planners of a user and of the Python
files beside them, the configuration, and the files of Forebay itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec

import forebay
from forebay.formats.reading import DocumentError, read_file
from forebay.formats.sweep_record import SweepRecord
from forebay.formats.writing import json_text
from forebay.sweep.study import Configuration

_STARTED = ".started"


def cache_folder() -> Path:
    """Return the default folder of the cache: below XDG_CACHE_HOME, else ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "forebay" / "sweep"


def key_of(configuration: Configuration) -> str:
    """Return the key of a configuration; a file that cannot be read has no bytes."""
    digest = hashlib.sha256(source_digest().encode())
    named = {"model": "", "network": "", "target_text": "", "planner": ""}
    facts = {**msgspec.to_builtins(configuration), **named}
    digest.update(msgspec.json.encode(facts, order="sorted"))
    digest.update(_file_digest(configuration.model).encode())
    for text in (configuration.target_text.partition(".py:")[0], configuration.planner):
        digest.update(_code_digest(text).encode())
    return digest.hexdigest()


class RecordCache:
    """Records in a folder, one file each; a file that cannot be read counts as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, key: str) -> SweepRecord | None:
        """Return the record of a key, or None."""
        try:
            return read_file(self._path(key), SweepRecord)
        except DocumentError:
            return None

    def store(self, record: SweepRecord) -> None:
        """Write a record, whole or not at all."""
        path = self._path(record.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json_text(record), encoding="utf-8")
        temporary.replace(path)
        path.with_suffix(_STARTED).unlink(missing_ok=True)

    def mark_started(self, key: str) -> None:
        """Note that a worker evaluates a key."""
        path = self._path(key).with_suffix(_STARTED)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def take_started(self, keys: Iterable[str]) -> list[str]:
        """Return those keys that a worker had started and not ended, and forget the notes."""
        started = [key for key in keys if self._path(key).with_suffix(_STARTED).exists()]
        for key in started:
            self._path(key).with_suffix(_STARTED).unlink(missing_ok=True)
        return started

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


@cache
def source_digest() -> str:
    """Return a hash of the sizes and times of all files of the installed Forebay."""
    digest = hashlib.sha256()
    for root in forebay.__path__:
        for path in sorted(_files(Path(root))):
            entry = path.stat()
            digest.update(f"{path}\0{entry.st_size}\0{entry.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root, followlinks=True):
        yield from (Path(folder, name) for name in names if name.endswith((".py", ".so")))


@cache
def _file_digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _code_digest(text: str) -> str:
    """Return the hash of a user's file and of the Python files beside it; a name is its own."""
    path = Path(text if text.endswith(".py") else f"{text}.py")
    if not path.is_file():
        return text
    beside = sorted(path.parent.glob("*.py"))
    return "".join(f"{it.name}{_file_digest(str(it))}" for it in (path, *beside))
