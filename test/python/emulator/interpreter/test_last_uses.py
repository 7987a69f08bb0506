"""When a buffer dies: after its last access in the run, through every view, loop and call.

Each program is right with its plan and wrong with another: `SPOIL` is written where it would do no
harm if the buffer below it were dead.
"""

from __future__ import annotations

import numpy as np
import pytest
from common.emulated import run

from forebay.emulator import Fault
from forebay.emulator.memory.faults import LiveOverwrite

HEAD = """
func.func @main(%out: memref<16xi8> {accel.name = "y", bufferize.result}) {
  %x = arith.constant 7 : i8
  %z = arith.constant 9 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
"""
TAIL = "\n  return\n}\n"
A = "%a = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>"
B = "%b = memref_pool.alloc at <@ws, B> : memref<16xi8, #ws>"
FILL_A = "linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #ws>)"
SPOIL = "linalg.fill ins(%z : i8) outs(%b : memref<16xi8, #ws>)"
USE_B = "memref.copy %b, %out : memref<16xi8, #ws> to memref<16xi8>"
OUT = "memref.copy %a, %out : memref<16xi8, #ws> to memref<16xi8>"


def program(*lines: str) -> str:
    return HEAD + "\n".join(lines) + TAIL


PROGRAMS = {
    "used through a view": (
        "%v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xi8, #ws> into "
        "memref<4x4xi8, #ws>",
        SPOIL,
        "%w = memref.collapse_shape %v [[0, 1]] : memref<4x4xi8, #ws> into memref<16xi8, #ws>",
        "memref.copy %w, %out : memref<16xi8, #ws> to memref<16xi8>",
    ),
    "used by a later iteration": (
        "scf.for %i = %c0 to %c3 step %c1 {",
        OUT,
        SPOIL,
        "}",
    ),
    "carried by a loop and used behind it": (
        "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%it = %a) -> memref<16xi8, #ws> {",
        SPOIL,
        "scf.yield %it : memref<16xi8, #ws>",
        "}",
        "memref.copy %r, %out : memref<16xi8, #ws> to memref<16xi8>",
    ),
    "the result of a loop that never runs": (
        "%r = scf.for %i = %c3 to %c0 step %c1 iter_args(%it = %b) -> memref<16xi8, #ws> {",
        "scf.yield %it : memref<16xi8, #ws>",
        "}",
        "linalg.fill ins(%z : i8) outs(%r : memref<16xi8, #ws>)",
        OUT,
    ),
    "used by the condition of a loop": (
        "%end = scf.while (%n = %c0) : (index) -> index {",
        "%e = memref.load %a[%n] : memref<16xi8, #ws>",
        "%go = arith.cmpi eq, %e, %x : i8",
        "%less = arith.cmpi ult, %n, %c3 : index",
        "%both = arith.andi %go, %less : i1",
        "scf.condition(%both) %n : index",
        "} do {",
        "^bb0(%n: index):",
        SPOIL,
        "%m = arith.addi %n, %c1 : index",
        "scf.yield %m : index",
        "}",
        OUT,
    ),
    "chosen by a select": (
        "%yes = arith.constant true",
        "%s = arith.select %yes, %a, %b : memref<16xi8, #ws>",
        SPOIL,
        "memref.copy %s, %out : memref<16xi8, #ws> to memref<16xi8>",
    ),
    "used behind a branch that does not use it": (
        "%yes = arith.constant true",
        "scf.if %yes {",
        SPOIL,
        "}",
        OUT,
    ),
    "used by a called function": (
        "func.call @later(%a, %b, %out) : (memref<16xi8, #ws>, memref<16xi8, #ws>, "
        "memref<16xi8>) -> ()",
    ),
}
LATER = """
func.func private @later(%a: memref<16xi8, #ws>, %b: memref<16xi8, #ws>, %out: memref<16xi8>) {
  %z = arith.constant 9 : i8
  linalg.fill ins(%z : i8) outs(%b : memref<16xi8, #ws>)
  memref.copy %a, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_buffer_lives_until_its_last_use(name: str) -> None:
    text = program(A, B, FILL_A, *PROGRAMS[name]) + LATER
    np.testing.assert_array_equal(run(text.replace("B>", "16>"))[0], np.full(16, 7, np.int8))
    with pytest.raises(Fault) as caught:
        run(text.replace("B>", "0>"))
    assert type(caught.value) is LiveOverwrite


ENDED = {
    "by a view without uses": (
        OUT,
        SPOIL,
        "%v = memref.cast %a : memref<16xi8, #ws> to memref<?xi8, #ws>",
        USE_B,
    ),
    "in the branch that uses it last": (
        "%yes = arith.constant true",
        "scf.if %yes {",
        OUT,
        SPOIL,
        USE_B,
        "}",
    ),
    "with the branch that is not taken": (
        "%no = arith.constant false",
        "scf.if %no {",
        OUT,
        "} else {",
        SPOIL,
        USE_B,
        "}",
    ),
    "in the called function that uses it last": (
        "func.call @first(%a, %b, %out) : (memref<16xi8, #ws>, memref<16xi8, #ws>, "
        "memref<16xi8>) -> ()",
    ),
    "with the iteration that replaces it": (
        "%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%it = %a) -> memref<16xi8, #ws> {",
        "memref.copy %it, %out : memref<16xi8, #ws> to memref<16xi8>",
        SPOIL,
        "scf.yield %b : memref<16xi8, #ws>",
        "}",
        "memref.copy %r, %out : memref<16xi8, #ws> to memref<16xi8>",
    ),
}
FIRST = """
func.func private @first(%a: memref<16xi8, #ws>, %b: memref<16xi8, #ws>, %out: memref<16xi8>) {
  %z = arith.constant 9 : i8
  memref.copy %a, %out : memref<16xi8, #ws> to memref<16xi8>
  linalg.fill ins(%z : i8) outs(%b : memref<16xi8, #ws>)
  memref.copy %b, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}
"""


@pytest.mark.parametrize("name", ENDED)
def test_a_buffer_is_over_behind_its_last_use(name: str) -> None:
    text = program(A, B, FILL_A, *ENDED[name]) + FIRST
    np.testing.assert_array_equal(run(text.replace("B>", "0>"))[0], np.full(16, 9, np.int8))


def test_each_iteration_has_a_buffer_of_its_own() -> None:
    """What an iteration leaves in its buffer is not there for the next."""
    text = program(
        A,
        FILL_A,
        OUT,
        "scf.for %i = %c0 to %c3 step %c1 {",
        "%c = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>",
        "%first = arith.cmpi eq, %i, %c0 : index",
        "scf.if %first {",
        "linalg.fill ins(%z : i8) outs(%c : memref<16xi8, #ws>)",
        "}",
        "memref.copy %c, %out : memref<16xi8, #ws> to memref<16xi8>",
        "}",
    )
    with pytest.raises(Fault, match="which is left of dead buffer 'buffer'"):
        run(text)


@pytest.mark.parametrize("poison", [0x00, 0x5A])
def test_dead_bytes_are_poisoned(poison: int) -> None:
    """A view of unreadable bytes shows what the machine put there."""
    text = program(A, FILL_A, OUT)
    from common.emulated import emulator

    machine = emulator(text, poison=poison)
    machine.call("main")
    assert set(machine._machine.named["@ws"].data.tolist()) == {poison}
