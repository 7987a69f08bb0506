"""Writes the image of several compiled networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.formats.image_map import (
    ImageConstant,
    ImageMap,
    ImageMemory,
    ImageNetwork,
    ImagePool,
)
from forebay.formats.writing import json_text
from forebay.network.names import prefix_of
from forebay.shared_image.build_files import write_image_cmake, write_image_linker_fragment
from forebay.shared_image.errors import SharingError
from forebay.shared_image.memories import memories_of
from forebay.shared_image.placement import PlacedMemory, place_all
from forebay.shared_image.project import CompiledProject, read_project
from forebay.shared_image.sources import write_image_header, write_image_pools
from forebay.shared_image.weights import memory_section, shared_weights_files


def share_projects(
    directories: Sequence[Path | str],
    output: Path | str,
    *,
    concurrent: bool = False,
    capacities: Mapping[str, int] | None = None,
) -> ImageMap:
    """Write a C project with all networks of the folders, and return its memory map.

    Workspaces overlap, unless the networks are `concurrent`. `capacities` limit pools by name,
    instead of the networks' targets.

    Raises `SharingError`, `PlanInfeasibleError` or `OutputDirectoryError` before anything is
    written.
    """
    output = Path(output)
    projects = [read_project(Path(directory)) for directory in directories]
    image = prefix_of(output.absolute().name)
    _check(projects, image, output, concurrent=concurrent)
    memories = place_all(memories_of(projects, capacities or {}), concurrent=concurrent)
    found = _image_map(image, memories, projects, concurrent=concurrent)
    files: dict[str, str | bytes] = {**_copied(projects)}
    _add(files, shared_weights_files(image, memories, projects))
    _add(
        files,
        {
            f"{image}.h": write_image_header(image, memories, projects, concurrent=concurrent),
            f"{image}_pools.c": write_image_pools(image, memories, projects),
            f"{image}.ld": write_image_linker_fragment(image, memories),
            f"{image}.json": json_text(found),
        },
    )
    _add(files, {"CMakeLists.txt": write_image_cmake(image, files, projects)})
    require_replaceable(output, files)
    write_directory(output, files)
    return found


def _check(
    projects: Sequence[CompiledProject], image: str, output: Path, *, concurrent: bool
) -> None:
    if len(projects) < 2:
        raise SharingError("an image has at least two networks; name their folders")
    prefixes = [project.prefix for project in projects]
    for project in projects:
        if prefixes.count(project.prefix) > 1:
            raise SharingError(
                f"{prefixes.count(project.prefix)} networks have the prefix '{project.prefix}'; "
                "compile them under different names"
            )
        if project.prefix == image or project.directory.absolute() == output.absolute():
            raise SharingError(
                f"'{output}' has the name of the network '{project.prefix}'; name another folder"
            )
        if concurrent and project.map.inside:
            _check_devices(projects)


def _check_devices(projects: Sequence[CompiledProject]) -> None:
    """Check that no two networks use the same memory inside a device, whose addresses are fixed."""
    users: dict[str, str] = {}
    for project in projects:
        for pool in project.map.inside or ():
            other = users.setdefault(pool.name, project.prefix)
            if other != project.prefix:
                raise SharingError(
                    f"'{other}' and '{project.prefix}' both use pool '{pool.name}' inside a "
                    "device, so they cannot be concurrent"
                )


def _copied(projects: Sequence[CompiledProject]) -> dict[str, bytes]:
    """Return the networks' own files, without those that the image replaces."""
    files: dict[str, bytes] = {}
    for project in projects:
        for name, data in project.files.items():
            if not _is_replaced(project, name) and files.setdefault(name, data) != data:
                raise SharingError(
                    f"'{name}' differs between the networks: they were compiled by different "
                    "versions of Forebay; compile them again"
                )
    return files


def _is_replaced(project: CompiledProject, name: str) -> bool:
    ends = ("_pools.c", ".ld", ".json", "_weights.c", "_weights.h", "_weights_incbin.S")
    own = {f"{project.prefix}{end}" for end in ends} | {"CMakeLists.txt"}
    in_image = {
        f"{project.symbol(pool.name)}{end}"
        for pool in project.map.pools
        for end in (".bin", "_values.h")
        if pool.kind == "constant" and pool.fill != "by_host"
    }
    return name in own | in_image or name.startswith("zephyr/")


def _add(files: dict[str, str | bytes], more: Mapping[str, str]) -> None:
    for name, text in more.items():
        if name in files:
            raise SharingError(f"two files of the image would be '{name}'; name another folder")
        files[name] = text


def _image_map(
    image: str,
    memories: Sequence[PlacedMemory],
    projects: Sequence[CompiledProject],
    *,
    concurrent: bool,
) -> ImageMap:
    return ImageMap(
        format="forebay-image-map",
        version=1,
        name=image,
        concurrent=concurrent,
        networks=tuple(ImageNetwork(it.map.model.name, it.prefix, it.map.plan) for it in projects),
        memories=tuple(_memory(image, memory) for memory in memories),
    )


def _memory(image: str, placed: PlacedMemory) -> ImageMemory:
    memory = placed.memory
    constants = placed.constants.constants if placed.constants is not None else ()
    return ImageMemory(
        name=memory.name,
        kind=memory.shares[0].pool.kind,
        size=placed.size - placed.start,
        alone=placed.alone,
        capacity=memory.capacity,
        alignment=placed.alignment,
        section=None if memory.base is not None else memory_section(image, placed),
        base=memory.base,
        pools=tuple(
            ImagePool(it.project.prefix, placed.offsets[it.project.prefix], it.pool.peak)
            for it in memory.shares
            if it.project.prefix in placed.offsets
        ),
        constants=tuple(ImageConstant(it.name, it.offset, it.size, it.users) for it in constants),
    )
