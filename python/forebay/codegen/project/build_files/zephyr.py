"""The two files that make a network a Zephyr module."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.codegen.project.build_files.cmake import schedule_flags
from forebay.codegen.project.pools.weights_incbin import image_macros, incbin_name
from forebay.network.model import ModelInfo
from forebay.network.names import Naming

_PROJECT = "${CMAKE_CURRENT_LIST_DIR}/.."


def zephyr_files(
    model: ModelInfo, naming: Naming, sources: Sequence[str], flags: Sequence[str] = ()
) -> dict[str, str]:
    """Return the module's description and its build file, by path in the project.

    `flags` are those of GCC that suit the schedule of the network's code.
    """
    m = naming.prefix
    listed = "".join(f"\n  {_PROJECT}/{source}" for source in sources)
    return {
        "zephyr/module.yml": f"name: {m}\nbuild:\n  cmake: zephyr\n",
        "zephyr/CMakeLists.txt": f"""\
# {m} as a module of Zephyr: put the directory above into ZEPHYR_EXTRA_MODULES.
zephyr_include_directories({_PROJECT})
zephyr_library_named({m})
zephyr_library_sources({listed})
# Results do not depend on whether the machine fuses a multiplication and an addition.
zephyr_library_compile_options($<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
{schedule_flags("zephyr_library_compile_options(", flags)}{_assembled_weights(model, naming)}""",
    }


def _assembled_weights(model: ModelInfo, naming: Naming) -> str:
    """Return the commands by which the module gets its constants from binary files."""
    if not model.image_pools:
        return ""
    images = image_macros(model, naming)
    definitions = "".join(f'\n    {macro}="{_PROJECT}/{file}"' for macro, file in images.items())
    source = f"{_PROJECT}/{incbin_name(naming)}"
    files = ";".join(f"{_PROJECT}/{file}" for file in images.values())
    return f"""\
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT CONFIG_BIG_ENDIAN)
  # The assembler includes constants from files; a compiler reads numbers as text more slowly.
  zephyr_library_sources({source})
  set_source_files_properties({source} PROPERTIES
    OBJECT_DEPENDS "{files}")
  zephyr_library_compile_definitions({definitions})
endif()
"""
