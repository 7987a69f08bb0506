"""The line of a target's file that describes a part of the target."""

from __future__ import annotations

import sys
from dataclasses import field
from pathlib import Path

from mlir import ir

from forebay.support.records import record

_TARGETS = Path(__file__).parents[1]
_PACKAGE = _TARGETS.parent
_OURS = ("description", "declared", "complete")
"""The packages whose frames are not lines of a description."""

_WITHOUT_LINES = ("pool_options.py", "read.py")
"""Modules that build targets which no file of the user describes."""


@record
class SourceLocation:
    """A line of a file; files of this package are named relative to it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def location(self) -> ir.Location:
        """The line as an MLIR location."""
        return ir.Location.file(self.file, self.line, 1)


@record
class DescribedObject:
    """The base class of the parts of a target: it records the line that describes the part."""

    place: SourceLocation | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", _location_of_caller())

    @property
    def location(self) -> ir.Location:
        """The line as an MLIR location; unknown for a part that no file describes."""
        return ir.Location.unknown() if self.place is None else self.place.location


def _location_of_caller() -> SourceLocation | None:
    """Return the innermost calling line outside of these packages; None if no file describes it."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _is_ours(frame.f_code.co_filename):
        if Path(frame.f_code.co_filename).name in _WITHOUT_LINES:
            return None
        frame = frame.f_back
    return None if frame is None else place_in(frame.f_code.co_filename, frame.f_lineno)


def place_in(file: str, line: int) -> SourceLocation:
    """Return a line of a Python file."""
    path = Path(file)
    if path.is_relative_to(_PACKAGE):
        path = path.relative_to(_PACKAGE.parent)
    return SourceLocation(path.as_posix(), line)


def is_of_descriptions(file: str) -> bool:
    """Return whether a file has classes of targets, and no description of a target."""
    return any(_TARGETS / name in Path(file).parents for name in _OURS)


def _is_ours(file: str) -> bool:
    """Return whether code is of these packages, or generated: `__init__` of a dataclass."""
    return file.startswith("<") or Path(file).name == "dataclasses.py" or is_of_descriptions(file)
