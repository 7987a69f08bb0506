"""What cannot be traced is refused at the author's line, with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir
from mlir.dialects import scf

import forebay
from forebay import targets
from forebay.dialects import accel
from forebay.targets.description.attach import attach

# The function of cycles begins at line 5; its statement is at line 6.
SOURCE = """\
from forebay.api.target import *
from forebay.api.target import Device, Intrinsic, Operand, Pool, Target

HELD = []
def cycles(rows, blocks):
    return rows + blocks

WORK = Intrinsic("work", "npu_work", (Operand("y", "out"),), ("rows", "blocks"), cycles=cycles)
NPU = Device("npu", kind="npu", intrinsics=(WORK,))
CPU = Device("cpu", kind="cpu", host=True)
TARGET = Target("npu", (CPU, NPU), (Pool("sram", "workspace"),))
"""

STATEMENTS = {
    "return rows if rows > blocks else blocks": "6: cycles of 'work': a traced value has no truth "
    "value while the function is traced: `if`, `and`, `or`, `not`, `min` and `max` cannot use it; "
    "use select(condition, a, b), &, |, ~, minimum(a, b) or maximum(a, b)",
    "return max(rows, blocks)": "6: cycles of 'work': a traced value has no truth value",
    "return 1 if rows else 2": "6: cycles of 'work': a traced value has no truth value",
    "return sum(1 for _ in range(rows))": "6: cycles of 'work': a traced value is no Python "
    "integer while the function is traced: range, int and sequences cannot use it",
    "return int(rows)": "6: cycles of 'work': a traced value is no Python integer",
    "return rows / 8": "6: cycles of 'work': traced values have no /; use // , which rounds down, "
    "or ceil_div(a, b)",
    "return 8 / rows": "6: cycles of 'work': traced values have no /",
    "return rows ** 2": "6: cycles of 'work': traced values have no **; use * or <<",
    "return rows * 0.5": "6: cycles of 'work': * of Int64 and float; the other must be an integer",
    "return rows + True": "6: cycles of 'work': + of Int64 and bool; the other must be an integer",
    "return rows + (rows > 1)": "6: cycles of 'work': + of Int64 and Bool; convert one of them",
    "return rows + Int32.of(1)": "6: cycles of 'work': + of Int64 and Int32; convert one of them: "
    ".extend(Int32) keeps the value, .truncate(Int8) keeps the low bits, .saturate(Int8) clamps, "
    "and select(condition, 1, 0) makes a number of a Bool",
    "return select(rows > 1, rows > 2, 1)": "6: cycles of 'work': select of Bool and int; the "
    "other must be a comparison",
    "return select(rows, 1, blocks)": "6: cycles of 'work': select chooses by a comparison, but "
    "got Int64; write x != 0",
    "return select(rows > 1, 1, 0.5)": "6: cycles of 'work': Int64 of float; it takes a Python "
    "integer",
    "return rows // 0": "6: cycles of 'work': // by the constant 0",
    "return ceil_div(rows, 0)": "6: cycles of 'work': ceil_div by the constant 0",
    "return rows << 64": "6: cycles of 'work': << by 64; Int64 is shifted by 0 to 63",
    "return rows + (1 << 63)": "6: cycles of 'work': 9223372036854775808 does not fit an Int64, "
    "which holds -9223372036854775808 to 9223372036854775807",
    "return minimum()": "6: cycles of 'work': minimum of no values",
    "pass": "5: cycles of 'work': cycles returns NoneType; a function of cycles returns an "
    "integer that it computes from its parameters",
    "return rows > 1": "5: cycles of 'work': cycles returns Bool; a function of cycles",
    "return 1.5": "5: cycles of 'work': cycles returns float; a function of cycles",
    "return Int32.of(5)": "5: cycles of 'work': cycles returns Int32; a function of cycles",
    "return rows + nothing": "6: NameError: name 'nothing' is not defined",
}

HEADS = {
    "(rows, bytes)": "5: cycles of 'work': parameter 'bytes' of cycles is none of the scalars: "
    "rows, blocks",
    "(*blocks)": "5: cycles of 'work': parameter '*blocks' of cycles is not given by name; name "
    "the scalars that it uses: rows, blocks",
    "(rows, **scalars)": "5: cycles of 'work': parameter '**scalars' of cycles is not given by",
}


def message(source: str, folder: Path) -> str:
    """Return the message of the target's error, without the file."""
    path = folder / "npu.py"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(forebay.Error) as caught:
        targets.load(str(path))
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize(("statement", "expected"), STATEMENTS.items())
def test_a_statement_is_refused_at_its_line(statement: str, expected: str, tmp_path: Path) -> None:
    source = SOURCE.replace("return rows + blocks", statement)
    assert message(source, tmp_path).startswith(expected)


