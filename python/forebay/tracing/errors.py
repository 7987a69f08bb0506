"""Mistakes in a traced function, at the author's line."""

from __future__ import annotations

from typing import NoReturn

from forebay.errors import Error
from forebay.tracing.lines import AuthorLine, author_line


class TraceError(Error):
    """A traced function does what cannot be traced; `line` is the author's line."""

    def __init__(self, message: str, line: AuthorLine) -> None:
        super().__init__(f"{line.file}:{line.number}: {message}")
        self.message = message
        self.line = line


def mistake(message: str) -> TraceError:
    """Return the error of the author's current line."""
    return TraceError(message, author_line())


def fail(message: str) -> NoReturn:
    """Raise the error of the author's current line."""
    raise mistake(message)
