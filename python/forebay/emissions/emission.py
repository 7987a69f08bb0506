"""The interface of an emission: what it is given, and the files that it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from mlir import ir
from msgspec import Struct

from forebay.errors import Error
from forebay.network.model import ModelInfo
from forebay.support.user_code import error_summary, location_of

EmittedFiles = Mapping[str, str | bytes]
"""Contents of files by path, relative to the directory of the output; paths use slashes."""


class TargetEmissionError(Error):
    """A target has no such emission, or an emission returned something else than files."""


class CompiledProgram(Struct, frozen=True, eq=False):
    """A compiled network with its self-test, as an emission sees it.

    `prefix` is the prefix of all C names of the project. `project` holds the files of the C
    project, self-test included. `info` has the ports, the planned pools and buffers, and in
    `golden` the inputs and expected outputs of the self-test. `module` is the program as C prints
    it: loops on memory, all addresses constant.
    """

    prefix: str
    project: EmittedFiles
    info: ModelInfo
    module: ir.Module


class Emission(Struct, frozen=True):
    """A form in which a target writes a compiled network, instead of the C project.

    `forebay compile MODEL --target TARGET --emit NAME` calls `write(program)` and writes the files
    that it returns, all or none. It may raise `Error` for a program that has no such form.
    """

    name: str
    write: Callable[[CompiledProgram], EmittedFiles]

    def files_of(self, program: CompiledProgram) -> EmittedFiles:
        """Return the files of a program.

        Raises `TargetEmissionError` at the line of the user's code when `write` fails, and for a
        path outside of the directory.
        """
        try:
            files = dict(self.write(program))
        except Error:
            raise
        except Exception as error:
            place = location_of(error)
            if place is None:
                raise
            raise TargetEmissionError(
                f"{place}: emission '{self.name}' failed: {error_summary(error)}"
            ) from error
        for path in files:
            if not _is_inside(path):
                raise TargetEmissionError(
                    f"emission '{self.name}' returns the file '{path}'; a path is relative, "
                    "without '..', and uses slashes"
                )
        if not files:
            raise TargetEmissionError(f"emission '{self.name}' returns no files")
        return files


def emission_of(target: str, emissions: Iterable[Emission], name: str) -> Emission:
    """Return the emission of this name; raise `TargetEmissionError` if the target has none."""
    known = {emission.name: emission for emission in emissions}
    if name not in known:
        raise TargetEmissionError(
            f"target '{target}' has no emission '{name}'; it has {', '.join(known) or 'none'}"
        )
    return known[name]


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return bool(parts.parts) and not parts.is_absolute() and ".." not in parts.parts
