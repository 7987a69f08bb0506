"""A RISC-V core with Gemmini: Unicorn runs the program, the strict interpreter its instructions.

Unicorn knows no instruction of Gemmini: it calls back, and the words are decoded here as isa.md
describes them. Main memory is one array that both use.
"""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from forebay.isa.faults import FaultLocation
from forebay.isa.gemmini.codec import decode_gemmini
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import Fence
from forebay.isa.gemmini.interpreter import step_gemmini
from forebay.isa.gemmini.state import GemminiState
from forebay.isa.main_memory import MainMemory

BASE, SIZE = 0x8000_0000, 16 << 20
FENCE = 0x0FF0000F
ILLEGAL_INSTRUCTION, CUSTOM_3 = 2, 0x7B
Word = tuple[int, int, int]


class Elf:
    """The loadable segments and symbols of a program."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.entry: int = elf["e_entry"]
            self.segments: list[tuple[int, bytes]] = [
                (segment["p_paddr"], segment.data())
                for segment in elf.iter_segments()
                if segment["p_type"] == "PT_LOAD"
            ]
            table = elf.get_section_by_name(".symtab")
            self.symbols: dict[str, int] = {it.name: it["st_value"] for it in table.iter_symbols()}


class GemminiBoard:
    """Runs a program until it writes to `tohost`; `code` is what it wrote there, without the 1."""

    def __init__(self, path: Path, geometry: GemminiGeometry | None = None) -> None:
        self._uc: Any = pytest.importorskip("unicorn", reason="unicorn is not installed")
        self._registers: Any = pytest.importorskip("unicorn.riscv_const")
        self.elf = Elf(path)
        memory = MainMemory(BASE, np.zeros(SIZE, np.uint8))
        for address, data in self.elf.segments:
            memory.write(address, np.frombuffer(data, np.uint8))
        self.state = GemminiState(memory, geometry or GemminiGeometry())
        self.counts: Counter[str] = Counter()
        self.stream: list[Word] = []
        self.code: int | None = None
        self._fault: Exception | None = None

    def run(self, limit: int = 400_000_000) -> int:
        """Return the code; raise the fault of an instruction."""
        uc = self._uc
        core = uc.Uc(uc.UC_ARCH_RISCV, uc.UC_MODE_RISCV64)
        memory = self.state.memory
        core.mem_map_ptr(BASE, SIZE, uc.UC_PROT_ALL, memory.data.ctypes.data)
        core.hook_add(uc.UC_HOOK_INTR, self._exception)
        tohost = self.elf.symbols["tohost"]
        core.hook_add(uc.UC_HOOK_MEM_WRITE, self._tohost, begin=tohost, end=tohost + 7)
        for address in self._fences():
            core.hook_add(uc.UC_HOOK_CODE, self._fence, begin=address, end=address)
        try:
            core.emu_start(self.elf.entry, BASE + SIZE, count=limit)
        except uc.UcError as error:
            at = core.reg_read(self._registers.UC_RISCV_REG_PC)
            cause = core.reg_read(self._registers.UC_RISCV_REG_MCAUSE)
            raise AssertionError(f"{error} at {at:#x}, cause {cause}") from error
        if self._fault is not None:
            raise self._fault
        assert self.code is not None, "the program did not end"
        assert not self.state.order.has_stores, "no fence completes the last mvout"
        return self.code

    def _fences(self) -> list[int]:
        address, text = self.elf.segments[0]
        words = [text[i : i + 4] for i in range(0, len(text) - 3, 2)]
        return [address + 2 * i for i, w in enumerate(words) if w == struct.pack("<I", FENCE)]

    def _step(self, core: Any, instruction: Any) -> None:
        self.state.place = FaultLocation(len(self.stream), type(instruction).__name__)
        self.counts[type(instruction).__name__] += 1
        try:
            step_gemmini(self.state, instruction)
        except Exception as error:  # an exception cannot leave a callback of C
            self._fault = error
            core.emu_stop()

    def _exception(self, core: Any, cause: int, _: object) -> None:
        """Run an instruction that the core does not know; any other exception ends the run."""
        # Unicorn reports the address behind the instruction, and continues there.
        at = core.reg_read(self._registers.UC_RISCV_REG_PC) - 4
        word = int.from_bytes(core.mem_read(at, 4), "little")
        if cause != ILLEGAL_INSTRUCTION or word & 0x7F != CUSTOM_3:
            self._fault = AssertionError(f"exception {cause} at {at:#x}, {word:#010x}")
            core.emu_stop()
            return
        # custom-3: both sources, no destination
        assert (word >> 12) & 7 == 0b011
        assert (word >> 7) & 31 == 0
        rs1, rs2 = (
            core.reg_read(self._registers.UC_RISCV_REG_X0 + (word >> bit & 31)) for bit in (15, 20)
        )
        self.stream.append((word >> 25, rs1, rs2))
        self._step(core, decode_gemmini(*self.stream[-1]))

    def _fence(self, core: Any, *_: object) -> None:
        self.stream.append((-1, 0, 0))
        self._step(core, Fence())

    def _tohost(self, core: Any, access: int, address: int, size: int, value: int, *_: Any) -> None:
        assert size == 8
        assert value & 1
        self.code = value >> 1
        core.emu_stop()