@pytest.mark.parametrize(("head", "expected"), HEADS.items())
def test_a_parameter_is_refused_at_its_function(head: str, expected: str, tmp_path: Path) -> None:
    source = SOURCE.replace("cycles(rows, blocks)", f"cycles{head}")
    assert message(source, tmp_path).startswith(expected)


def test_a_value_that_leaves_its_trace_is_refused(tmp_path: Path) -> None:
    source = SOURCE.replace("return rows", "HELD.append(rows); return rows") + "HELD[0] + 1\n"
    assert message(source, tmp_path).endswith(
        "12: a value of a trace is used outside of the traced function"
    )


def test_a_value_of_another_trace_is_refused(tmp_path: Path) -> None:
    body = "HELD.append(rows); return blocks + HELD[0]"
    again = 'Intrinsic("w", "w", (Operand("y", "out"),), ("rows", "blocks"), cycles=cycles)\n'
    source = SOURCE.replace("return rows + blocks", body) + again
    assert message(source, tmp_path) == "6: cycles of 'w': + of values of two different traces"


def test_a_constant_outside_of_a_trace_is_refused(tmp_path: Path) -> None:
    expected = "12: Int32.of is only for a traced function, while it is traced"
    assert message(SOURCE + "Int32.of(1)\n", tmp_path).endswith(expected)


# The reference begins at line 4; its statement is at line 6.
REFERENCE = """\
from forebay.api.target import *

HELD = []
def work(x: TypedPointer[Int8], y: TypedPointer[Int8], n):
    total = LocalVariable(0)
    pass

WORK = Intrinsic(
    "work", "npu_work", (Operand("x", "in"), Operand("y", "out")), ("n", "m"), reference=work
)
NPU = Device("npu", kind="npu", intrinsics=(WORK,))
CPU = Device("cpu", kind="cpu", host=True)
TARGET = Target("npu", (CPU, NPU), (Pool("sram", "workspace"),))
"""

REFERENCE_STATEMENTS = {
    "y[0] = n": "6: reference of 'work': assignment of Int8 and Int32; convert one of them: "
    ".extend(Int32) keeps the value, .truncate(Int8) keeps the low bits",
    "y[0] = 200": "6: reference of 'work': 200 does not fit an Int8, which holds -128 to 127",
    "y[0] = x[0] * n": "6: reference of 'work': * of Int8 and Int32; convert one of them",
    "x[0] = y[0]": "6: reference of 'work': operand 'x' is written, but its access is 'in'",
    "y[0, 1] = x[0]": "6: reference of 'work': operand 'y' takes 1 indices here, but got 2; "
    "x.shaped(rows, columns) takes one per size",
    "y.shaped(n, 2)[1] = x[0]": "6: reference of 'work': operand 'y' takes 2 indices here, but "
    "got 1; x.shaped(rows, columns) takes one per size",
    "y[0.5] = x[0]": "6: reference of 'work': operand 'y' has float as index; it is an integer",
    "y.shaped(2, n > 1)": "6: reference of 'work': operand 'y' has Bool as size; it is an integer",
    "y.shaped()": "6: reference of 'work': operand 'y' is shaped by no sizes",
    "list(x)": "6: reference of 'work': operand 'x' has no known length; use for i in loop(count)",
    "y[0] = x[0] if x else 1": "6: reference of 'work': operand 'x' has no truth value",
    "return n": "4: reference of 'work': work returns Int32; a reference writes operands and "
    "returns nothing",
    "n.extend(Int32)": "6: reference of 'work': extend of Int32 to Int32, which is not wider",
    "n.extend(Int8)": "6: reference of 'work': extend of Int32 to Int8, which is not wider; use "
    ".truncate or .saturate(Int8)",
    "n.saturate(Int64)": "6: reference of 'work': truncate of Int32 to Int64, which is not "
    "narrower; use .extend(Int64)",
    "total.value = x[0]": "6: reference of 'work': assignment of Int32 and Int8; convert one of",
    "LocalVariable(n > 1)": "6: reference of 'work': a variable holds an integer, but got Bool",
    "LocalVariable(1.5)": "6: reference of 'work': Int32 of float; it takes a Python integer",
    "for i in loop(n):\n        break": "6: reference of 'work': a traced loop is left by break or "
    "return; all of its iterations run, so bound it by its limits: loop(start, stop)",
    "for i in loop(n):\n        for j in loop(n): break": "7: reference of 'work': a traced loop "
    "is left by break or return",
    "for i in loop(n): return": "6: reference of 'work': a traced loop is left by break or return",
    "for i in loop(n): z = i * 2\n    y[0] = z.truncate(Int8)": "7: reference of 'work': a value "
    "from inside of a loop is used behind the loop; declare total = LocalVariable(0) in front of "
    "it, set total.value inside, and read it behind",
    "for i in loop(n): pass\n    y[i] = 0": "7: reference of 'work': a value from inside of a loop",
    "for i in loop(n): t = LocalVariable(0)\n    y[0] = t.value.truncate(Int8)": "7: reference of "
    "'work': a value from inside of a loop",
    "for i in loop(0, n, 0): pass": "6: reference of 'work': the step of a loop is a positive "
    "Python integer, but is 0",
    "for i in loop(0, n, n): pass": "6: reference of 'work': the step of a loop is a positive",
    "for i in loop(): pass": "6: reference of 'work': loop takes stop, or start and stop, or "
    "start, stop and step, but got 0",
    "for i in loop(n > 1): pass": "6: reference of 'work': loop of Bool and int; the other must be "
    "a comparison",
    "for i in loop(n, x[0]): pass": "6: reference of 'work': loop of Int32 and Int8; convert one",
}

