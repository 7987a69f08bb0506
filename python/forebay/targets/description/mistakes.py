"""Mistakes in the Python of a pattern, reported at its own line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from forebay.errors import Error
from forebay.targets.description.errors import TargetError
from forebay.targets.description.place import Described, place_in

T = TypeVar("T")
_HERE = Path(__file__).parent


def refuse(message: str) -> NoReturn:
    """Raise `TargetError` at the line outside of this package that led here."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and _HERE in Path(frame.f_code.co_filename).parents:
        frame = frame.f_back
    raise TargetError(message, place_in(frame.f_code.co_filename, frame.f_lineno))


def run_user_code(what: str, pattern: Described, code: Callable[[], T]) -> T:
    """What the code of a pattern gives; whatever it raises names the pattern and its line."""
    try:
        return code()
    except Error:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        mine = pattern.place
        lines = [f.lineno for f in frames if mine and place_in(f.filename, 1).file == mine.file]
        place = mine
        if mine is not None and lines and lines[-1]:
            place = place_in(mine.file, lines[-1])
        raise TargetError(
            f"pattern '{what}' fails: {type(error).__name__}: {error}", place
        ) from error
