"""The errors of writing, building and running a project."""

from __future__ import annotations

from mlir.ir import Location

from forebay.errors import Error
from forebay.ir.locations import describe_location


class CodegenError(Error):
    """A C project that cannot be written, built or called."""


class EmissionError(CodegenError):
    """An op without a C form; the message contains its location."""

    def __init__(self, location: Location, reason: str) -> None:
        super().__init__(f"{describe_location(location)}: {reason}")
        self.reason = reason


class OutputDirectoryError(CodegenError):
    """An output directory that must not be replaced, or cannot be written."""


class CompilerError(CodegenError):
    """The C compiler is missing, or it refused the project."""
