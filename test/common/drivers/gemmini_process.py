"""The emitted C with Gemmini's driver in this process; an interpreter runs the instructions.

The interpreter refuses what is undefined. It accesses the memory of the compiled project, so the
host's code and the driver are those that a board would run. An instruction is executed when it is
issued, or as late as the hardware may: when a fence waits for it.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from forebay.driver.compiled import Compiled
from forebay.isa.faults import FaultLocation, InstructionFault
from forebay.isa.gemmini.codec import decode_gemmini
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import Fence
from forebay.isa.gemmini.interpreter import step_gemmini
from forebay.isa.gemmini.state import GemminiState
from forebay.isa.main_memory import MainMemory

ROOT = Path(__file__).parents[3]
DRIVER = ROOT / "python/forebay/targets/gemmini/driver"

HOOK = """
#include "gemmini.h"
static void (*issue)(uint32_t, uint64_t, uint64_t);
static void (*fence)(void);
void set_hooks(void (*i)(uint32_t, uint64_t, uint64_t), void (*f)(void)) { issue = i; fence = f; }
void gemmini_issue(uint32_t funct, uint64_t rs1, uint64_t rs2) { issue(funct, rs1, rs2); }
void gemmini_fence(void) { fence(); }
uint8_t arena[1 << 18];
"""

Word = tuple[int, int, int]
FENCE: Word = (-1, 0, 0)
"""Stands for a fence in a stream of instructions."""


class ProcessMemory(MainMemory):
    """Bytes of this process."""

    def __init__(self, base: int, size: int) -> None:
        super().__init__(base, np.zeros(0, np.uint8))
        self.data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(base))
        self.written = np.ones(size, np.bool_)


class GemminiProcess:
    """A shared library with its instructions, executed by a strict interpreter."""

    def __init__(
        self,
        library: Path,
        geometry: GemminiGeometry | None = None,
        *,
        late: bool = False,
        ignoring: Collection[type[InstructionFault]] = (),
        change: Callable[[int, Word], list[Word]] | None = None,
    ) -> None:
        self.library = ctypes.CDLL(str(library))
        self.state = GemminiState(
            image_of_library(library), geometry or GemminiGeometry(), ignoring
        )
        self.stream: list[Word] = []
        self.counts: Counter[str] = Counter()
        self.fault: Exception | None = None
        self._late, self._pending = late, list[Word]()
        self._change = change
        issue = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)
        self._hooks = (issue(self._issue), ctypes.CFUNCTYPE(None)(self._fence))
        self.library.set_hooks(*self._hooks)

    def _issue(self, funct: int, rs1: int, rs2: int) -> None:
        self._put((funct, rs1, rs2))

    def _fence(self) -> None:
        self._put(FENCE)

    def _put(self, word: Word) -> None:
        index = len(self.stream)
        self.stream.append(word)
        if self.fault is not None:
            return
        for it in [word] if self._change is None else self._change(index, word):
            if self._late and it != FENCE:
                self._pending.append(it)
                continue
            pending, self._pending = self._pending, []
            for step in (*pending, it):
                self._run(step)

    def _run(self, word: Word) -> None:
        if self.fault is not None:
            return
        try:
            instruction = Fence() if word == FENCE else decode_gemmini(*word)
            self.state.place = FaultLocation(len(self.stream) - 1, type(instruction).__name__)
            self.counts[type(instruction).__name__] += 1
            step_gemmini(self.state, instruction)
        except Exception as error:  # an exception cannot leave a callback of C
            self.fault = error

    def place(self, array: np.ndarray, offset: int) -> int:
        """Store an array in memory that tests use; return its address."""
        base = ctypes.addressof((ctypes.c_uint8 * (1 << 18)).in_dll(self.library, "arena"))
        self.state.memory.write(base + offset, np.frombuffer(array.tobytes(), np.uint8))
        return base + offset

    def read(self, address: int, like: np.ndarray) -> np.ndarray:
        """Return the numbers at an address, as many as an array has."""
        return self.state.memory.read(address, like.nbytes).view(like.dtype).reshape(like.shape)

    def fence(self) -> None:
        """Complete what was issued, as the next fence of the program does."""
        self._fence()
        if self.fault is not None:
            raise self.fault

    def call(self, function: str, *arguments: object) -> int:
        """Call a function of C; raise the fault of an instruction."""
        result = getattr(self.library, function)(*arguments)
        if self.fault is not None:
            raise self.fault
        assert not self.state.order.has_stores, "no fence completes the last mvout"
        return result


def build_driver(folder: Path, *sources: Path, flags: Collection[str] = ()) -> Path:
    """Return a shared library of the driver, the hook and other sources."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hook.c").write_text(HOOK)
    library = folder / "libgemmini.so"
    warnings = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
    command = ["gcc", "-std=c99", "-O1", "-fPIC", "-shared", *warnings, *flags, f"-I{DRIVER}"]
    files = [*sources, DRIVER / "gemmini.c", folder / "hook.c"]
    subprocess.run([*command, *map(str, files), "-o", str(library)], check=True)
    return library


def build_project(compiled: Compiled, folder: Path) -> Path:
    """Return a shared library of a project, whose self-test is the function `selftest`."""
    compiled.write(folder / "project")
    sources = [
        path for path in (folder / "project").glob("*.c") if not path.stem.endswith("_reference")
    ]
    return build_driver(folder, *sources, flags=("-Dmain=selftest",))


def image_of_library(library: Path) -> ProcessMemory:
    """Return the memory that the library is loaded to, from its first to its last byte."""
    ends: list[tuple[int, int]] = []
    follows = False
    file = str(library.resolve())
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        span, access, *rest = line.split()
        start, end = (int(it, 16) for it in span.split("-"))
        name = rest[3] if len(rest) > 3 else ""
        is_own = name == file
        # Memory that is zero at the start has no file; it follows the rest of the library.
        if is_own or (follows and not name and ends and start == ends[-1][1] and "r" in access):
            ends.append((start, end))
        follows = is_own
    return ProcessMemory(ends[0][0], ends[-1][1] - ends[0][0])
