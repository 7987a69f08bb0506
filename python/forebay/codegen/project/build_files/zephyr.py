"""The two files that make a network a Zephyr module."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.network.names import Naming


def zephyr_files(naming: Naming, sources: Sequence[str]) -> dict[str, str]:
    """Return the module's description and its build file, by path in the project."""
    m = naming.prefix
    listed = "".join(f"\n  ${{CMAKE_CURRENT_LIST_DIR}}/../{source}" for source in sources)
    return {
        "zephyr/module.yml": f"name: {m}\nbuild:\n  cmake: zephyr\n",
        "zephyr/CMakeLists.txt": f"""\
# {m} as a module of Zephyr: put the directory above into ZEPHYR_EXTRA_MODULES.
zephyr_include_directories(${{CMAKE_CURRENT_LIST_DIR}}/..)
zephyr_library_named({m})
zephyr_library_sources({listed})
# Results do not depend on whether the machine fuses a multiplication and an addition.
zephyr_library_compile_options(-ffp-contract=off)
""",
    }
