"""Constants that the assembler includes are those that the compiler reads as text."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from common.models.gated_filter import MODEL, gated_filter
from common.toolchain import COMPILERS, require
from mlir import ir

from forebay.codegen.project.project import write_project

STRICT = ["-Wall", "-Wextra", "-Wundef", "-pedantic", "-Werror"]
FLASH, TABLES = "GATED_FILTER_FLASH", "GATED_FILTER_TABLES"
IMAGES = [
    f'-D{FLASH}_IMAGE="gated_filter_flash.bin"',
    f'-D{TABLES}_IMAGE="gated_filter_tables.bin"',
]
SOURCES = {"text": "gated_filter_weights.c", "assembled": "gated_filter_weights_incbin.S"}


@pytest.fixture
def project(context: ir.Context, tmp_path: Path) -> Path:
    return write_project(gated_filter(), MODEL, tmp_path / "out")


def compiled(project: Path, compiler: str, source: str, *flags: str) -> Path:
    command = [require(compiler), *COMPILERS[compiler], *STRICT, *flags, "-c", source]
    subprocess.run([*command, "-o", "object.o"], cwd=project, check=True)
    return project / "object.o"


def refusal(project: Path, *flags: str) -> str:
    command = ["gcc", *flags, "-c", SOURCES["assembled"], "-o", "object.o"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stderr


def globals_in(made: Path) -> dict[str, tuple[int, str, bytes]]:
    """Size, section and bytes of each global object."""
    found: dict[str, tuple[int, str, bytes]] = {}
    for line in read("readelf", "--syms", "--wide", made):
        fields = line.split()
        if len(fields) == 8 and fields[3:5] == ["OBJECT", "GLOBAL"] and fields[6] != "UND":
            section = sections_in(made)[fields[6]]
            # RISC-V's compilers put small data apart, and the linker beside the others
            named = section.replace(".srodata", ".rodata")
            found[fields[7]] = int(fields[2]), named, contents(made, section)
    return found


def sections_in(made: Path) -> dict[str, str]:
    rows = (line.replace("[", "").split() for line in read("readelf", "-S", "--wide", made))
    return {fields[0].rstrip("]"): fields[1] for fields in rows if len(fields) > 1}


def contents(made: Path, section: str) -> bytes:
    dump = [line for line in read("readelf", "--hex-dump", section, made) if line[:4] == "  0x"]
    return bytes.fromhex("".join(line[13:48] for line in dump))


def read(*command: object) -> list[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("compiler", COMPILERS)
def test_assembled_pools_are_those_of_the_text(project: Path, compiler: str) -> None:
    # -fdata-sections: a pool without a section of its own gets one in C, too
    text = globals_in(compiled(project, compiler, SOURCES["text"], "-std=c99", "-fdata-sections"))
    assembled = globals_in(compiled(project, compiler, SOURCES["assembled"], *IMAGES))
    assert set(text) == {"gated_filter_flash", "gated_filter_tables"}
    assert assembled == text


@pytest.mark.parametrize("compiler", COMPILERS)
def test_exactly_one_file_defines_a_pool(project: Path, compiler: str) -> None:
    own = f"-D{FLASH}_ATTRIBUTES=__attribute__((aligned(64)))"
    both, flash, tables = {"gated_filter_flash", "gated_filter_tables"}, *IMAGES
    for flags, in_text in (
        ((), both),
        ((flash, tables), set[str]()),
        ((flash,), {"gated_filter_tables"}),
        ((flash, tables, own), {"gated_filter_flash"}),  # assembly has no such attributes
    ):
        text = globals_in(compiled(project, compiler, SOURCES["text"], "-std=c99", *flags))
        assembled = globals_in(compiled(project, compiler, SOURCES["assembled"], *flags))
        assert (set(text), set(assembled)) == (in_text, both - in_text), flags


def test_the_compiler_reads_the_values_of_no_assembled_pool(project: Path) -> None:
    assert files_read(project, IMAGES[0]) == ["gated_filter_tables_values.h"]
    assert files_read(project, *IMAGES) == []


def files_read(project: Path, *flags: str) -> list[str]:
    """Return the files of values that the compiler reads for the C file."""
    words = " ".join(read("gcc", "-MM", *flags, project / SOURCES["text"])).split()
    return sorted(Path(word).name for word in words if word.endswith("_values.h"))


def test_the_application_chooses_the_section(project: Path) -> None:
    section = f'-D{FLASH}_SECTION=".qspi"'
    for source, flags in ((SOURCES["text"], []), (SOURCES["assembled"], IMAGES)):
        found = globals_in(compiled(project, "gcc", source, section, *flags))
        assert found["gated_filter_flash"][1] == ".qspi"


def test_a_file_of_another_size_is_refused(project: Path) -> None:
    (project / "gated_filter_flash.bin").write_bytes(bytes(5))
    assert f"the file of {FLASH}_IMAGE must have 4 bytes" in refusal(project, *IMAGES)


def test_another_byte_order_is_refused(project: Path) -> None:
    swapped = ["-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"]
    assert f"{FLASH}_IMAGE needs ELF and a little-endian machine" in refusal(
        project, *IMAGES, *swapped
    )
