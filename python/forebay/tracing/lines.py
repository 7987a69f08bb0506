"""The line of the author's file that a step of a trace comes from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

_TRACING = str(Path(__file__).parent)


@dataclass(frozen=True)
class AuthorLine:
    """A line of the file with the traced function, or of a helper that it calls."""

    file: str
    number: int


def author_line() -> AuthorLine:
    """Return the innermost calling line outside of this package."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_TRACING):
        frame = frame.f_back
    return AuthorLine(frame.f_code.co_filename, frame.f_lineno)


def line_of(function: Callable[..., object]) -> AuthorLine:
    """Return the line where a function is defined; of other callables, the author's line."""
    code = getattr(without_partial(function), "__code__", None)
    if code is None:
        return author_line()
    return AuthorLine(code.co_filename, code.co_firstlineno)


def without_partial(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function to which `functools.partial` gave some of the arguments."""
    while isinstance(function, partial):
        function = function.func
    return function
