"""Reads the folder of a compiled network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from forebay.codegen.project.build_files.output_manifest import file_digest, read_manifest
from forebay.formats.memory_map import MapPool, MemoryMap
from forebay.formats.reading import DocumentError, read_file
from forebay.network.names import pool_identifiers
from forebay.shared_image.errors import SharingError

_OBJECTS = (".o", ".ll")


class CompiledProject(Struct, frozen=True):
    """A compiled network: its prefix in C, its memory map, and its other files by name.

    `identifiers` are the names of its pools in C.
    """

    directory: Path
    prefix: str
    map: MemoryMap
    files: dict[str, bytes]
    identifiers: dict[str, str]

    @property
    def handed_pools(self) -> tuple[MapPool, ...]:
        """Return the pools that the application passes, in the order of the structure in C."""
        return tuple(pool for pool in self.map.pools if not is_rom(pool) and not is_fixed(pool))

    @property
    def network_code(self) -> str | None:
        """Return the name of the object file or LLVM IR, in which offsets of constants are fixed.

        None if the code is C.
        """
        found = (name for name in self.files if PurePosixPath(name).suffix in _OBJECTS)
        return next(found, None)

    @property
    def plan_id(self) -> str:
        """Return the C number that identifies the plan in all files of the network."""
        return f"0x{self.map.plan[:8]}u"

    def symbol(self, pool: str) -> str:
        """Return the C name of a pool's constants."""
        return f"{self.prefix}_{self.identifiers[pool]}"

    def image(self, pool: MapPool) -> bytes:
        """Return the bytes of a pool of constants."""
        return self.files[f"{self.symbol(pool.name)}.bin"]


def is_rom(pool: MapPool) -> bool:
    """Return whether the pool holds constants that the linker puts into the image."""
    return pool.fill == "rom"


def is_fixed(pool: MapPool) -> bool:
    """Return whether the pool is at an address that the code contains."""
    return isinstance(pool.base, int)


def read_project(directory: Path) -> CompiledProject:
    """Return the network of a folder that `forebay compile` wrote.

    Raises `SharingError` for another folder, and for a network that has no pools of the caller.
    """
    manifest = read_manifest(directory)
    if manifest is None:
        raise SharingError(f"'{directory}' is not a folder that 'forebay compile' wrote")
    files = {name: _read(directory, name) for name in manifest.files}
    prefix, memory_map = _map_in(directory, files)
    identifiers = pool_identifiers(pool.name for pool in memory_map.pools)
    project = CompiledProject(directory, prefix, memory_map, files, identifiers)
    if project.handed_pools and f"{prefix}_pools.c" not in files:
        raise SharingError(
            f"'{directory}': '{prefix}' has its pools inside of the C code; compile it without "
            "--internal-pools"
        )
    _check_images(project, manifest.files)
    return project


def _read(directory: Path, name: str) -> bytes:
    path = directory / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise SharingError(f"{path}: {error.strerror or error}; compile the model again") from error


def _map_in(directory: Path, files: dict[str, bytes]) -> tuple[str, MemoryMap]:
    """Return the prefix and the memory map, which has the name of the header."""
    for name in files:
        path = PurePosixPath(name)
        if path.suffix == ".json" and f"{path.stem}.h" in files:
            try:
                return path.stem, read_file(directory / name, MemoryMap)
            except DocumentError as error:
                raise SharingError(f"{error}; compile the model again") from error
    raise SharingError(f"'{directory}' has no memory map: it is no C project of a network")


def _check_images(project: CompiledProject, hashes: Mapping[str, str]) -> None:
    """Check that the bytes of the constants in the image are those that were compiled."""
    for pool in project.map.pools:
        if pool.kind != "constant" or pool.fill == "by_host":
            continue
        name = f"{project.symbol(pool.name)}.bin"
        data = project.files.get(name)
        if data is None or len(data) != pool.peak or file_digest(data) != hashes.get(name):
            raise SharingError(
                f"{project.directory / name}: its bytes are not those that were compiled; compile "
                "the model again"
            )
