"""`forebay-manifest.json`: the files of a directory that forebay wrote, and their hashes.

A later run may replace or remove a file whose bytes match the manifest. A file that was changed
since, and every file that is not listed, belongs to the user.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from forebay.network.errors import OutputDirectoryError

NAME = "forebay-manifest.json"
_FORMAT = "forebay-manifest"
_VERSION = 1


@dataclass(frozen=True)
class Manifest:
    """The SHA-256 of each file in the directory, by path.

    `replaced` are the files of the previous run while they are being replaced; they remain listed
    if the run is killed then.
    """

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def names(self) -> tuple[str, ...]:
        """Return all listed file names, sorted."""
        return tuple(sorted({*self.files, *self.replaced}))

    def has_written(self, directory: Path, name: str) -> bool:
        """Return whether the file exists with the bytes that were written to it."""
        known = {hashes[name] for hashes in (self.files, self.replaced) if name in hashes}
        path = directory / name
        if not known or path.is_symlink() or not path.is_file():
            return False
        return digest(path.read_bytes()) in known

    def text(self) -> str:
        """Return the manifest as JSON text."""
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "files": dict(sorted(self.files.items())),
        }
        if self.replaced:
            content["replaced"] = dict(sorted(self.replaced.items()))
        return json.dumps(content, indent=1) + "\n"


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest of a directory, or None if there is none.

    Raises OutputDirectoryError when the file of that name is not a manifest.
    """
    path = directory / NAME
    if not path.exists() and not path.is_symlink():
        return None
    try:
        content: Any = json.loads(path.read_text("utf-8"))
        if (content["format"], content["version"]) == (_FORMAT, _VERSION):
            return Manifest(_hashes(content["files"]), _hashes(content.get("replaced", {})))
        error: Exception | None = None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as caught:
        error = caught
    raise OutputDirectoryError(
        f"'{path}' is no manifest of this version, so it is not known which files here may be "
        "replaced; name another directory"
    ) from error


def digest(data: bytes) -> str:
    """Return the SHA-256 in the manifest's form."""
    return hashlib.sha256(data).hexdigest()


def _hashes(entries: Any) -> dict[str, str]:
    """Return hashes by path; raise ValueError for a path that leads out of the directory."""
    found = {str(name): str(value) for name, value in entries.items()}
    for name in found:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(name)
    return found
