"""A project inside an application's own build: CMake, Zephyr's list of modules, a linker script."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest
from mlir import ir
from mlir.dialects import func

from forebay.codegen.project.project import project_files, write_project
from forebay.cpus import schedule_of
from forebay.network.model import ModelInfo, PlannedPool
from forebay.pools import PoolKind

Network = tuple[ir.Module, ModelInfo]
ARM = "arm-none-eabi-gcc"
needs_arm = pytest.mark.skipif(shutil.which(ARM) is None, reason=f"{ARM} is not installed")
MAIN = """
#include "tiny_net.h"
int main(void)
{
    static const int8_t x[TINY_NET_INPUT_1_ELEMENTS] = {1, 2, 3, -4, 5, 120};
    int8_t y[TINY_NET_IDENTITY_ELEMENTS];
    return tiny_net_run(&tiny_net_default_pools, x, y) == TINY_NET_OK && y[2] == 35 ? 0 : 1;
}
"""
MEMCPY = """
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}
"""
# What Zephyr's functions do with their arguments, in CMake's own.
ZEPHYR = """
cmake_minimum_required(VERSION 3.20)
project(application C ASM)
function(zephyr_include_directories)
  include_directories(${ARGV})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY INCLUDE_DIRECTORIES ${ARGV})
endfunction()
macro(zephyr_library_named name)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
  add_library(${name} STATIC "")
