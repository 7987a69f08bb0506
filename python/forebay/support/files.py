"""Atomic file writes: a file appears complete or not at all."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from forebay.errors import Error
from forebay.support.leftovers import will_create


@contextmanager
def replaced_when_done(path: Path) -> Generator[IO[bytes]]:
    """Open a temporary binary file that is renamed to `path` if the block raises no exception.

    An existing pipe or device is written directly. For a symbolic link, the file that it refers to
    is replaced. Raises `Error` when the file cannot be written.
    """
    require_writable(path)
    path = path.resolve() if path.is_symlink() else path
    with _named(path):
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        temporary = path.with_name(f".{path.name}.{random_suffix()}")
        will_create(temporary)
        try:
            with temporary.open("xb") as file:
                yield file
            if path.exists():
                shutil.copymode(path, temporary)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_whole(path: Path, text: str) -> None:
    """Write a text file atomically; raise `Error` when it cannot be written."""
    with replaced_when_done(path) as file:
        file.write(text.encode(errors="surrogateescape"))


def random_suffix() -> str:
    """Return eight digits that make the name of a temporary file or folder unique."""
    return os.urandom(4).hex()  # `secrets` imports cryptography that nothing here needs


def printable(name: str) -> str:
    """Return a file name as valid UTF-8; other bytes become escapes such as `\\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def require_writable(path: Path) -> None:
    """Raise `Error` if a check before writing shows that `path` cannot be written."""
    if path.is_dir():
        raise Error(f"{path}: is a directory; name a file")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise Error(f"{path}: there is no directory '{path.parent}'")
    if path.exists() and not os.access(path, os.W_OK):
        raise Error(f"{path}: cannot be written; it is read-only")
    if not os.access(folder, os.W_OK | os.X_OK) and (not path.exists() or path.is_file()):
        raise Error(f"{path}: the directory '{path.parent}' cannot be written to")


@contextmanager
def _named(path: Path) -> Generator[None]:
    """Convert operating system errors in the block to `Error`s that name the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
