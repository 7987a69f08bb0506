"""`forebay_runtime.h` for compilers that are not here: by their predefined macros.

What stands before a definition is looked at behind the preprocessor; where the syntax is GCC's,
gcc and clang compile it, too, and the object is looked at.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from common.models.gated_filter import MODEL, gated_filter
from common.toolchain import HEADERS, require
from mlir import ir

from forebay.codegen.project.project import write_project

# Not GNU C, nor a host that says that it makes ELF.
# The headers of this machine's C library would take __attribute__ away from such a compiler.
BARE = ["-U__GNUC__", "-U__GNUC_MINOR__", "-U__ELF__", "-ffreestanding", "-nostdinc"]
BARE += ["-isystem", "headers", "-isystem", str(HEADERS)]
IAR = [*BARE, "-D__IAR_SYSTEMS_ICC__=9", "-D__ICCARM__=1", "-D__VER__=9040001"]
ARMCC5 = [*BARE, "-D__ARMCC_VERSION=5060750", "-D__CC_ARM=1"]
ARMCL = [*BARE, "-D__TI_COMPILER_VERSION__=20002007", "-D__TI_ARM__=1", "-D__TI_EABI_SUPPORT__=1"]
LIMITS = "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n"
STDDEF = "#define NULL ((void *)0)\ntypedef __SIZE_TYPE__ size_t;\n"
STDBOOL = "#define bool _Bool\n"
STDINT = "".join(
    f"typedef __{name.upper()}_TYPE__ {name}_t;\n"
    for name in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "uintptr",
    )
)
STDINT += "#define UINTPTR_MAX __UINTPTR_MAX__\n"
LIBRARY = {"limits.h": LIMITS, "stddef.h": STDDEF, "stdbool.h": STDBOOL, "stdint.h": STDINT}
TARGET = ["--target=arm-none-eabi", "-mcpu=cortex-m4", "-ffreestanding"]
ARMCLANG = [*TARGET, "-D__ARMCC_VERSION=6210000", "-D__ARM_COMPILER_VERSION=6210000"]
TIARMCLANG = [*TARGET, "-D__ti__=1", "-D__ti_version__=30200"]
TIARMCLANG.append("-D__TI_COMPILER_VERSION__=30200000")
ATTRIBUTES = (
    r'__attribute__\(\(aligned\(16\)\)\) __attribute__\(\(section\("\.bss\.gated_filter_sram"\)\)\)'
)
PRAGMAS = r'#pragma data_alignment = 16\s*#pragma location = "\.bss\.gated_filter_sram"'
HERE = {"IAR": IAR, "armcc 5": ARMCC5, "armcl": ARMCL}
CLANGS = {"armclang": ARMCLANG, "tiarmclang": TIARMCLANG}


@pytest.fixture
def project(context: ir.Context, tmp_path: Path) -> Path:
    directory = write_project(gated_filter(), MODEL, tmp_path / "out")
    (directory / "headers").mkdir()
    for name, text in LIBRARY.items():
        (directory / "headers" / name).write_text(text)
    return directory


def preprocessed(project: Path, compiler: str, flags: list[str], *more: str) -> str:
    command = [require(compiler), *flags, *more, "-E", "-P", "gated_filter_pools.c"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("standard", ["c99", "c11"])
@pytest.mark.parametrize(
    ("name", "before"), [("IAR", PRAGMAS), ("armcc 5", ATTRIBUTES), ("armcl", ATTRIBUTES)]
)
def test_pools_are_aligned_and_in_their_sections(
    project: Path, name: str, before: str, standard: str
) -> None:
    text = preprocessed(project, "gcc", HERE[name], f"-std={standard}")
    assert re.search(rf"{before}\s*static uint8_t sram\[16\];", text), text


@pytest.mark.parametrize("name", HERE)
def test_every_file_compiles(project: Path, name: str) -> None:
    """IAR's pragmas are unknown to gcc, which then ignores them."""
    sources = sorted(p.name for p in project.glob("*.c") if "_selftest" not in p.name)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-pedantic", "-Werror"]
    command = [require("gcc"), *HERE[name], *flags, "-fsyntax-only", *sources]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", CLANGS)
def test_compilers_made_of_clang_place_pools(project: Path, name: str) -> None:
    require("clang")
    objects = ["-c", "gated_filter_pools.c", "-o", "pools.o"]
    subprocess.run(["clang", *CLANGS[name], "-std=c99", *objects], cwd=project, check=True)
    table = subprocess.run(
        ["objdump", "-h", "pools.o"], cwd=project, capture_output=True, text=True, check=True
    ).stdout
    row = next(line.split() for line in table.splitlines() if ".bss.gated_filter_sram" in line)
    assert (int(row[2], 16), row[-1]) == (16, "2**4")  # size and alignment


def test_c11_alone_aligns_and_leaves_sections_to_the_compiler(project: Path) -> None:
    text = preprocessed(project, "gcc", BARE, "-std=c11")
    assert re.search(r"_Alignas\(16\)\s*static uint8_t sram\[16\];", text), text


def test_c99_names_the_macro_to_define(project: Path) -> None:
    command = [require("gcc"), *BARE, "-std=c99", "-fsyntax-only", "gated_filter_pools.c"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert "define FOREBAY_ALIGNED(bytes) as this compiler aligns the variable" in done.stderr
    own = ["-DFOREBAY_ALIGNED(bytes)="]
    assert subprocess.run([*command, *own], cwd=project, check=False).returncode == 0