endmacro()
function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
function(zephyr_library_compile_definitions)
  target_compile_definitions(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
add_subdirectory(net/zephyr)
add_executable(application main.c)
target_link_libraries(application PRIVATE tiny_net)
"""


def build(directory: Path) -> int:
    """Configure, build and run `application`; its exit code."""
    binary = directory / "build"
    for command in (["cmake", "-S", directory, "-B", binary], ["cmake", "--build", binary]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return subprocess.run([binary / "application"], check=False).returncode


def test_add_subdirectory(fully_connected: Network, tmp_path: Path) -> None:
    write_project(*fully_connected, tmp_path / "net")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(application C)\nadd_subdirectory(net)\n"
        "add_executable(application main.c)\ntarget_link_libraries(application tiny_net)\n"
    )
    assert build(tmp_path) == 0
    assert [*tmp_path.rglob("tiny_net_weights_incbin.S.o")]


def test_zephyr_module(fully_connected: Network, tmp_path: Path) -> None:
    directory = write_project(*fully_connected, tmp_path / "net")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "CMakeLists.txt").write_text(ZEPHYR)
    description = (directory / "zephyr" / "module.yml").read_text()
    assert description == "name: tiny_net\nbuild:\n  cmake: zephyr\n"
    assert build(tmp_path) == 0
    assert [*tmp_path.rglob("tiny_net_weights_incbin.S.o")]


@pytest.mark.parametrize(("cpu", "flags"), [("rv32imc", schedule_of("rv32imc").flags), (None, ())])
def test_gcc_compiles_with_the_flags_of_the_schedule(
    fully_connected: Network, cpu: str | None, flags: tuple[str, ...], tmp_path: Path
) -> None:
    module, model = fully_connected
    for own in module.body.operations:
        if cpu is not None and isinstance(own, func.FuncOp):
            own.attributes["accel.cpu"] = ir.StringAttr.get(cpu)
    directory = write_project(module, model, tmp_path / "net")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "CMakeLists.txt").write_text(ZEPHYR)
    for name in ("CMakeLists.txt", "zephyr/CMakeLists.txt"):
        text = (directory / name).read_text()
        assert ('STREQUAL "GNU"' in text) is bool(flags)
        assert all(f"C>:{flag}" in text for flag in flags)
    assert build(tmp_path) == 0


def script(ram: int) -> str:
    return f"""
MEMORY
{{
    CODE : ORIGIN = 0x00000000, LENGTH = 64K
    TABLES : ORIGIN = 0x10000000, LENGTH = 1K
    DTCM : ORIGIN = 0x20000000, LENGTH = {ram}
}}
REGION_ALIAS("TINY_NET_WORKSPACE", DTCM)
REGION_ALIAS("TINY_NET_WEIGHTS", TABLES)
ENTRY(main)
SECTIONS
{{
    .used (NOLOAD) : {{ *(.used) }} > DTCM
    INCLUDE tiny_net.ld
    .text : {{ *(.text .text.* .rodata .rodata.*) }} > CODE
    .bss : {{ *(.bss .bss.* .data .data.*) }} > CODE
    /DISCARD/ : {{ *(.ARM.* .comment) }}
}}
"""


def link(
    network: Network, directory: Path, ram: int, main: str = MAIN
) -> subprocess.CompletedProcess[str]:
    project = write_project(*network, directory / "net")
    (directory / "main.c").write_text(main)
    (directory / "memcpy.c").write_text(MEMCPY)
    (directory / "application.ld").write_text(script(ram))
    sources = [str(path) for path in project.glob("*.c")]
    flags = ["-mcpu=cortex-m4", "-mthumb", "-ffreestanding", "-Os", "-nostdlib", f"-I{project}"]
    flags.append("-fno-tree-loop-distribute-patterns")  # which makes memcpy of a copying loop
    command = [ARM, *flags, "main.c", "memcpy.c", *sources, f"-L{project}", "-T", "application.ld"]
    return subprocess.run(
        [*command, "-lgcc", "-o", "image.elf"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )


def addresses(elf: Path) -> dict[str, int]:
    text = subprocess.run(
        ["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


@needs_arm
def test_linker_fragment_puts_each_pool_into_its_region(
    fully_connected: Network, tmp_path: Path
) -> None:
    done = link(fully_connected, tmp_path, 64)
    assert done.returncode == 0, done.stderr
    found = addresses(tmp_path / "image.elf")
    assert (found["workspace"], found["tiny_net_weights"]) == (0x2000_0000, 0x1000_0000)


@needs_arm
def test_region_one_byte_too_small_is_refused_at_link_time(
    fully_connected: Network, tmp_path: Path
) -> None:
    done = link(fully_connected, tmp_path, 63)
    assert done.returncode != 0
    assert "region `DTCM' overflowed by 1 byte" in done.stderr


@needs_arm
@pytest.mark.parametrize(
    ("base", "mistake"),
    [
        (0x2000_0400, None),
        (0x2000_07F0, "`.tiny_net_workspace' is not within region `DTCM'"),
        (0x3000_0000, "`.tiny_net_workspace' is not within region `DTCM'"),
        (0x2000_0000, "tiny_net: other bytes are linked at 0x20000000, the address of 'workspace'"),
        (0x2000_0020, "tiny_net: other bytes are linked at 0x20000020, the address of 'workspace'"),
    ],
)
def test_a_fixed_address_is_reserved_at_link_time(
    fully_connected: Network, tmp_path: Path, base: int, mistake: str | None
) -> None:
    """64 bytes there, in a memory of 2 KiB whose first bytes are in use."""
    module, model = fully_connected
    workspace = dataclasses.replace(model.pools[0], base=base)
    moved = dataclasses.replace(model, pools=(workspace, model.pools[1]))
    main = MAIN.replace("&tiny_net_default_pools, ", "")
    main += '__attribute__((section(".used"))) int8_t used[64];'
    done = link((module, moved), tmp_path, 2048, main)
    assert (done.returncode == 0) is (mistake is None), done.stderr
    if mistake is not None:
        assert mistake in done.stderr
    else:
        assert "workspace" not in addresses(tmp_path / "image.elf")


def test_pools_of_one_section_share_an_output_section(fully_connected: Network) -> None:
    module, model = fully_connected
    pools = (
        PlannedPool("workspace", PoolKind.workspace, size=64, section=".dtcm"),
        PlannedPool("kept", PoolKind.state, size=32, alignment=32, section=".dtcm"),
        model.pools[1],
    )
    text = project_files(module, dataclasses.replace(model, pools=pools))["tiny_net.ld"]
    assert text.count("*(.dtcm)") == 1
    assert ".tiny_net_workspace (NOLOAD) : ALIGN(32)" in text
    assert "SIZEOF(.tiny_net_workspace) >= 96" in text