REFERENCE_HEADS = {
    "(x: TypedPointer[Int8], n)": "4: reference of 'work': work has no parameter for operand "
    "'y'; it needs one for each operand, with the type of its elements: y: TypedPointer[Int8]",
    "(x, y: TypedPointer[Int8], n)": "4: reference of 'work': parameter 'x' of work is an "
    "operand; annotate it with the type of its elements: x: TypedPointer[Int8]",
    "(x: Int8, y: TypedPointer[Int8], n)": "4: reference of 'work': parameter 'x' of work is an "
    "operand",
    "(x: 'TypedPointer[Bit]', y: TypedPointer[Int8], n)": "4: reference of 'work': the "
    "annotations of work cannot be evaluated: name 'Bit' is not defined",
    "(x: TypedPointer[Int8], y: TypedPointer[Int8], k)": "4: reference of 'work': parameter 'k' of "
    "work is none of the operands and scalars: x, y, n, m",
}


@pytest.mark.parametrize(("statement", "expected"), REFERENCE_STATEMENTS.items())
def test_a_statement_of_a_reference_is_refused_at_its_line(
    statement: str, expected: str, tmp_path: Path
) -> None:
    source = REFERENCE.replace("    pass\n", f"    {statement}\n")
    assert message(source, tmp_path).startswith(expected)


@pytest.mark.parametrize(("head", "expected"), REFERENCE_HEADS.items())
def test_parameters_of_a_reference_are_refused_at_its_line(
    head: str, expected: str, tmp_path: Path
) -> None:
    source = REFERENCE.replace(
        "work(x: TypedPointer[Int8], y: TypedPointer[Int8], n)", f"work{head}"
    )
    assert message(source, tmp_path).startswith(expected)


def test_the_module_has_the_lines_of_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "npu.py"
    path.write_text(
        REFERENCE.replace("    pass\n", "    for i in loop(n):\n        y[i] = x[i] + 1\n"),
        encoding="utf-8",
    )
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            attach(targets.load(str(path)))
        (op,) = [op for op in module.body.operations if isinstance(op, accel.IntrinsicOp)]
        (loop,) = [op for op in op.reference.blocks[0].operations if isinstance(op, scf.ForOp)]
        assert (loop.location.filename, loop.location.start_line) == (path.as_posix(), 6)
        lines = [(o.operation.name, o.location.start_line) for o in loop.body.operations]
    names = ("memref.load", "arith.addi", "memref.store")
    assert lines[:-1] == [(name, 7) for name in names]
