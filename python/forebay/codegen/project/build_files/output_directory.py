"""Write the files of a run into a directory, all or none, without changing the user's files.

A new directory is written beside its final path and renamed. In an existing directory, new files
are written to a folder inside it and renamed one by one. Meanwhile the manifest holds the old and
the new hash of each file, so that the next run can recover from a run that was killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from forebay.codegen.project.build_files.output_manifest import (
    MANIFEST_NAME,
    Manifest,
    file_digest,
    read_manifest,
)
from forebay.network.errors import OutputDirectoryError
from forebay.support.files import random_suffix
from forebay.support.leftovers import uninterrupted, will_create, will_need

_STAGING = ".forebay-staging-"

Files = Mapping[str, str | bytes]
"""Contents by path; paths use slashes."""


def write_directory(directory: Path, files: Files) -> None:
    """Write these files to `directory`, and remove the other files that an earlier run wrote.

    Raises OutputDirectoryError, and leaves everything as it was, when a file would replace one that
    no run wrote or that was changed since, and when the system refuses an operation.
    """
    directory = directory.absolute()
    contents = {name: _bytes(content) for name, content in files.items()}
    with _as_output_errors(directory):
        if not directory.exists():
            _create(directory, contents)
            return
        with _locked(directory):
            require_replaceable(directory, contents)
            manifest = read_manifest(directory) or Manifest()
            stale = [
                name
                for name in manifest.names
                if name not in contents and manifest.has_written(directory, name)
            ]
            _replace(directory, contents, stale, manifest, Manifest(_hashes(contents)))


def replace_files(directory: Path, files: Files) -> None:
    """Replace files of a written directory, all or none, and update its manifest.

    Raises OutputDirectoryError when the system refuses an operation.
    """
    directory = directory.absolute()
    contents = {name: _bytes(content) for name, content in files.items()}
    with _as_output_errors(directory), _locked(directory):
        before = read_manifest(directory)
        after = None
        if before is not None:
            listed = {n: h for n, h in _hashes(contents).items() if n in before.files}
            after = Manifest({**before.files, **listed})
        _replace(directory, contents, (), before or Manifest(), after)


def require_replaceable(directory: Path, names: Iterable[str] | Callable[[str], bool] = ()) -> None:
    """Raise OutputDirectoryError if files of these names cannot be written into `directory`.

    `names` are the files. If they are not known yet, it is a function that returns whether a file
    that an earlier run wrote will be written again.
    """
    if not directory.exists():
        _require_creatable(directory)
        return
    if not directory.is_dir():
        raise OutputDirectoryError(f"'{directory}' is a file; name a directory")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise OutputDirectoryError(f"'{directory}' cannot be written to")
    manifest = read_manifest(directory)
    if manifest is None and any(not _is_staging(path) for path in directory.iterdir()):
        raise OutputDirectoryError(
            f"'{directory}' holds files but no '{MANIFEST_NAME}': it was not written by forebay "
            "and is "
            "left alone; name an empty or a new directory"
        )
    manifest = manifest or Manifest()
    wanted = filter(names, manifest.names) if callable(names) else names
    for name in wanted:
        _require_own(directory, name, manifest)


def _require_own(directory: Path, name: str, manifest: Manifest) -> None:
    path = directory / name
    for folder in path.relative_to(directory).parents:
        place = directory / folder
        if (place.exists() or place.is_symlink()) and not place.is_dir():
            raise OutputDirectoryError(f"'{place}' is a file, but '{name}' is to be written there")
    if not (path.exists() or path.is_symlink()) or manifest.has_written(directory, name):
        return
    was = "was changed since forebay wrote it" if name in manifest.names else "is not forebay's"
    raise OutputDirectoryError(
        f"'{path}' {was} and would be overwritten; move it away, delete it, or name another "
        "directory"
    )


def _require_creatable(directory: Path) -> None:
    parent = directory.absolute().parent
    while not parent.exists() and not parent.is_symlink():
        parent = parent.parent
    if not parent.is_dir():
        raise OutputDirectoryError(f"'{directory}' cannot be made: '{parent}' is not a directory")
    if directory.is_symlink():
        raise OutputDirectoryError(f"'{directory}' is a link to what is not there")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputDirectoryError(
            f"'{directory}' cannot be made: the directory '{parent}' cannot be written to"
        )


def _create(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Write a sibling directory and rename it."""
    _require_creatable(directory)
    made = [folder for folder in directory.parents if not folder.exists()]
    staging = directory.with_name(f".{directory.name}.{random_suffix()}")
    for folder in reversed(made):
        will_need(folder)
    will_create(staging)
    try:
        staging.mkdir(parents=True)
        _write_all(
            staging, {**contents, MANIFEST_NAME: _manifest_bytes(Manifest(_hashes(contents)))}
        )
        with uninterrupted():
            staging.rename(directory)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _replace(
    directory: Path,
    contents: Mapping[str, bytes],
    stale: Iterable[str],
    before: Manifest,
    after: Manifest | None,
) -> None:
    """Write all files into a staging folder, keep the old ones there, rename; undo on failure."""
    staging = directory / f"{_STAGING}{random_suffix()}"
    will_create(staging)
    stale = tuple(stale)
    try:
        new, old = staging / "new", staging / "old"
        new.mkdir(parents=True)
        old.mkdir()
        _write_all(new, contents)
        _keep(directory, old, [MANIFEST_NAME, *contents, *stale])
        with uninterrupted():
            try:
                if after is not None:
                    both = Manifest(after.files, {**before.replaced, **before.files})
                    _write_one(directory, staging, _manifest_bytes(both))
                for name in contents:
                    (directory / name).parent.mkdir(parents=True, exist_ok=True)
                    (new / name).replace(directory / name)
                for name in stale:
                    _remove(directory, name)
                if after is not None:
                    _write_one(directory, staging, _manifest_bytes(after))
            except BaseException:
                _undo(directory, old, [*contents, *stale, MANIFEST_NAME])
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write_all(directory: Path, contents: Mapping[str, bytes]) -> None:
    for name, data in contents.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _keep(directory: Path, old: Path, names: Iterable[str]) -> None:
    """Create hard links to the files that will be replaced, or copies where links fail."""
    for name in names:
        path, kept = directory / name, old / name
        if not path.exists():
            continue
        kept.parent.mkdir(parents=True, exist_ok=True)
        try:
            kept.hardlink_to(path)
        except OSError:
            shutil.copy2(path, kept)


