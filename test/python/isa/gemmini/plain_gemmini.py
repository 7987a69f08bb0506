"""Gemmini in plain loops over raw operands: an oracle that shares nothing with the package.

It runs everything, as the functional simulator does: memories start as zeros. Arithmetic is in
fractions, so that no rounding of NumPy is involved.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from functools import lru_cache
from math import floor

N = 16
NONE = 0xFFFFFFFF


def bits(word: int, high: int, low: int) -> int:
    return (word >> low) % (1 << (high - low + 1))


def float_of(pattern: int) -> Fraction:
    return Fraction(struct.unpack("<f", struct.pack("<I", pattern))[0])


def nearest_even(value: Fraction) -> int:
    down = floor(value)
    rest = value - down
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2):
        return down + 1
    return down


def as_float32(value: Fraction) -> Fraction:
    """Round to 24 significant bits, ties to even; exponents of these tests do not overflow."""
    if value == 0:
        return value
    exponent = 0
    while abs(value) >= 2**24:
        value, exponent = value / 2, exponent + 1
    while abs(value) < 2**23:
        value, exponent = value * 2, exponent - 1
    return nearest_even(value) * Fraction(2) ** exponent


def saturated(value: int) -> int:
    return max(-128, min(127, value))


@lru_cache(maxsize=1 << 16)  # programs scale the same values again and again
def scaled(value: int, scale: Fraction) -> int:
    return saturated(nearest_even(as_float32(as_float32(Fraction(value)) * scale)))


def int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


class PlainGemmini:
    def __init__(self, base: int, memory: bytes) -> None:
        self.base, self.memory = base, bytearray(memory)
        self.spad = [[0] * N for _ in range(16384)]
        self.acc = [[0] * N for _ in range(1024)]
        self.array = [[0] * N for _ in range(N)]
        self.loads = {}
        self.ex = self.st = self.named = None

    def run(self, program) -> bytes:
        for funct, rs1, rs2 in program:
            if funct == 0:
                self.configure(rs1, rs2)
            elif funct in {1, 2, 14}:
                self.mvin({2: 0, 1: 1, 14: 2}[funct], rs1, rs2)
            elif funct == 3:
                self.mvout(rs1, rs2)
            elif funct == 6:
                self.named = rs1, rs2
            elif funct in {4, 5}:
                self.compute(rs1, rs2, loads=funct == 4)
            else:
                assert funct == 7
        return bytes(self.memory)

    def configure(self, rs1, rs2) -> None:
        kind = bits(rs1, 1, 0)
        if kind == 0 and bits(rs1, 7, 7):
            self.ex = (*self.ex[:5], bits(rs1, 31, 16), bits(rs2, 63, 48))
        elif kind == 0:
            modes = bits(rs1, 2, 2), bits(rs1, 4, 3), bits(rs1, 8, 8), bits(rs1, 9, 9)
            self.ex = (*modes, bits(rs2, 31, 0), bits(rs1, 31, 16), bits(rs2, 63, 48))
        elif kind == 1:
            self.loads[bits(rs1, 4, 3)] = rs1, rs2
        else:
            self.st = rs1, rs2

    def number(self, address: int, size: int) -> int:
        at = address - self.base
        assert 0 <= at <= len(self.memory) - size
        return int.from_bytes(self.memory[at : at + size], "little", signed=True)

    def put(self, address: int, value: int, size: int) -> None:
        at = address - self.base
        self.memory[at : at + size] = value.to_bytes(size, "little", signed=True)

    def mvin(self, load, rs1, rs2) -> None:
        config, stride = self.loads[load]
        accumulator, row0 = bits(rs2, 31, 31), bits(rs2, 25, 0)
        size = 4 if accumulator and not bits(config, 2, 2) else 1
        scale, columns = float_of(bits(config, 63, 32)), bits(rs2, 47, 32)
        for r in range(bits(rs2, 63, 48)):
            for c in range(columns):
                value = 0 if rs1 == 0 else self.number(rs1 + r * stride + c * size, size)
                value = scaled(value, scale) if size == 1 else value
                for pixel in range(max(1, bits(config, 15, 8))):
                    row = row0 + r + c // N * bits(config, 31, 16) - pixel
                    lane = c % N + pixel * columns
                    if accumulator:
                        old = self.acc[row][lane] if bits(rs2, 30, 30) else 0
                        self.acc[row][lane] = int32(old + value)
                    else:
                        self.spad[row][lane] = value

    def stored(self, rs2, row: int, lane: int) -> int:
        rs1_st, rs2_st = self.st
        if not bits(rs2, 31, 31):
            return self.spad[row][lane]
        if bits(rs2, 29, 29):
            return self.acc[row][lane]
        value = scaled(self.acc[row][lane], float_of(bits(rs2_st, 63, 32)))
        return max(0, value) if bits(rs1_st, 3, 2) else value

    def mvout(self, rs1, rs2) -> None:
        config, other = self.st
        stride, row0, columns = bits(other, 31, 0), bits(rs2, 25, 0), bits(rs2, 47, 32)
        if bits(config, 5, 4):
            self.pool(rs1, rs2, stride)
            return
        size = 4 if bits(rs2, 31, 31) and bits(rs2, 29, 29) else 1
        for r in range(bits(rs2, 63, 48)):
            for c in range(columns):
                value = self.stored(rs2, row0 + r + c // N * N, c % N)
                self.put(rs1 + r * stride + c * size, value, size)

    def pool(self, rs1, rs2, stride) -> None:
        config = self.st[0]
        step, window = bits(config, 5, 4), bits(config, 7, 6)
        height, width = bits(config, 55, 48), bits(config, 63, 56)
        for py in range(bits(config, 39, 32)):
            for px in range(bits(config, 47, 40)):
                for c in range(bits(rs2, 47, 32)):
                    seen = []
                    for wy in range(window):
                        for wx in range(window):
                            y = py * step + wy - bits(config, 9, 8)
                            x = px * step + wx - bits(config, 11, 10)
                            inside = 0 <= y < height and 0 <= x < width
                            row = bits(rs2, 25, 0) + y * width + x
                            seen.append(self.stored(rs2, row, c) if inside else 0)
                    target = rs1 + (py * bits(config, 31, 24) + px) * stride + c
                    self.put(target, max(seen), 1)

    def matrix(self, word: int, *, transposed: int, stride: int = 1) -> list[list[int]]:
        rows, columns, address = bits(word, 63, 48), bits(word, 47, 32), bits(word, 31, 0)
        result = [[0] * N for _ in range(N)]
        for i in range(rows if address != NONE else 0):
            for j in range(columns):
                row, lane = (j, i) if transposed else (i, j)
                result[i][j] = self.spad[address + row * stride][lane]
        return result

    def compute(self, rs1, rs2, *, loads: bool) -> None:
        weights, activation, a_turned, b_turned, shift, a_stride, c_stride = self.ex
        if loads:
            self.array = self.matrix(self.named[0], transposed=weights and b_turned)
        a = self.matrix(rs1, transposed=a_turned, stride=a_stride)
        other = self.matrix(rs2, transposed=b_turned and not weights)
        start, right = (other, self.array) if weights else (self.array, other)
        sums = [
            [int32(start[i][j] + sum(a[i][k] * right[k][j] for k in range(N))) for j in range(N)]
            for i in range(N)
        ]
        if not weights:
            self.array = sums
        c = self.named[1]
        if bits(c, 31, 0) == NONE:
            return
        for i in range(bits(c, 63, 48)):
            for j in range(bits(c, 47, 32)):
                row = bits(c, 25, 0) + i * c_stride
                if bits(c, 31, 31):
                    old = self.acc[row][j] if bits(c, 30, 30) else 0
                    self.acc[row][j] = int32(old + sums[i][j])
                else:
                    shifted = Fraction(sums[i][j], 1 if weights else 2**shift)
                    value = saturated(nearest_even(shifted))
                    self.spad[row][j] = max(0, value) if activation else value
