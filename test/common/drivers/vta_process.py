"""The emitted C with VTA's driver in this process; an interpreter runs the buffers handed over.

The interpreter refuses races, never-written elements and tokens that are left. It accesses the
memory of the compiled project, at physical addresses that begin at 0x1000, so the host's code and
the driver are those that a board would run.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from forebay.driver.compiled import Compiled
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import decode_vta
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.instructions import VtaInstruction
from forebay.isa.vta.interpreter import continue_vta
from forebay.isa.vta.state import VtaState

from .gemmini_process import image_of_library

ROOT = Path(__file__).parents[3]
DRIVER = ROOT / "python/forebay/targets/vta/driver"
BASE = 0x1000

HOOK = """
#include "vta.h"
static uint32_t (*physical)(uint64_t);
static int32_t (*run)(uint32_t, uint32_t, uint32_t);
void set_hooks(uint32_t (*p)(uint64_t), int32_t (*r)(uint32_t, uint32_t, uint32_t)) {
  physical = p;
  run = r;
}
uint32_t vta_physical(const void *bytes) { return physical((uint64_t)(uintptr_t)bytes); }
int32_t vta_device_run(uint32_t instructions, uint32_t count, uint32_t wait_cycles) {
  return run(instructions, count, wait_cycles);
}
"""

Word = tuple[int, int]


class VtaProcess:
    """A shared library whose buffers of instructions a strict interpreter runs."""

    def __init__(
        self, library: Path, *, change: Callable[[int, list[Word]], list[Word]] | None = None
    ) -> None:
        self.library = ctypes.CDLL(str(library))
        image = image_of_library(library)
        self._start = image.base
        self.memory = MainMemory(BASE, np.zeros(0, np.uint8))
        self.memory.data = image.data
        self.memory.written = image.written
        # The least numbers of micro-ops that every build holds.
        self.state = VtaState(self.memory, VtaGeometry(micro_ops=2048))
        self.buffers: list[list[VtaInstruction]] = []
        self.counts: Counter[str] = Counter()
        self.fault: Exception | None = None
        self._change = change
        self._hooks = (
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint64)(self._physical),
            ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_uint32] * 3)(self._run),
        )
        self.library.set_hooks(*self._hooks)

    def _physical(self, address: int) -> int:
        return address - self._start + BASE

    def _run(self, instructions: int, count: int, _: int) -> int:
        if self.fault is not None:
            return 1
        numbers = self.memory.read(instructions, 16 * count).view("<u8").tolist()
        words = list(zip(numbers[::2], numbers[1::2], strict=True))
        if self._change is not None:
            words = self._change(len(self.buffers), words)
        try:
            program = [decode_vta(*word) for word in words]
            self.buffers.append(program)
            self.counts.update(type(instruction).__name__ for instruction in program)
            continue_vta(self.state, program)
        except Exception as error:  # an exception cannot leave a callback of C
            self.fault = error
            return 1
        return 0

    def call(self, function: str) -> int:
        """Call a function of C; raise the fault of an instruction."""
        result = getattr(self.library, function)()
        if self.fault is not None:
            raise self.fault
        return result


def build_project(compiled: Compiled, folder: Path, *, flags: Collection[str] = ()) -> Path:
    """Return a shared library of a project with the driver; its self-test is `selftest`."""
    compiled.write(folder / "project")
    (folder / "hook.c").write_text(HOOK)
    sources = [
        path for path in (folder / "project").glob("*.c") if not path.stem.endswith("_reference")
    ]
    library = folder / "libvta.so"
    warnings = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
    command = ["gcc", "-std=c99", "-O1", "-fPIC", "-shared", *warnings, "-Dmain=selftest", *flags]
    files = [*sources, DRIVER / "vta.c", folder / "hook.c"]
    subprocess.run([*command, f"-I{DRIVER}", *map(str, files), "-o", str(library)], check=True)
    return library
