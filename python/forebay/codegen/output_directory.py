"""Writes a directory as a whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .errors import OutputDirectoryError


def write_directory(directory: Path, files: Mapping[str, str | bytes], manifest: str) -> None:
    """Replace `directory` by `files`; it must be absent, empty, or hold our manifest.

    Everything is written to a sibling first and then renamed, so that no reader and no failure
    ever sees a part of it.
    """
    directory = directory.absolute()
    require_replaceable(directory, manifest)
    directory.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        new = staging / "new"
        new.mkdir()
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(data)
        if directory.exists():
            directory.rename(staging / "old")
        new.rename(directory)
    finally:
        if (staging / "old").exists() and not directory.exists():
            (staging / "old").rename(directory)
        shutil.rmtree(staging, ignore_errors=True)


def require_replaceable(directory: Path, manifest: str) -> None:
    """Raise OutputDirectoryError where `directory` holds something that is not ours."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise OutputDirectoryError(f"'{directory}' is a file; name a directory")
    if any(directory.iterdir()) and not (directory / manifest).is_file():
        raise OutputDirectoryError(
            f"'{directory}' holds files but no '{manifest}': it was not written by forebay and is "
            "left alone; name an empty or a new directory"
        )
