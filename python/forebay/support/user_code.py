"""Location of errors in the user's own Python code, so that messages name the user's line."""

from __future__ import annotations

import os
import sysconfig
import traceback
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).parents[1]


class CodeLocation(NamedTuple):
    """A line of a Python file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def location_of(error: BaseException) -> CodeLocation | None:
    """Return the innermost line of the user's own code in the traceback of an exception.

    Returns None when no user code is in the traceback: the exception is then a bug of Forebay. For
    a `SyntaxError` it returns the line that the parser reports.
    """
    if isinstance(error, SyntaxError) and error.filename and _is_user_s(error.filename):
        return CodeLocation(_shown(error.filename), error.lineno or 1)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_user_s(frame.filename):
            return CodeLocation(_shown(frame.filename), frame.lineno or 1)
    return None


def error_summary(error: BaseException) -> str:
    """Return the class name and the text of an exception in one line."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(f"{type(error).__name__}: {text}".split()).rstrip(":")


def bug_summary(error: BaseException) -> str:
    """Return class and text of an exception, and the innermost line of Forebay's code if known."""
    frames = traceback.extract_tb(error.__traceback__)
    in_package = [frame for frame in frames if _PACKAGE in Path(frame.filename).parents] or frames
    where = (
        f" at {Path(in_package[-1].filename).name}:{in_package[-1].lineno}" if in_package else ""
    )
    return f"{error_summary(error)}{where}"


@cache
def _is_user_s(file: str) -> bool:
    if file.startswith("<"):
        return False
    path = Path(file).resolve()
    is_installed = {"site-packages", "dist-packages"} & {*path.parts}
    if not is_installed and Path(sysconfig.get_path("stdlib")).resolve() in path.parents:
        return False
    return not any(folder in path.parents for folder in _libraries())


@cache
def _libraries() -> tuple[Path, ...]:
    """Return the folders of Forebay and its dependencies; code elsewhere belongs to the user."""
    packages = [find_spec(name) for name in ("forebay", "forebay.passes", "mlir", "numpy")]
    found = [Path(place) for it in packages if it for place in it.submodule_search_locations or ()]
    return tuple(folder.resolve() for folder in found)


def _shown(file: str) -> str:
    """Return the path relative to the current folder if the file is below it."""
    path = Path(file)
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return os.fspath(path)
