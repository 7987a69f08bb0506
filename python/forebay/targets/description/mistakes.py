"""Report exceptions in the Python code of a pattern at the pattern's own line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

from forebay.errors import Error
from forebay.ir.refused import RefusedError
from forebay.ir.tosa_constants import UnsupportedFormError
from forebay.targets.description.errors import TargetError
from forebay.targets.description.source_location import (
    DescribedObject,
    is_of_descriptions,
    place_in,
)

_T = TypeVar("_T")


def refuse(message: str) -> NoReturn:
    """Raise `TargetError` at the line of the innermost caller outside of these packages."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and is_of_descriptions(frame.f_code.co_filename):
        frame = frame.f_back
    raise TargetError(message, place_in(frame.f_code.co_filename, frame.f_lineno))


def run_user_code(what: str, pattern: DescribedObject, code: Callable[[], _T]) -> _T:
    """Run code of a pattern and return its result.

    Raises `TargetError` with the name and line of the pattern for any exception that is not an
    `Error`, and for an error about IR, which does not name the pattern.
    """
    try:
        return code()
    except Exception as error:
        if isinstance(error, Error) and not isinstance(error, RefusedError | UnsupportedFormError):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        mine = pattern.place
        lines = [f.lineno for f in frames if mine and place_in(f.filename, 1).file == mine.file]
        place = mine
        if mine is not None and lines and lines[-1]:
            place = place_in(mine.file, lines[-1])
        raise TargetError(
            f"pattern '{what}' fails: {type(error).__name__}: {error}", place
        ) from error
