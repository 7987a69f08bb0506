"""Small programs, memory for them, and what each fault test changes in them."""

from __future__ import annotations

import numpy as np

from forebay.isa.gemmini.instructions import (
    NO_ROWS,
    ComputePreloaded,
    ConfigEx,
    ConfigLd,
    ConfigSt,
    Dataflow,
    Fence,
    LocalAddress,
    Mvin,
    Mvin3,
    Mvout,
    Preload,
)
from forebay.isa.gemmini.interpreter import run_gemmini
from forebay.isa.main_memory import MainMemory

BASE = 0x81000000
A, B, BIAS, C = BASE, BASE + 0x100, BASE + 0x200, BASE + 0x300
C_FIRST_ROW = [-109, -19, 6, -34, -37, 23, -17, -64, 26, 30, -79, 43, 68, 28, 5, 85]


def spad(row: int) -> LocalAddress:
    return LocalAddress(row)


def acc(row: int, *, add: bool = False, full: bool = False) -> LocalAddress:
    return LocalAddress(row, accumulator=True, accumulate=add, full_width=full)


def memory() -> MainMemory:
    """Return A, B and bias of the published example, and 0x100 bytes of C that nothing wrote."""
    count = np.arange(256)
    a = (7 * count % 29 - 14).astype(np.int8)
    b = (11 * count % 37 - 18).astype(np.int8)
    bias = (100 * np.arange(16) - 800).astype("<i4")
    data = np.zeros(0x400, np.uint8)
    data[:0x100], data[0x100:0x200] = a.view(np.uint8), b.view(np.uint8)
    data[0x200:0x240] = bias.view(np.uint8)
    written = np.arange(0x400) < 0x240
    return MainMemory(BASE, data, written)


CONFIG_EX = ConfigEx(Dataflow.WEIGHT_STATIONARY)
CONFIG_LD = ConfigLd(0, 16)
CONFIG_BIAS = ConfigLd(2, 0)
CONFIG_ST = ConfigSt(16, 1 / 16)
MVIN_BIAS = Mvin3(BIAS, acc(0), 16, 16)
MVIN_A = Mvin(A, spad(0), 16, 16)
MVIN_B = Mvin(B, spad(16), 16, 16)
PRELOAD = Preload(spad(16), 16, 16, acc(0, add=True), 16, 16)
COMPUTE = ComputePreloaded(spad(0), 16, 16, NO_ROWS, 16, 16)
MVOUT = Mvout(C, acc(0), 16, 16)
FENCE = Fence()
PROGRAM = (
    *(CONFIG_EX, CONFIG_LD, CONFIG_BIAS, CONFIG_ST, MVIN_BIAS, MVIN_A, MVIN_B),
    *(PRELOAD, COMPUTE, MVOUT, FENCE),
)


def replaced(old: object, *new: object, program: tuple = PROGRAM) -> tuple:
    """Return the program with other instructions instead of `old`."""
    at = program.index(old)
    return (*program[:at], *new, *program[at + 1 :])


def result(program: tuple = PROGRAM, ignoring=()) -> list[list[int]]:
    """Run a program on the example's memory and return C."""
    ram = memory()
    run_gemmini(program, ram, ignoring=ignoring)
    return ram.data[0x300:0x400].view(np.int8).reshape(16, 16).tolist()
