"""What cannot be traced is refused at the author's line, with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

import forebay
from forebay import targets

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
