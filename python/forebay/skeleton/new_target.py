"""Write the files of a new target, and nothing over files that are there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from forebay.errors import Error
from forebay.support.files import write_whole

_NAME = "my_npu"
_FILES = {
    "{}.py": "target.py.txt",
    "{}_driver.c": "driver.c.txt",
    "test_{}.py": "test.py.txt",
}
"""The name of each file for a target's name, and the file in this package."""


class SkeletonError(Error):
    """A name that no target can have, or a file that is there already."""


def files_of(name: str) -> Mapping[str, str]:
    """Return the content of each file of a new target by its name.

    Raises `SkeletonError` for a name that is no identifier of Python and C.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise SkeletonError(
            f"'{name}' is no name of a target, which is a Python file and begins C functions; use "
            "lower-case letters, digits and underscores: my_npu"
        )
    folder = resources.files("forebay.skeleton") / "files"
    return {
        form.format(name): (folder / source).read_text(encoding="utf-8").replace(_NAME, name)
        for form, source in _FILES.items()
    }


def write_new_target(name: str, folder: Path) -> list[Path]:
    """Write the files of a new target to a folder, and return their paths.

    Raises `SkeletonError`, and writes nothing, if any of the files exists.
    """
    if folder.exists() and not folder.is_dir():
        raise SkeletonError(f"{folder}: is a file; name a directory")
    files = {folder / file: text for file, text in files_of(name).items()}
    for path in files:
        if path.exists() or path.is_symlink():
            raise SkeletonError(
                f"{path} exists; nothing was written. Choose another name or folder"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            write_whole(path, text)
    except OSError as error:
        raise SkeletonError(f"{error.filename or folder}: {error.strerror or error}") from error
    return list(files)
