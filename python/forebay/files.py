"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from forebay.errors import Error


@contextmanager
def replaced_when_done(path: Path) -> Generator[IO[bytes]]:
    """A binary file beside `path` that takes its name when the block ends without an exception.

    Raises `Error` when the folder cannot be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
