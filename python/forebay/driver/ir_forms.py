"""The program as IR at a stage of the compilation, for people and for `forebay-opt`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from mlir import ir

from forebay.codegen.project.build_files.output_directory import write_directory
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of
from forebay.options import Options
from forebay.pipelines import run_together, stages
from forebay.pipelines.build import BuiltProgram

IrForm = Literal["tosa", "linalg", "planned", "memref"]
IR_FORMS: tuple[IrForm, ...] = get_args(IrForm)
"""As imported; kernels on tensors; buffers with their plan; loops on views of pools."""


def ir_name(info: ModelInfo, form: IrForm) -> str:
    """Return the name of the file of a form."""
    return f"{naming_of(info).prefix}.{form}.mlir"


def ir_text(form: IrForm, built: BuiltProgram, source: ir.Operation, options: Options) -> str:
    """Return the program at a stage as text with locations; `source` is the imported module."""
    if form == "tosa":
        return _text(source)
    if form == "linalg":
        module = ir.Module.parse(_text(source))
        run_together(module, stages.lowering_passes(options))
        return _text(module.operation)
    return _text(built.planned if form == "planned" else built.final.operation)


def write_ir(text: str, name: str, directory: Path) -> Path:
    """Write the text into a directory, as every output of a compilation."""
    write_directory(directory, {name: text})
    return directory


def _text(op: ir.Operation) -> str:
    return f"{op.get_asm(enable_debug_info=True)}\n"
