"""`<image>.ld` and `CMakeLists.txt`: the image for linkers and for CMake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forebay.codegen.project.build_files.cmake import network_object
from forebay.shared_image.placement import PlacedMemory
from forebay.shared_image.project import CompiledProject
from forebay.shared_image.weights import memory_identifiers, memory_section


def write_image_linker_fragment(image: str, memories: Sequence[PlacedMemory]) -> str:
    """Return the text of `<image>.ld`: an output section for each memory."""
    names = memory_identifiers(memories)
    regions = {it.memory.name: f"{image}_{names[it.memory.name]}".upper() for it in memories}
    aliases = "\n".join(
        f'       REGION_ALIAS("{regions[it.memory.name]}", {_example(it)})' for it in memories
    )
    intro = (
        f"/* Memory of {image} for GNU ld and LLD. After MEMORY, give the region of each memory:\n"
        f"{aliases}\n   and inside SECTIONS, before the patterns .bss.* and .rodata.*:\n"
        f"       INCLUDE {image}.ld */"
    )
    parts = [intro]
    for memory in sorted(memories, key=lambda it: (it.memory.base is None, it.memory.base or 0)):
        section = f".{image}_{names[memory.memory.name]}"
        region = regions[memory.memory.name]
        if memory.memory.base is None:
            parts.append(_output_section(image, memory, section, region))
        else:
            parts.append(_reserved(image, memory, section, region))
    return "\n\n".join(parts) + "\n"


def _example(memory: PlacedMemory) -> str:
    if memory.memory.base is not None:
        return f"the region that has {memory.memory.base:#010x}"
    return "FLASH" if memory.memory.is_rom else "RAM"


def _output_section(image: str, memory: PlacedMemory, section: str, region: str) -> str:
    no_load = "" if memory.memory.is_rom else " (NOLOAD)"
    return (
        f"{section}{no_load} : ALIGN({memory.alignment})\n"
        f"{{\n    *({memory_section(image, memory)})\n}} > {region}\n"
        f"ASSERT(SIZEOF({section}) == 0 || SIZEOF({section}) >= {memory.size},\n"
        f"    \"{image}: '{memory.memory.name}' must have {memory.size} bytes\")"
    )


def _reserved(image: str, memory: PlacedMemory, section: str, region: str) -> str:
    begin = (memory.memory.base or 0) + memory.start
    return (
        f"/* Bytes that the code uses at constant addresses. */\n"
        f"{section}_free (NOLOAD) : {{ }} > {region}\n"
        f"{section} {begin:#010x} (NOLOAD) :\n{{\n    . += {memory.size - memory.start};\n}} > "
        f"{region}\n"
        f"ASSERT(ADDR({section}_free) <= {begin:#010x},\n"
        f'    "{image}: other bytes are linked at {begin:#010x}, the address of '
        f"'{memory.memory.name}'\")"
    )


def image_sources(files: Iterable[str], projects: Sequence[CompiledProject]) -> list[str]:
    """Return the C files of the library, without those that only tests need."""
    ends = ("selftest", "reference", "wrappers")
    others = {f"{it.prefix}_{end}.c" for it in projects for end in ends}
    return sorted(name for name in files if name.endswith(".c") and name not in others)


def write_image_cmake(image: str, files: Iterable[str], projects: Sequence[CompiledProject]) -> str:
    """Return a CMake project with the library `<image>` and the networks' self-tests."""
    files = sorted(files)
    objects = "".join(network_object(it.network_code, image) for it in projects)
    text = f"""\
cmake_minimum_required(VERSION 3.13)
project({image} C)

add_library({image} STATIC {" ".join(image_sources(files, projects))})
target_include_directories({image} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({image} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  # Results do not depend on whether the machine fuses a multiplication and an addition.
  target_compile_options({image} PRIVATE -ffp-contract=off)
endif()
{objects}if(UNIX)
  target_link_libraries({image} PUBLIC m)
endif()
"""
    tests = "".join(_selftest(image, it, files) for it in projects)
    if not tests:
        return text
    condition = "CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR"
    return f"{text}\nif({condition})\n  enable_testing()\n{tests}endif()\n"


def _selftest(image: str, project: CompiledProject, files: Sequence[str]) -> str:
    name, reference = f"{project.prefix}_selftest", f"{project.prefix}_reference.c"
    if f"{name}.c" not in files:
        return ""
    sources = f"{name}.c {reference}" if reference in files else f"{name}.c"
    return f"""\
  add_executable({name} {sources})
  set_target_properties({name} PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_link_libraries({name} PRIVATE {image})
  add_test(NAME {name} COMMAND {name} WORKING_DIRECTORY ${{CMAKE_CURRENT_SOURCE_DIR}})
"""
