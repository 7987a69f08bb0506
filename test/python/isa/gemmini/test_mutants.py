"""Mutants of the published example: a program without a fault depends on nothing undefined.

A mutant is refused, or its bytes are those of plain loops whatever local memory and array hold at
the start. So a mutant that reads one row too many, or lacks an instruction, cannot pass unseen.
"""

import random
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from forebay.isa.faults import EncodingError, InstructionFault
from forebay.isa.gemmini.codec import encode_gemmini
from forebay.isa.gemmini.instructions import NO_ROWS, Fence, LocalAddress
from forebay.isa.gemmini.interpreter import run_gemmini

from .plain_gemmini import PlainGemmini
from .small_programs import BASE, C_FIRST_ROW, PROGRAM, memory

NAMES = [type(instruction).__name__ for instruction in PROGRAM]


def changed_fields(instruction):
    """Return the instruction with one other row, flag, size or address."""
    for field in fields(instruction) if not isinstance(instruction, Fence) else ():
        value = getattr(instruction, field.name)
        if isinstance(value, LocalAddress):
            near = (
                [replace(value, row=value.row + step) for step in (-16, -1, 1, 16, 4096)]
                if (value != NO_ROWS and value.row >= 16)
                else [replace(NO_ROWS, row=0, normalisation=0), LocalAddress(1), LocalAddress(16)]
            )
            flags = [
                replace(value, **{flag: not getattr(value, flag)})
                for flag in ("accumulator", "accumulate", "full_width")
            ]
            others = [*near, *flags, NO_ROWS]
        elif isinstance(value, bool):
            others = [not value]
        elif isinstance(value, int) and field.init and type(value) is int:
            others = [value + 1, max(0, value - 1), 0]
        else:
            others = []
        for number, other in enumerate(others):
            try:
                yield f"{field.name}-{number}", replace(instruction, **{field.name: other})
            except EncodingError:
                continue


def mutants():
    for at, instruction in enumerate(PROGRAM):
        name = f"{at}-{NAMES[at]}"
        before, after = PROGRAM[:at], PROGRAM[at + 1 :]
        yield pytest.param((*before, *after), id=f"{name}-dropped")
        yield pytest.param((*before, instruction, instruction, *after), id=f"{name}-twice")
        if after:
            swapped = (*before, after[0], instruction, *after[1:])
            yield pytest.param(swapped, id=f"{name}-swapped")
        for change, other in changed_fields(instruction):
            yield pytest.param((*before, other, *after), id=f"{name}-{change}")


@cache
def drawn_contents(seed: int) -> tuple[list[list[int]], ...]:
    """Return rows of the scratchpad, the accumulator and the array, which a program may find."""
    draw = random.Random(seed)
    return (
        [draw.choices(range(-128, 128), k=16) for _ in range(16384)],
        [draw.choices(range(-(2**31), 2**31), k=16) for _ in range(1024)],
        [draw.choices(range(-128, 128), k=16) for _ in range(16)],
    )


def plain(program, seed: int) -> bytes:
    """Run plain loops on local memories that hold anything."""
    machine = PlainGemmini(BASE, memory().data.tobytes())
    machine.spad, machine.acc, machine.array = (
        [row.copy() for row in rows] for rows in drawn_contents(seed)
    )
    return machine.run(encode_gemmini(one) for one in program if not isinstance(one, Fence))


@pytest.mark.parametrize("program", list(mutants()))
def test_a_mutant_is_refused_or_depends_on_nothing_undefined(program) -> None:
    ram = memory()
    try:
        run_gemmini(program, ram)
    except InstructionFault:
        return
    assert ram.data.tobytes() == plain(program, 1)


DROPPED_WITHOUT_FAULT = {8: "the product is not added", 9: "nothing is stored"}


@pytest.mark.parametrize("at", range(len(PROGRAM)))
def test_every_dropped_instruction_is_refused_or_seen_in_c(at) -> None:
    ram = memory()
    program = (*PROGRAM[:at], *PROGRAM[at + 1 :])
    if at in DROPPED_WITHOUT_FAULT:
        run_gemmini(program, ram)
        assert ram.data[0x300:0x310].view(np.int8).tolist() != C_FIRST_ROW
    else:
        with pytest.raises(InstructionFault):
            run_gemmini(program, ram)
