"""A pass that changes what a program computes is refused by name, whatever stage it is at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from common.sweep import sweep
from mlir import ir

import forebay
from forebay.validation import ValidationError, Validator

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples/digits/digits_int8.tflite"

POOLS = "memref_pool.pool @ws workspace\nmemref_pool.pool @st state\n"
PORTS = (
    '%x: memref<4xi32> {accel.name = "x"}, %y: memref<4xi32> {accel.name = "y", bufferize.result}'
)
BUFFER, STATE = "memref<4xi32, #memref_pool.space<@ws>>", "memref<4xi32, #memref_pool.space<@st>>"


def program(*lines: str, head: str = "") -> ir.Module:
    text = f"{POOLS}{head}func.func @main({PORTS}) {{\n" + "\n".join(lines) + "\nreturn\n}"
    return ir.Module.parse(text.replace("BUF", BUFFER).replace("STATE", STATE))


def compare(*pair: ir.Module) -> str:
    """What is said of a pass that turns the first program into the second; empty for nothing."""
    before, after = pair
    validator = Validator()

    def swap(module: ir.Module) -> None:
        for op in list(module.body.operations):
            op.operation.erase()
        for op in after.body.operations:
            op.operation.clone(ir.InsertionPoint(module.body))

    try:
        validator.run_one(before, "the-pass", swap)
    except ValidationError as error:
        return str(error)
    assert validator.checked == ["the-pass"]
    return ""


COPY = "memref.copy %x, %y : memref<4xi32> to memref<4xi32>"
ALLOC = "%a = memref_pool.alloc : BUF"
TAKE = "memref.copy %x, %a : memref<4xi32> to BUF"
GIVE = "memref.copy %a, %y : BUF to memref<4xi32>"
CONSTANTS = (
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    "%first = memref.load %x[%c0] : memref<4xi32>",
    "%n = arith.index_cast %first : i32 to index",
)
LOOP = "scf.for %i = %c0 to %n step %c1 {"


@pytest.fixture(autouse=True)
def context():
    with ir.Context(), ir.Location.unknown():
        yield


def test_a_copy_more_changes_nothing() -> None:
    assert compare(program(COPY), program(ALLOC, TAKE, GIVE)) == ""


def test_an_output_with_another_value() -> None:
    fill = "%z = arith.constant 9 : i32\nmemref.store %z, %y[%c1] : memref<4xi32>"
    message = compare(program(COPY), program(*CONSTANTS, COPY, fill))
    assert message.startswith(
        "'the-pass' has changed what the program computes: output 1 ('y') of @main in run 1 is 9 "
        "instead of "
    )
    assert "at [1]; 1 of 4 elements differ (on inputs of seed 0, poison 0xa5)" in message
    assert message.endswith("report it with this model if it is not your own")


def test_a_read_of_what_nothing_wrote() -> None:
    """The values are right; still the program was without fault before."""
    stray = "%b = memref_pool.alloc : BUF\nmemref.copy %b, %a : BUF to BUF"
    message = compare(program(ALLOC, TAKE, GIVE), program(ALLOC, stray, TAKE, GIVE))
    assert "memref.copy reads byte 0 of @ws in buffer 'buffer'" in message
    assert "which nothing has written" in message


def test_bytes_that_were_never_written_may_be_anything() -> None:
    half = "%z = arith.constant 9 : i32\nmemref.store %z, %a[%c1] : BUF"
    full = "linalg.fill ins(%z : i32) outs(%a : BUF)"
    before = program(*CONSTANTS, ALLOC, half, GIVE)
    assert compare(before, program(*CONSTANTS, ALLOC, half, full, GIVE)) == ""


def test_a_store_that_leaves_a_loop_which_may_not_run() -> None:
    """The first element of an input says how often it runs: never, if it is not above 0."""
    nine = "%z = arith.constant 9 : i32"
    store = "memref.store %z, %y[%c0] : memref<4xi32>"
    before = program(*CONSTANTS, nine, COPY, LOOP, store, "}")
    assert "is 9 instead of" in compare(before, program(*CONSTANTS, nine, COPY, store))


def test_a_loop_without_end_says_nothing() -> None:
    loop = (*CONSTANTS[:2], "%n = arith.constant 1000000000 : index", LOOP, COPY, "}")
    assert compare(program(*loop), program(COPY)) == ""


def test_a_loop_that_ends_no_more() -> None:
    loop = (*CONSTANTS[:2], "%n = arith.constant 1000000000 : index", LOOP, COPY, "}")
    assert "it stops now: its loops run more than" in compare(program(COPY), program(*loop))


def test_state_with_another_value() -> None:
    head = (
        'memref.global "private" @s : STATE = uninitialized\n'
        "func.func @reset() {\n%g = memref.get_global @s : STATE\n%z = arith.constant 5 : i32\n"
        "linalg.fill ins(%z : i32) outs(%g : STATE)\nreturn\n}\n"
    )
    get = "%g = memref.get_global @s : STATE"
    out = "memref.copy %g, %y : STATE to memref<4xi32>"
    store = "memref.copy %x, %g : memref<4xi32> to STATE"
    right = program(get, out, store, head=head)
    early, never = program(get, store, out, head=head), program(get, out, head=head)
    assert compare(right, program(get, out, store, store, head=head)) == ""
    right = program(get, out, store, head=head)
    assert "output 1 ('y') of @main in run 1" in compare(right, early)
    right = program(get, out, store, head=head)
    assert "state 's' behind @main in run 1 is 5 instead of" in compare(right, never)


def test_every_pass_of_a_compilation_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Validator] = []
    init = Validator.__init__

    def noting(self: Validator) -> None:
        init(self)
        made.append(self)

    monkeypatch.setattr(Validator, "__init__", noting)
    forebay.compile(DIGITS, verify_each=True)
    (validator,) = made
    assert validator.unchecked == []
    assert {"accel-raise-copies", "one-shot-bufferize", "memref-pool-adopt", "memref-pool-plan",
            "accel-hoist-transfers"} <= set(validator.checked)  # fmt: skip


MISCOMPILE = '''
from mlir.dialects import func, memref

from forebay.dialects import accel
from forebay.passes import Pass


class Drop(Pass):
    """Erase the last kernel of @main."""

    name = "test-drop"

    def run(self, op):
        (main,) = (f for f in op.regions[0].blocks[0].operations if isinstance(f, func.FuncOp)
                   and f.sym_name.value == "main")
        kernels = [o for o in main.entry_block.operations if isinstance(o, accel.ReduceOp)]
        kernels[-1].operation.erase()
'''


@pytest.mark.parametrize("phase", sweep(["after-bufferize", "after-plan"]))
def test_the_command_refuses_a_pass_of_the_users_own(tmp_path: Path, phase: str) -> None:
    file = tmp_path / "drop.py"
    file.write_text(MISCOMPILE)
    arguments = ["compile", str(DIGITS), "--pass", f"{phase}={file}", "-o", str(tmp_path / "out")]
    ran = subprocess.run(
        [sys.executable, "-m", "forebay.cli.main", *arguments, "--verify-each"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith(
        "forebay: error: 'test-drop' has changed what the program computes: output 1 ('scores') of "
        "@main in run 1 is "
    )
    assert not (tmp_path / "out").exists()
