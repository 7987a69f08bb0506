"""The choice of a form of the program other than C, and the files that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlir import ir

from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.codegen.project.project import project_files, weights_files
from forebay.emissions import CompiledProgram, Emission, TargetEmissionError, emission_of
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of

if TYPE_CHECKING:
    from forebay.engines.machine_code import CodeForm, Processor
    from forebay.options.choices import Optimize


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


def chosen_code(emit: str | None, triple: str | None, cpu: str) -> Processor | None:
    """Return the processor of an object or of LLVM IR; None for another form of the program.

    Raises `ProcessorError` for a processor that LLVM's library here generates no code for, and for
    the triple of another form.
    """
    if emit is None and triple is None:
        return None
    from forebay.engines.machine_code import (  # noqa: PLC0415  (loads MLIR)
        CODE_FORMS,
        ProcessorError,
        processor_of,
    )

    if emit in CODE_FORMS:
        return processor_of(triple, cpu)
    if triple is not None:
        raise ProcessorError("the triple is that of an object: give --emit obj or --emit llvm, too")
    return None


def write_code_project(
    module: ir.Module,
    info: ModelInfo,
    processor: Processor,
    form: CodeForm,
    directory: Path,
    *,
    optimize: Optimize,
) -> Path:
    """Write the C project with the network itself as an object or as LLVM IR."""
    from forebay.engines.machine_code import code_name, machine_code  # noqa: PLC0415

    if info.row_inputs:
        raise EmissionError(
            module.operation.location,
            f"an object cannot call back for the rows of input '{info.row_inputs[0].name}': "
            "write the C project (without --emit), or leave out --input-rows",
        )
    name = code_name(info, form)
    code = machine_code(module, info, processor, form, optimize)
    text = project_files(module, info, name)
    write_directory(directory, {**text, **weights_files(module, info), name: code})
    return directory


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
