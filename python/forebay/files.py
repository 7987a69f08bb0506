"""Files that appear whole or not at all."""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from forebay.errors import Error


@contextmanager
def replaced_when_done(path: Path) -> Generator[IO[bytes]]:
    """A binary file beside `path` that takes its name when the block ends without an exception.

    What is there and no file, a pipe or a device, is written to directly. Raises `Error` when the
    folder cannot be written to.
    """
    is_file = not path.exists() or path.is_file()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}") if is_file else path
    try:
        opened = temporary.open("xb" if is_file else "wb")
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
    if not is_file:
        with opened as file:
            yield file
        return
    try:
        with opened as file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text file that appears whole or not at all. Raises `Error` where it cannot be."""
    with replaced_when_done(path) as file:
        file.write(text.encode())
