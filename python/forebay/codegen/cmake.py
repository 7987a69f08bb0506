"""`CMakeLists.txt`: the network as a library, with its self-test on the host."""

from __future__ import annotations

from .model import ModelInfo
from .names import Naming
from .pool_images import image_name


def source_names(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the C files of the library."""
    m = naming.prefix
    return [
        f"{m}.c",
        *([f"{m}_weights.c"] if model.image_pools else []),
        *([f"{m}_pools.c"] if model.provided_pools else []),
    ]


def _image_definitions(model: ModelInfo, naming: Naming) -> str:
    """Tell the self-test where the bytes are that an application puts into pools."""
    return "".join(
        f"  target_compile_definitions({naming.prefix}_selftest PRIVATE\n"
        f'    {naming.pool_macro(pool.name)}_IMAGE="${{CMAKE_CURRENT_SOURCE_DIR}}/'
        f'{image_name(pool, naming)}")\n'
        for pool in model.filled("by_host")
    )


def write_cmake(model: ModelInfo, naming: Naming) -> str:
    """Return a project that also works by add_subdirectory."""
    m = naming.prefix
    text = f"""\
cmake_minimum_required(VERSION 3.13)
project({m} C)

add_library({m} STATIC {" ".join(source_names(model, naming))})
target_include_directories({m} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({m} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  # Results do not depend on whether the machine fuses a multiplication and an addition.
  target_compile_options({m} PRIVATE -ffp-contract=off)
endif()
if(UNIX)
  target_link_libraries({m} PUBLIC m)
endif()
"""
    if not model.golden:
        return text
    return f"""{text}
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  enable_testing()
  add_executable({m}_selftest {m}_selftest.c)
  set_target_properties({m}_selftest PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
{_image_definitions(model, naming)}\
  target_link_libraries({m}_selftest PRIVATE {m})
  add_test(NAME {m}_selftest COMMAND {m}_selftest)
endif()
"""
