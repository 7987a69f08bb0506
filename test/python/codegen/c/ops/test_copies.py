"""Copies of long runs: as memmove at every alignment, size and distance."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.arith_kernels import assert_all_agree
from common.toolchain import require

from forebay.codegen.c.syntax.helpers import COPY_BYTES
from forebay.codegen.project.interface.runtime import RUNTIME_HEADER, runtime_header
from forebay.codegen.project.project import project_files

MAIN = """
int main(void)
{
    static _Alignas(16) uint8_t got[512];
    static uint8_t wanted[512];
    for (size_t bytes = 0; bytes <= 70; ++bytes) {
        for (size_t from = 128; from < 136; ++from) {
            for (size_t to = 32; to < 256; ++to) {
                for (size_t i = 0; i < sizeof got; ++i) {
                    got[i] = wanted[i] = (uint8_t)(i * 7 + bytes);
                }
                copy_bytes(got + to, got + from, bytes);
                (void)memmove(wanted + to, wanted + from, bytes);
                if (memcmp(got, wanted, sizeof got) != 0) {
                    return 1;
                }
            }
        }
    }
    return 0;
}
"""
CONDITION = "UINTPTR_MAX <= 0xffffffffu"
UNALIGNED = "defined __ARM_FEATURE_UNALIGNED"


@pytest.mark.parametrize(
    ("condition", "unaligned"), [("1", UNALIGNED), ("1", "1"), (CONDITION, UNALIGNED)]
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_bytes_are_copied_as_by_memmove(
    compiler: str, level: str, condition: str, unaligned: str, tmp_path: Path
) -> None:
    """The words of processors of 32 bits are tried on this machine, too."""
    assert CONDITION in COPY_BYTES.text
    assert UNALIGNED in runtime_header()
    helper = COPY_BYTES.text.replace(CONDITION, condition)
    (tmp_path / RUNTIME_HEADER).write_text(runtime_header().replace(UNALIGNED, unaligned))
    source = tmp_path / "copies.c"
    source.write_text(f'#include "{RUNTIME_HEADER}"\n#include <string.h>\n{helper}{MAIN}')
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    command = [require(compiler), level, *flags, "-fno-sanitize-recover=all", str(source)]
    subprocess.run([*command, "-o", str(tmp_path / "copies")], check=True)
    subprocess.run([str(tmp_path / "copies")], check=True)


def test_no_compiler_makes_a_call_of_the_loop(tmp_path: Path) -> None:
    """GCC replaces loops that copy by memcpy at -O2, which is slow in small C libraries."""
    (tmp_path / RUNTIME_HEADER).write_text(runtime_header())
    source = tmp_path / "copies.c"
    use = """
uint8_t to[4096], from[4096];
void use(size_t bytes)
{
    copy_bytes(to, from, bytes);
}
"""
    text = f'#include "{RUNTIME_HEADER}"\n#include <string.h>\n{COPY_BYTES.text}{use}'
    source.write_text(text.replace("(void)memmove(to, from, bytes);", ""))
    flags = ["-O3", "-mcpu=cortex-m4", "-mthumb", "-S", "-o", "-"]
    command = [require("arm-none-eabi-gcc"), *flags, str(source)]
    assembly = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "use:" in assembly
    assert "mem" not in assembly.replace("memory", "").split("use:")[1]


@pytest.mark.parametrize(("count", "is_long"), [(31, False), (32, True)])
def test_long_runs_are_copied_in_words(kernel: Any, count: int, is_long: bool) -> None:
    body = f"memref.copy %in0, %out0 : memref<{count}xi16> to memref<{count}xi16>"
    x = np.arange(count, dtype=np.int16)
    assert_all_agree(kernel, body, [x], x)
    text = project_files(*kernel(body, [x], [x]))["kernel.c"]
    assert (f"    copy_bytes(out, in, {count} * sizeof(int16_t));" in text) == is_long
