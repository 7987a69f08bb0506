"""`CMakeLists.txt`: the network as a library, with its self-test on the host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from forebay.codegen.project.devices.intrinsics import Prototype
from forebay.codegen.project.devices.transfers import TransferPrototype
from forebay.codegen.project.pools.weights_incbin import image_macros, incbin_name
from forebay.network.model import ModelInfo
from forebay.network.names import Naming
from forebay.network.pool_images import image_name


def library_sources(files: Iterable[str], naming: Naming) -> list[str]:
    """Return the C files of the library, without those that only tests need."""
    m = naming.prefix
    others = {f"{m}_selftest.c", f"{m}_reference.c", f"{m}_wrappers.c"}
    return sorted(name for name in files if name.endswith(".c") and name not in others)


def assembled_weights(model: ModelInfo, naming: Naming) -> str:
    """Return the commands by which the library gets its constants from binary files.

    They run where the assembler is known to include files, and where its byte order is known to be
    that of the files. Elsewhere the compiler reads the numbers as text.
    """
    if not model.image_pools:
        return ""
    m, directory = naming.prefix, "${CMAKE_CURRENT_SOURCE_DIR}"
    images = image_macros(model, naming)
    definitions = "".join(f'\n    {macro}="{directory}/{file}"' for macro, file in images.items())
    files = "".join(f";{directory}/{file}" for file in images.values())[1:]
    return f"""\
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND CMAKE_C_BYTE_ORDER STREQUAL "LITTLE_ENDIAN"
    AND NOT APPLE AND NOT WIN32)
  # The assembler includes constants from files; a compiler reads numbers as text more slowly.
  enable_language(ASM)
  target_sources({m} PRIVATE {incbin_name(naming)})
  set_source_files_properties({incbin_name(naming)} PROPERTIES
    OBJECT_DEPENDS "{files}")
  target_compile_definitions({m} PRIVATE{definitions})
endif()
"""


def _image_definitions(model: ModelInfo, naming: Naming) -> str:
    """Return the macros with the paths of the images that the self-test loads into pools."""
    return "".join(
        f"  target_compile_definitions({naming.prefix}_selftest PRIVATE\n"
        f'    {naming.pool_macro(pool.name)}_IMAGE="${{CMAKE_CURRENT_SOURCE_DIR}}/'
        f'{image_name(pool, naming)}")\n'
        for pool in model.outside_pools
    )


def _intrinsics(
    naming: Naming, prototypes: Sequence[Prototype | TransferPrototype], *, has_wrappers: bool
) -> str:
    """Return the reference as a library, which an application replaces by its driver."""
    if not prototypes:
        return ""
    m, macro = naming.prefix, naming.macro
    known = [prototype for prototype in prototypes if prototype.has_reference]
    library = f"""
add_library({m}_reference STATIC EXCLUDE_FROM_ALL {m}_reference.c)
target_include_directories({m}_reference PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({m}_reference PROPERTIES
  C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
"""
    default = f"{m}_reference" if len(known) == len(prototypes) else ""
    return f"""{library if known else ""}{_wrappers(naming) if has_wrappers else ""}
# The functions of {m}_intrinsics.h, which an application links beside {m}.
set({macro}_INTRINSICS "{default}" CACHE STRING "What the self-test links for the intrinsics")
"""


def _wrappers(naming: Naming) -> str:
    """Return the wrappers as a library, which an application links with the libraries they call."""
    m = naming.prefix
    return f"""
# The functions that call libraries: link what they include, as {m}_wrappers's own libraries.
add_library({m}_wrappers STATIC EXCLUDE_FROM_ALL {m}_wrappers.c)
target_include_directories({m}_wrappers PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({m}_wrappers PROPERTIES
  C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
"""


def network_object(file: str | None, library: str) -> str:
    """Return the commands that add the network's own code to the library, if it is no C."""
    if file is None:
        return ""
    path = f"${{CMAKE_CURRENT_SOURCE_DIR}}/{file}"
    if file.endswith(".o"):
        return f"""\
set_source_files_properties({path} PROPERTIES EXTERNAL_OBJECT TRUE)
target_sources({library} PRIVATE {path})
"""
    made = f"${{CMAKE_CURRENT_BINARY_DIR}}/{PurePosixPath(file).with_suffix('.o')}"
    return f"""\
find_program(FOREBAY_LLC NAMES llc llc-22 DOC "LLVM's llc, version 22 or newer")
if(NOT FOREBAY_LLC)
  message(FATAL_ERROR "{file} needs LLVM's llc: set FOREBAY_LLC")
endif()
add_custom_command(OUTPUT {made} DEPENDS {path}
  COMMAND ${{FOREBAY_LLC}} -O2 -filetype=obj -relocation-model=pic -function-sections
          -fp-contract=off {path} -o {made})
set_source_files_properties({made} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
target_sources({library} PRIVATE {made})
"""


def schedule_flags(command: str, flags: Sequence[str]) -> str:
    """Return the commands that compile with the flags of the schedule, for GCC only.

    `command` is what CMake calls with the flags, without them.
    """
    if not flags:
        return ""
    return f"""\
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # What the processor's schedule is written for: fewer instructions, the same results.
  {command}"$<$<COMPILE_LANGUAGE:C>:{";".join(flags)}>")
endif()
"""


def write_cmake(
    model: ModelInfo,
    naming: Naming,
    sources: Sequence[str],
    prototypes: Sequence[Prototype | TransferPrototype],
    network_code: str | None = None,
    *,
    has_wrappers: bool = False,
    flags: Sequence[str] = (),
) -> str:
    """Return a CMake project that can also be used by add_subdirectory.

    `network_code` is the file, an object or LLVM IR, that defines the network itself. `flags` are
    those of GCC that suit the schedule of the network's code.
    """
    m = naming.prefix
    own_flags = schedule_flags(f"target_compile_options({m} PRIVATE ", flags)
    text = f"""\
cmake_minimum_required(VERSION 3.13)
project({m} C)

add_library({m} STATIC {" ".join(sources)})
target_include_directories({m} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({m} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  # Results do not depend on whether the machine fuses a multiplication and an addition.
  target_compile_options({m} PRIVATE $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
endif()
{own_flags}{network_object(network_code, m)}{assembled_weights(model, naming)}\
if(UNIX)
  target_link_libraries({m} PUBLIC m)
endif()
{_intrinsics(naming, prototypes, has_wrappers=has_wrappers)}"""
    if not model.golden:
        return text
    provider = f" ${{{naming.macro}_INTRINSICS}}" if prototypes else ""
    condition = "CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR"
    condition += f" AND {naming.macro}_INTRINSICS" if prototypes else ""
    return f"""{text}
if({condition})
  enable_testing()
  add_executable({m}_selftest {m}_selftest.c)
  set_target_properties({m}_selftest PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
{_image_definitions(model, naming)}\
  target_link_libraries({m}_selftest PRIVATE {m}{provider})
  add_test(NAME {m}_selftest COMMAND {m}_selftest)
endif()
"""
