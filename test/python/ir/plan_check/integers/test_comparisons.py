"""Comparisons of partially known integers are decided only where every value agrees."""

from __future__ import annotations

import itertools

import pytest
from mlir import ir
from mlir.dialects import arith

from forebay.ir.plan_check.integers.arithmetic import Arithmetic

RANGES = [(low, low + size) for low in range(-2, 3) for size in range(3)]


@pytest.mark.parametrize("name", [kind.name for kind in arith.CmpIPredicate])
def test_a_decision_is_that_of_all_values(name: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(
            "func.func @f(%a: index, %b: index) "
            f"{{ %c = arith.cmpi {name}, %a, %b : index return }}"
        )
        (function,) = module.body.operations
        block = function.regions[0].blocks[0]
        op = block.operations[0]
        one, other = block.arguments
        for first, second in itertools.product(RANGES, RANGES):
            run = Arithmetic()
            run.known[one] = run.numbers.unknown(*first)
            run.known[other] = run.numbers.unknown(*second)
            step = run.step_of(op)
            assert step is not None
            step()
            values = {
                _compared(name, a, b)
                for a in range(first[0], first[1] + 1)
                for b in range(second[0], second[1] + 1)
            }
            found = run.of(op.result).constant
            assert found is None or values == {found}
            is_plain = not name.startswith("u") or min(first[0], second[0]) >= 0
            if len(values) == 1 and is_plain:
                assert found is not None


def test_a_condition_is_known_from_one_side_of_an_and_or_an_or() -> None:
    text = """
    func.func @f(%a: i1, %b: i1, %x: index, %y: index) {
      %false = arith.constant false
      %true = arith.constant true
      %and = arith.andi %a, %false : i1
      %or = arith.ori %true, %a : i1
      %both = arith.andi %a, %true : i1
      %one = arith.select %or, %x, %y : index
      return
    }
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (function,) = module.body.operations
        block = function.regions[0].blocks[0]
        run = Arithmetic()
        found = []
        for op in list(block.operations)[:-1]:
            step = run.step_of(op)
            assert step is not None
            step()
            found.append(run.of(op.result))
        assert [form.constant for form in found] == [0, 1, 0, 1, None, None]
        assert found[-1] == run.of(block.arguments[2])


def _compared(name: str, one: int, other: int) -> int:
    if name.startswith("u"):
        one, other = one % (1 << 64), other % (1 << 64)
    is_one = {
        "eq": one == other,
        "ne": one != other,
        "lt": one < other,
        "le": one <= other,
        "gt": one > other,
        "ge": one >= other,
    }
    return int(is_one[name[-2:]])
