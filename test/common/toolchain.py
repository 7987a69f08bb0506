"""The compilers and checkers that tests of C need; a test without one skips and says why."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

import forebay

# string.h where there is no C library
HEADERS = Path(forebay.__file__).parent / "mcu" / "image" / "runtime"
COMPILERS: dict[str, list[str]] = {
    "gcc": [],
    "clang": [],
    "arm-none-eabi-gcc": ["-mcpu=cortex-m4", "-mthumb", "-ffreestanding", f"-I{HEADERS}"],
    "riscv64-unknown-elf-gcc": ["-march=rv32imac", "-mabi=ilp32", "-ffreestanding", f"-I{HEADERS}"],
}
STRICT_C99 = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wcast-qual",
    "-Wshadow",
    "-pedantic",
    "-Werror",
]
# cppcheck reads no header of the system: what the runtime header asks of it, as a host has it.
CPPCHECK = ["-DCHAR_BIT=8", "-DINT_MAX=2147483647", "-D__GNUC__=12", "-D__ELF__=1"]
CPPCHECK.append("--platform=unix64")
SANITIZERS = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""With line numbers in reports; to follow variables, as `-g` does, takes gcc half of its time."""


def require(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return program


def require_sanitizers(compiler: str) -> str:
    """`compiler`, if it can link `SANITIZERS`: clang's runtime is a package of its own."""
    if not _links(require(compiler), SANITIZERS):
        pytest.skip(f"{compiler} cannot link {' '.join(SANITIZERS)}: its runtime is not installed")
    return compiler


@cache
def _links(compiler: str, flags: tuple[str, ...]) -> bool:
    with tempfile.TemporaryDirectory() as directory:
        command = [compiler, *flags, "-x", "c", "-", "-o", str(Path(directory) / "program")]
        program = "int main(void) { return 0; }\n"
        done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
        return done.returncode == 0
