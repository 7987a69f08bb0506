"""What goes wrong on the way out."""

from __future__ import annotations

from mlir.ir import Location

from forebay.errors import Error
from forebay.ir.locations import describe_location


class CodegenError(Error):
    """A C project cannot be written, built or called."""


class EmissionError(CodegenError):
    """An op has no C form; says where it is."""

    def __init__(self, location: Location, reason: str) -> None:
        super().__init__(f"{describe_location(location)}: {reason}")
        self.reason = reason


class OutputDirectoryError(CodegenError):
    """The output directory is not ours to replace."""


class CompilerError(CodegenError):
    """No C compiler, or it refused the project."""