def _undo(directory: Path, old: Path, names: Iterable[str]) -> None:
    for name in names:
        if (old / name).exists():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (old / name).replace(directory / name)
        else:
            _remove(directory, name)


def _remove(directory: Path, name: str) -> None:
    """Remove a file and the folders that become empty."""
    (directory / name).unlink(missing_ok=True)
    for folder in (directory / name).relative_to(directory).parents[:-1]:
        with suppress(OSError):
            (directory / folder).rmdir()


def _write_one(directory: Path, staging: Path, data: bytes) -> None:
    (staging / MANIFEST_NAME).write_bytes(data)
    (staging / MANIFEST_NAME).replace(directory / MANIFEST_NAME)


def _manifest_bytes(manifest: Manifest) -> bytes:
    return manifest.text().encode()


def _hashes(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {name: file_digest(data) for name, data in contents.items()}


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def _is_staging(path: Path) -> bool:
    return path.name.startswith(_STAGING)


@contextmanager
def _locked(directory: Path) -> Generator[None]:
    """Lock the directory for one run at a time, and remove the staging folders of killed runs."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems do not support locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        for path in directory.iterdir():
            if _is_staging(path) and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def _as_output_errors(directory: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else directory
        raise OutputDirectoryError(f"'{where}': {error.strerror or error}") from error
