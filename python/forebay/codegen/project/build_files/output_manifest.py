"""`forebay-manifest.json`: the files of a directory that forebay wrote, and their hashes.

A later run may replace or remove a file whose bytes match the manifest. A file that was changed
since, and every file that is not listed, belongs to the user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from forebay.network.errors import OutputDirectoryError

MANIFEST_NAME = "forebay-manifest.json"


class Manifest(Struct, frozen=True):
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
        return file_digest(path.read_bytes()) in known

    def text(self) -> str:
        """Return the manifest as JSON text."""
        from msgspec import UNSET  # noqa: PLC0415

        from forebay.formats.output_manifest import OutputManifest  # noqa: PLC0415
        from forebay.formats.writing import json_text  # noqa: PLC0415

        return json_text(
            OutputManifest(
                format="forebay-manifest",
                version=1,
                files=dict(sorted(self.files.items())),
                replaced=dict(sorted(self.replaced.items())) or UNSET,
            )
        )


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest of a directory, or None if there is none.

    Raises OutputDirectoryError when the file of that name is not a manifest.
    """
    path = directory / MANIFEST_NAME
    if not path.exists() and not path.is_symlink():
        return None
    from msgspec import UNSET  # noqa: PLC0415

    from forebay.formats.output_manifest import OutputManifest  # noqa: PLC0415
    from forebay.formats.reading import DocumentError, read_file  # noqa: PLC0415

    try:
        manifest = read_file(path, OutputManifest)
        replaced = {} if manifest.replaced is UNSET else manifest.replaced
        _check_paths(path, [*manifest.files, *replaced])
    except DocumentError as error:
        raise OutputDirectoryError(
            f"'{path}' is no manifest of this version, so it is not known which files here may be "
            f"replaced; name another directory ({error})"
        ) from error
    return Manifest(manifest.files, replaced)


def is_output(path: Path, directory: Path) -> bool:
    """Return whether the path is the manifest of a directory, or a file that it lists.

    Raises OutputDirectoryError when the manifest cannot be read.
    """
    try:
        name = path.resolve().relative_to(directory.resolve()).as_posix()
    except ValueError:
        return False
    manifest = read_manifest(directory)
    return name == MANIFEST_NAME or (manifest is not None and name in manifest.names)


def file_digest(data: bytes) -> str:
    """Return the SHA-256 in the manifest's form."""
    return hashlib.sha256(data).hexdigest()


def _check_paths(manifest: Path, names: Iterable[str]) -> None:
    """Raise DocumentError for a path that leads out of the directory."""
    from forebay.formats.reading import DocumentError  # noqa: PLC0415

    for name in names:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise DocumentError(f"{manifest}: '{name}' is not a path inside of the directory")
