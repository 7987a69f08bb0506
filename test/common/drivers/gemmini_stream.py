"""Checks a stream of Gemmini's instructions field by field, by the programming model alone.

It decodes raw operands with masks of its own and knows neither the emitter nor the interpreter. A
stream is a list of (funct, rs1, rs2); (-1, 0, 0) stands for a fence of the processor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

NOWHERE = 2**32 - 1
ONE = 0x3F800000

# funct: bits that fields have, of rs1 and of rs2
LOCAL = 2**32 - 1
SIZED = LOCAL | 0x1F << 48 | 0x7F << 32
MASKS = {
    1: (2**64 - 1, SIZED),
    2: (2**64 - 1, SIZED),
    14: (2**64 - 1, SIZED),
    3: (2**64 - 1, SIZED),
    4: (SIZED, SIZED),
    5: (SIZED, SIZED),
    6: (SIZED, SIZED),
    7: (1, 0),
}
CONFIG_MASKS = {
    0: (0xFFFFFFFF_FFFF0000 | 0b11_1001_1111, 0xFFFF0000_0000001F),
    1: (0xFFFFFFFF_FFFFFF00 | 0b1_1111, 2**64 - 1),
    2: (0xFFFFFFFF_FF000FFF, 2**64 - 1),
}


@dataclass(frozen=True)
class Sized:
    """An operand: rows, columns and a local address."""

    word: int

    @property
    def rows(self) -> int:
        return self.word >> 48

    @property
    def columns(self) -> int:
        return self.word >> 32 & 0xFFFF

    @property
    def address(self) -> int:
        return self.word & 0xFFFFFFFF

    @property
    def row(self) -> int:
        return self.address & 0x03FFFFFF

    def flag(self, bit: int) -> bool:
        return bool(self.address >> bit & 1)

    @property
    def is_nowhere(self) -> bool:
        return self.address == NOWHERE


@dataclass
class StreamChecker:
    """The rules of the safe subset; `wrong` collects what breaks them."""

    scratchpad_rows: int = 16384
    accumulator_rows: int = 1024
    wrong: list[str] = field(default_factory=list)
    _at: int = 0
    _array: tuple[int, int] | None = None
    _loads: dict[int, tuple[int, int]] = field(default_factory=dict)
    _store: tuple[int, int] | None = None
    _preload: bool = False
    _loaded: int | None = None
    _moved_out: list[tuple[int, int]] = field(default_factory=list)

    def check(self, stream: Iterable[tuple[int, int, int]]) -> list[str]:
        for at, (funct, rs1, rs2) in enumerate(stream):
            self._at = at
            self._word(funct, rs1, rs2)
        self._expect(not self._moved_out, "the stream ends with a move-out that no fence follows")
        self._expect(not self._preload, "the stream ends with a preload")
        return self.wrong

    def _expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.wrong.append(f"{self._at}: {what}")

    def _word(self, funct: int, rs1: int, rs2: int) -> None:
        if funct == -1:
            self._moved_out = []
            return
        masks = CONFIG_MASKS.get(rs1 & 3) if funct == 0 else MASKS.get(funct)
        self._expect(masks is not None, f"funct {funct} is outside of the subset")
        if masks is None:
            return
        for name, word, mask in (("rs1", rs1, masks[0]), ("rs2", rs2, masks[1])):
            self._expect(not word & ~mask, f"funct {funct}: {name} {word:#x} has bits of no field")
        if self._preload:
            self._expect(funct in {4, 5}, "a preload is not followed by its compute")
        if funct == 0:
            self._configure(rs1, rs2)
        elif funct in {1, 2, 14}:
            self._move_in({2: 0, 1: 1, 14: 2}[funct], rs1, Sized(rs2))
        elif funct == 3:
            self._move_out(rs1, Sized(rs2))
        elif funct == 6:
            self._named(Sized(rs1), Sized(rs2))
        elif funct in {4, 5}:
            self._compute(Sized(rs1), Sized(rs2), loads=funct == 4)

    def _configure(self, rs1: int, rs2: int) -> None:
        kind = rs1 & 3
        if kind == 0:
            self._expect(rs1 >> 3 & 3 < 2, "an activation that is a normalisation")
            self._expect(rs1 >> 16 & 0xFFFF > 0, "a stride of A of 0")
            self._expect(rs2 >> 48 == 1, "a stride of C other than 1")
            self._expect(rs2 & 0xFFFFFFFF == 0, "a shift")
            self._array = rs1, rs2
        elif kind == 1:
            self._expect(rs1 >> 3 & 3 < 3, "load configuration 3")
            self._expect(rs1 >> 8 & 0xFF in {0, 1}, "repeated pixels")
            self._expect(rs1 >> 16 & 0xFFFF >= 16, "a block stride below 16")
            self._expect(rs1 >> 32 == ONE, "a scaled move-in")
            self._expect(not rs1 >> 2 & 1, "a shrunk move-in")
            self._loads[rs1 >> 3 & 3] = rs1, rs2
        else:
            self._expect(rs1 >> 2 & 3 < 2, "an activation that is a normalisation")
            self._store = rs1, rs2

    def _move_in(self, load: int, address: int, to: Sized) -> None:
        if load not in self._loads:
            self._expect(False, f"load configuration {load} was never sent")
            return
        rs1, stride = self._loads[load]
        size = 4 if to.flag(31) else 1
        self._expect(1 <= to.rows <= 16, f"{to.rows} rows are moved in")
        self._expect(1 <= to.columns <= 64 // size, f"{to.columns} columns are moved in")
        self._expect(address != 0, "address 0")
        blocks = (to.columns + 15) // 16
        last = to.row + (blocks - 1) * (rs1 >> 16 & 0xFFFF) + to.rows
        self._inside(to, last)
        self._expect(not to.flag(29), "a move-in of full width")
        for row in range(to.rows):
            start = address + row * stride
            end = start + to.columns * size
            overlaps = any(start < out[1] and out[0] < end for out in self._moved_out)
            self._expect(not overlaps, "a move-in of bytes that a move-out may still write")

    def _move_out(self, address: int, what: Sized) -> None:
        if self._store is None:
            self._expect(False, "the store configuration was never sent")
            return
        rs1, rs2 = self._store
        self._expect(address != 0, "address 0")
        if rs1 >> 4 & 3:
            self._pooled(address, what)
            return
        size = 4 if what.flag(31) and what.flag(29) else 1
        self._expect(1 <= what.rows <= 16, f"{what.rows} rows are moved out")
        self._expect(1 <= what.columns <= 16, f"{what.columns} columns are moved out")
        self._inside(what, what.row + what.rows)
        self._expect(not what.flag(30), "a move-out that accumulates")
        for row in range(what.rows):
            start = address + row * (rs2 & 0xFFFFFFFF)
            self._moved_out.append((start, start + what.columns * size))

    def _pooled(self, address: int, what: Sized) -> None:
        rs1, rs2 = self._store or (0, 0)
        rows, columns = rs1 >> 48 & 0xFF, rs1 >> 56
        step, window = rs1 >> 4 & 3, rs1 >> 6 & 3
        self._expect(not rs1 >> 8 & 0xF, "padding of a pooled move-out")
        self._expect(1 <= what.columns <= 16, "channels of a pooled move-out")
        self._expect(what.flag(31) and not what.flag(29), "a pooled move-out of full width")
        self._expect((rs1 >> 32 & 0xFF) == (rows - window) // step + 1, "pooled rows")
        self._expect((rs1 >> 40 & 0xFF) == (columns - window) // step + 1, "pooled columns")
        self._inside(what, what.row + rows * columns)
        pixels = (rs1 >> 32 & 0xFF) * (rs1 >> 40 & 0xFF)
        for pixel in range(pixels):
            start = address + pixel * (rs2 & 0xFFFFFFFF)
            self._moved_out.append((start, start + what.columns))

    def _named(self, operand: Sized, c: Sized) -> None:
        self._expect(self._array is not None, "the array was never configured")
        self._operand("the operand of a preload", operand)
        self._size("C", c)
        if not c.is_nowhere:
            self._expect(c.flag(31) and not c.flag(29), "C is not in the accumulator")
            self._inside(c, c.row + c.rows)
        if self._array is not None and self._array[0] >> 2 & 1 and not operand.is_nowhere:
            self._loaded = None
        self._preload = True
        self._loads_array = not operand.is_nowhere

    def _compute(self, a: Sized, other: Sized, *, loads: bool) -> None:
        self._expect(self._preload, "a compute without a preload of its own")
        self._preload = False
        if self._array is None:
            return
        keeps_weights = self._array[0] >> 2 & 1
        self._expect(not a.is_nowhere, "A is nowhere")
        stride = self._array[0] >> 16 & 0xFFFF
        self._size("A", a)
        self._inside(a, a.row + (a.rows - 1) * stride + 1)
        self._expect(not a.address >> 26, "A has flags")
        self._operand("the operand of a compute", other)
        if loads:
            self._expect(not keeps_weights or self._loads_array, "weights that are nowhere")
            self._loaded = keeps_weights
        self._expect(self._loaded == keeps_weights, "the array holds nothing to go on with")

    def _operand(self, what: str, it: Sized) -> None:
        self._size(what, it)
        if not it.is_nowhere:
            self._expect(not it.address >> 26, f"{what} has flags")
            self._inside(it, it.row + it.rows)

    def _size(self, what: str, it: Sized) -> None:
        self._expect(
            1 <= it.rows <= 16 and 1 <= it.columns <= 16, f"{what}: {it.rows}x{it.columns}"
        )

    def _inside(self, it: Sized, end: int) -> None:
        most = self.accumulator_rows if it.flag(31) else self.scratchpad_rows
        self._expect(end <= most, f"row {end - 1} of {most}")
        self._expect(not it.address >> 26 & 7, "a normalisation")
