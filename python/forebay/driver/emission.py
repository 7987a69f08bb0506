"""The choice of a target's emission, and the files that it writes."""

from __future__ import annotations

from pathlib import Path

from mlir import ir

from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.codegen.project.project import project_files, weights_files
from forebay.emissions import CompiledProgram, Emission, TargetEmissionError, emission_of
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of


def chosen_emission(target: str | None, name: str | None) -> Emission | None:
    """Return the emission of a target (as text) with this name; None without a name.

    Raises `TargetEmissionError` for a name that the target does not have, and without a target.
    """
    from forebay import targets  # noqa: PLC0415  (loads MLIR)

    if name is None:
        return None
    if target is None:
        raise TargetEmissionError(
            f"emission '{name}' needs a target that has it: --target NAME|FILE"
        )
    chosen = targets.load(target)
    return emission_of(chosen.name, chosen.emissions, name)


def require_emission_directory(directory: Path) -> None:
    """Raise `OutputDirectoryError` if no emission can write into the directory."""
    require_replaceable(directory)


def emit_project(emission: Emission, module: ir.Module, info: ModelInfo, directory: Path) -> Path:
    """Write the files of an emission to the directory, completely or not at all.

    EmittedFiles of an earlier run are replaced or removed; the user's own are kept.
    """
    require_emission_directory(directory)
    project = {**project_files(module, info), **weights_files(module, info)}
    program = CompiledProgram(naming_of(info).prefix, project, info, module)
    write_directory(directory, emission.files_of(program))
    return directory
