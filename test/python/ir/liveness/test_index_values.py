"""Index values of a loop in all iterations, compared with Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import scf

from forebay.ir.liveness.index_values import IndexValues
from forebay.ir.nested import ops_of

COUNTER = list(range(-6, 7))


def last_value(body: str) -> list[int] | None:
    """The value of the last op but the terminator, in each iteration from -6 to 6."""
    text = f"""
func.func @f(%data: index) {{
  %low = arith.constant -6 : index
  %high = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %yes = arith.constant true
  scf.for %t = %low to %high step %c1 {{
    {body}
  }}
  return
}}"""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (loop,) = ops_of(module.operation, scf.ForOp)
        *_, last, _ = loop.body.operations
        values = IndexValues(loop.induction_variable, np.array(COUNTER, np.int64))
        found = values.of(last.results[0])
        return None if found is None else found.tolist()


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("addi", [t + 3 for t in COUNTER]),
        ("subi", [t - 3 for t in COUNTER]),
        ("muli", [t * 3 for t in COUNTER]),
        ("divsi", [int(t / 3) for t in COUNTER]),
        ("floordivsi", [t // 3 for t in COUNTER]),
        ("ceildivsi", [-(-t // 3) for t in COUNTER]),
        ("remsi", [t - 3 * int(t / 3) for t in COUNTER]),
        ("minsi", [min(t, 3) for t in COUNTER]),
        ("maxsi", [max(t, 3) for t in COUNTER]),
        ("minui", [3 if t < 0 else min(t, 3) for t in COUNTER]),
        ("maxui", [t if t < 0 else max(t, 3) for t in COUNTER]),
        ("divui", [t % (1 << 64) // 3 for t in COUNTER]),
        ("remui", [t % (1 << 64) % 3 for t in COUNTER]),
    ],
)
def test_arithmetic(op: str, expected: list[int]) -> None:
    assert last_value(f"%v = arith.{op} %t, %c3 : index") == expected


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("eq", [t == 3 for t in COUNTER]),
        ("ne", [t != 3 for t in COUNTER]),
        ("slt", [t < 3 for t in COUNTER]),
        ("sge", [t >= 3 for t in COUNTER]),
        ("ult", [0 <= t < 3 for t in COUNTER]),
        ("uge", [t < 0 or t >= 3 for t in COUNTER]),
    ],
)
def test_comparisons(predicate: str, expected: list[bool]) -> None:
    assert last_value(f"%v = arith.cmpi {predicate}, %t, %c3 : index") == expected


def test_conditions_are_negated_and_select() -> None:
    compare = "%low_ = arith.cmpi slt, %t, %c3 : index"
    negate = f"{compare}\n%v = arith.xori %low_, %yes : i1"
    assert last_value(negate) == [t >= 3 for t in COUNTER]
    assert last_value(f"{negate}\n%s = arith.select %v, %c3, %t : index") == [
        min(t, 3) for t in COUNTER
    ]


def test_a_division_by_zero_stops_nothing() -> None:
    found = last_value("%v = arith.remsi %c3, %t : index")
    assert found is not None
    assert found[-1] == 3


@pytest.mark.parametrize(
    "body",
    [
        "%v = arith.addi %t, %data : index",
        "%n = arith.index_cast %t : index to i8\n%v = arith.addi %n, %n : i8",
    ],
    ids=["an argument", "a narrow type, which wraps around"],
)
def test_what_is_not_known(body: str) -> None:
    assert last_value(body) is None
