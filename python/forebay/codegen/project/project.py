"""The writer of a C project from a materialised module at loop level."""

from __future__ import annotations

from pathlib import Path

from mlir.dialects import func
from mlir.ir import Module

from forebay.codegen.c.analysis.layout import pool_layout_of
from forebay.codegen.c.naming.constant_names import constant_names
from forebay.codegen.c.syntax.instruction_sets import INSTRUCTION_SET_HEADERS
from forebay.codegen.project.api.header import write_header
from forebay.codegen.project.api.source import write_sources
from forebay.codegen.project.build_files.cmake import library_sources, write_cmake
from forebay.codegen.project.build_files.memory_map import write_memory_map
from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.codegen.project.build_files.zephyr import zephyr_files
from forebay.codegen.project.devices.intrinsics import prototypes_of
from forebay.codegen.project.devices.transfers import transfer_prototypes_of
from forebay.codegen.project.devices.wrappers import wrapped_functions, write_wrappers
from forebay.codegen.project.interface.generated import with_generated_lines
from forebay.codegen.project.interface.runtime import (
    RUNTIME_HEADER,
    instruction_set_header,
    runtime_header,
)
from forebay.codegen.project.pools.linker_fragment import write_linker_fragment
from forebay.codegen.project.pools.pools_file import write_pools
from forebay.codegen.project.pools.weights import (
    write_weights_header,
    write_weights_source,
    write_weights_values,
)
from forebay.codegen.project.pools.weights_incbin import incbin_name, write_weights_incbin
from forebay.codegen.project.selftest.selftest import write_selftest
from forebay.cpus import schedule_of
from forebay.formats.memory_map import MemoryMap
from forebay.formats.reading import read_document
from forebay.ir.machine.cpu import cpu_of
from forebay.network.constants import constant_memory, constants_of
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of, prefix_of
from forebay.network.pool_images import image_files, pool_images

_ALWAYS = (RUNTIME_HEADER, "CMakeLists.txt", "zephyr/module.yml", "zephyr/CMakeLists.txt")
"""Files of every project, whatever the model's name."""


def project_files(
    module: Module, model: ModelInfo, network_code: str | None = None
) -> dict[str, str]:
    """Return the text files of the project by name.

    `network_code` is the name of a file, an object or LLVM IR, that defines the network itself.
    Raises EmissionError at an op that has no C form.
    """
    naming = naming_of(model)
    constants = constants_of(module)
    memory = constant_memory(module, constants, frozenset(p.name for p in model.outside_pools))
    names = constant_names(module, memory)
    m = naming.prefix
    layouts = {
        pool.name: pool_layout_of(pool, f"{m}_{naming.pools[pool.name]}", names)
        for pool in model.constant_pools
    }
    row_tables = sum(table.nbytes for table in memory.row_tables.values())
    sources = write_sources(
        module, model, naming, memory, layouts, entries_only=network_code is not None
    )
    files = {
        RUNTIME_HEADER: runtime_header(),
        f"{m}.h": write_header(model, naming, sources.stack, row_tables=row_tables),
        **sources.files,
        **{name: instruction_set_header(name) for name in sorted(sources.instruction_sets)},
        f"{m}.json": write_memory_map(
            model, names, sources.stack, row_tables=row_tables, hooked=sources.hooked
        ),
    }
    prototypes, transfers = prototypes_of(module), transfer_prototypes_of(module)
    if prototypes or transfers:
        from forebay.codegen.project.devices.intrinsics_header import (  # noqa: PLC0415  (devices)
            write_intrinsics_header,
        )

        files[f"{m}_intrinsics.h"] = write_intrinsics_header(module, model, naming, prototypes)
    if transfers or any(prototype.has_reference for prototype in prototypes):
        from forebay.codegen.project.devices.reference import write_reference  # noqa: PLC0415

        files[f"{m}_reference.c"] = write_reference(module, model, naming, prototypes)
    wrapped = wrapped_functions(prototypes)
    if wrapped:
        files[f"{m}_wrappers.c"] = write_wrappers(model, naming, wrapped)
    if model.constant_pools:
        files[f"{m}_weights.h"] = write_weights_header(model, naming, layouts)
    if model.image_pools:
        files[f"{m}_weights.c"] = write_weights_source(model, naming, layouts)
        files |= write_weights_values(model, naming, layouts)
        files[incbin_name(naming)] = write_weights_incbin(model, naming, layouts)
    if model.handed_pools:
        files[f"{m}_pools.c"] = write_pools(model, naming)
    if model.golden:
        files[f"{m}_selftest.c"] = write_selftest(
            model, naming, pool_images(module, model) if model.outside_pools else {}
        )
    library = library_sources(files, naming)
    flags = _schedule_flags(module) if network_code is None else ()
    files["CMakeLists.txt"] = write_cmake(
        model,
        naming,
        library,
        (*prototypes, *transfers),
        network_code,
        has_wrappers=bool(wrapped),
        flags=flags,
    )
    if model.pools:
        files[f"{m}.ld"] = write_linker_fragment(model, naming)
    if network_code is None:
        files |= zephyr_files(model, naming, library, flags)
    shared = frozenset({RUNTIME_HEADER, *sources.instruction_sets})
    return with_generated_lines(files, model, shared)


def _schedule_flags(module: Module) -> tuple[str, ...]:
    """Return the flags of GCC for the processors that the functions are scheduled for."""
    functions = (op for op in module.body.operations if isinstance(op, func.FuncOp))
    cpus = [cpu for function in functions if (cpu := cpu_of(function)) is not None]
    flags = (flag for cpu in dict.fromkeys(cpus) for flag in schedule_of(cpu).flags)
    return tuple(dict.fromkeys(flags))


def memory_map_of(module: Module, model: ModelInfo) -> MemoryMap:
    """Return the memory map of the project; raises EmissionError at an op that has no C form."""
    text = project_files(module, model)[f"{naming_of(model).prefix}.json"]
    return read_document(text, MemoryMap)


def write_project(module: Module, model: ModelInfo, directory: Path | str) -> Path:
    """Write the project to `directory`, completely or not at all; return its path.

    Files that an earlier run wrote there are replaced or removed; others are kept. Raises
    OutputDirectoryError when a file of the user's would be overwritten.
    """
    path = Path(directory)
    write_directory(path, {**project_files(module, model), **weights_files(module, model)})
    return path


def require_project_directory(directory: Path, model_name: str) -> None:
    """Raise OutputDirectoryError if it is known beforehand that no project can be written."""
    prefix = prefix_of(model_name)

    def is_written_again(name: str) -> bool:
        return name in (*_ALWAYS, *INSTRUCTION_SET_HEADERS) or name.startswith(
            (f"{prefix}.", f"{prefix}_")
        )

    require_replaceable(directory, is_written_again)
    if directory.exists():
        require_replaceable(directory, [*_ALWAYS, f"{prefix}.h", f"{prefix}.json"])


def weights_files(module: Module, model: ModelInfo) -> dict[str, str | bytes]:
    """Return the bytes of all constant pools, and a manifest of those the application fills."""
    naming = naming_of(model)
    images = image_files(module, model, naming)
    if not model.outside_pools:
        return dict(images)
    from forebay.codegen.project.pools.weights_manifest import (  # noqa: PLC0415  (seldom used)
        manifest_name,
        write_weights_manifest,
    )

    names = constant_names(module, constant_memory(module, constants_of(module)))
    manifest = write_weights_manifest(model, naming, names, images)
    return {**images, manifest_name(naming.prefix): manifest}
