"""Writes a materialised, loop-level module as a C project."""

from __future__ import annotations

from pathlib import Path

from mlir.ir import Module

from .cmake import write_cmake
from .constants import constants_of
from .header import write_header
from .memory_map import write_memory_map
from .model import ModelInfo
from .names import naming_of
from .output_directory import require_replaceable, write_directory
from .pools_file import write_pools
from .selftest import write_selftest
from .source import write_source
from .weights import check_constants, write_weights_header, write_weights_source


def project_files(module: Module, model: ModelInfo) -> dict[str, str]:
    """Return the files of the project by name; EmissionError at an op that has no C."""
    naming = naming_of(model)
    constants = constants_of(module)
    check_constants(model, constants)
    m = naming.prefix
    files = {
        f"{m}.h": write_header(model, naming),
        f"{m}.c": write_source(module, model, naming, constants),
        f"{m}.json": write_memory_map(model, constants),
        "CMakeLists.txt": write_cmake(model, naming),
    }
    if model.constant_pools:
        files[f"{m}_weights.h"] = write_weights_header(model, naming, constants)
        files[f"{m}_weights.c"] = write_weights_source(model, naming, constants)
    if model.writable_pools:
        files[f"{m}_pools.c"] = write_pools(model, naming)
    if model.golden:
        files[f"{m}_selftest.c"] = write_selftest(model, naming)
    return files


def write_project(module: Module, model: ModelInfo, directory: Path | str) -> Path:
    """Write the project to `directory`, which is replaced as a whole; return its path."""
    path = Path(directory)
    manifest = f"{naming_of(model).prefix}.json"
    require_replaceable(path, manifest)
    write_directory(path, project_files(module, model), manifest)
    return path
