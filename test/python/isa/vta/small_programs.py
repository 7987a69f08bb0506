"""The published example with names, a program of two tiles, and memory for both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import encode_micro_op
from forebay.isa.vta.instructions import (
    AluOp,
    DependencyBits,
    MicroOp,
    VtaAlu,
    VtaFinish,
    VtaGemm,
    VtaLoad,
    VtaMemory,
    VtaStore,
)
from forebay.isa.vta.interpreter import run_vta

BASE = 0x1000
OUT = [-114, -96, -22, -40, -54, -45, 10, 10, -3, -59, 61, 103, 47, 6, 112, 127]
POP_PREV, POP_NEXT = DependencyBits(pop_prev=True), DependencyBits(pop_next=True)
PUSH_PREV, PUSH_NEXT = DependencyBits(push_prev=True), DependencyBits(push_next=True)
STORED = DependencyBits(pop_prev=True, push_prev=True)


def load(memory: VtaMemory, sram: int, dram: int, tokens=None, **more: object) -> VtaLoad:
    values = {"rows": 1, "columns": 1, "stride": 1, "tokens": tokens or DependencyBits(), **more}
    return VtaLoad(memory, sram, dram, **values)


def immediate(op: AluOp, value: int, tokens=None) -> VtaAlu:
    bits = tokens or DependencyBits()
    return VtaAlu(0, 1, op=op, use_immediate=True, immediate=value, tokens=bits)


LOAD_UOP = load(VtaMemory.UOP, 0, 0x400)
LOAD_ACC = load(VtaMemory.ACC, 0, 0x4C)
LOAD_INP = load(VtaMemory.INP, 0, 0x110)
LOAD_WGT = load(VtaMemory.WGT, 0, 0x12, PUSH_NEXT)
GEMM = VtaGemm(0, 1, tokens=POP_PREV)
SHR, LOW = immediate(AluOp.SHR, 3), immediate(AluOp.MIN, 127)
HIGH = immediate(AluOp.MAX, -128, PUSH_NEXT)
STORE = VtaStore(VtaMemory.OUT, 0, 0x134, 1, 1, 1, STORED)
FINISH = VtaFinish(POP_NEXT)
PROGRAM = (LOAD_UOP, LOAD_ACC, LOAD_INP, LOAD_WGT, GEMM, SHR, LOW, HIGH, STORE, FINISH)

BOTH = DependencyBits(pop_prev=True, push_prev=True)
TWO_TILES = (
    *(LOAD_UOP, LOAD_ACC, LOAD_INP, LOAD_WGT, replace(GEMM, tokens=BOTH), SHR, LOW, HIGH, STORE),
    load(VtaMemory.INP, 0, 0x111, DependencyBits(pop_next=True, push_next=True)),
    replace(LOAD_ACC, tokens=POP_NEXT),
    *(GEMM, SHR, LOW, HIGH, replace(STORE, dram=0x135), FINISH),
)


def memory() -> MainMemory:
    """Return the example's memory: micro-op, input, weights, bias; the output was never written."""
    data = np.zeros(0x400, np.uint8)
    data[:4] = np.array([encode_micro_op(MicroOp(0))], "<u4").view(np.uint8)
    count = np.arange(256)
    data[0x100:0x110] = (7 * count[:16] % 29 - 14).astype(np.int8).view(np.uint8)
    data[0x110:0x120] = (5 * count[:16] % 23 - 11).astype(np.int8).view(np.uint8)
    data[0x200:0x300] = (11 * count % 37 - 18).astype(np.int8).view(np.uint8)
    data[0x300:0x340] = (100 * np.arange(16) - 800).astype("<i4").view(np.uint8)
    return MainMemory(BASE, data, np.arange(0x400) < 0x340)


def replaced(old: object, *new: object, program: tuple = PROGRAM) -> tuple:
    """Return the program with other instructions instead of `old`."""
    at = program.index(old)
    return (*program[:at], *new, *program[at + 1 :])


def result(program=PROGRAM, ignoring=()) -> list[int]:
    """Run a program on the example's memory and return the two outputs."""
    ram = memory()
    run_vta(program, ram, ignoring=ignoring)
    return ram.data[0x340:0x360].view(np.int8).tolist()
