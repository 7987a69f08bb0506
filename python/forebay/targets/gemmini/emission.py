"""The emission `gemmini-c`: a program for a RISC-V core with Gemmini, without an operating system.

It is the C project with its self-test, the driver, start-up code and a Makefile. It needs no C
library, starts at 0x80000000, and ends by HTIF with the result of the self-test.
"""

from __future__ import annotations

from pathlib import Path

from forebay.api.target import CompiledProgram, Emission, RefusedError

_DRIVER = Path(__file__).parent / "driver"
_BARE_METAL = Path(__file__).parent / "bare_metal"

_LEFT_OUT = ("_reference.c", "_incbin.S", ".bin", ".ld", "CMakeLists.txt")
"""Files of the project that the program does not need, by how they end."""

_MAKEFILE = """\
# A program for a RISC-V core with Gemmini: make; then run {prefix}.elf on a simulator.
CC = riscv64-unknown-elf-gcc
CFLAGS = -std=gnu99 -O2 -march=rv64gc -mabi=lp64d -mcmodel=medany -ffreestanding \\
  -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections -Wall -Wextra -I.
LDFLAGS = -nostdlib -nostartfiles -static -T link.ld -Wl,--gc-sections -Wl,--build-id=none

SOURCES = {sources}

{prefix}.elf: $(SOURCES) link.ld $(wildcard *.h)
\t$(CC) $(CFLAGS) $(LDFLAGS) $(SOURCES) -lgcc -o $@

clean:
\trm -f {prefix}.elf

.PHONY: clean
"""


def gemmini_c(program: CompiledProgram) -> dict[str, str | bytes]:
    """Return the files of the program.

    Raises `RefusedError` for a network that needs functions of `math.h`.
    """
    files = {
        name: content for name, content in program.project.items() if not name.endswith(_LEFT_OUT)
    }
    files = {name: content for name, content in files.items() if not name.startswith("zephyr/")}
    for name, content in files.items():
        if isinstance(content, str) and "#include <math.h>" in content:
            raise RefusedError(
                program.module.operation.location,
                f"{name} needs math.h, which a program without a C library does not have; "
                "use a network of integers",
            )
    for folder in (_DRIVER, _BARE_METAL):
        for path in sorted(folder.iterdir()):
            files[path.name] = path.read_text(encoding="utf-8")
    sources = sorted(name for name in files if name.endswith((".c", ".S")))
    files["Makefile"] = _MAKEFILE.format(prefix=program.prefix, sources=" ".join(sources))
    return files


EMISSION = Emission("gemmini-c", write=gemmini_c)
