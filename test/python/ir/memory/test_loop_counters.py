"""Counters of loops: the numbers that a loop of Python counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.ir.memory.loop_counters import (
    constant_counter_of,
    counter_range_of,
    loop_counted_by,
)

KEPT: list[ir.Module] = []


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def loop_of(text: str) -> ir.OpView:
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 2, 3, 9, 10))
    module = ir.Module.parse(f"func.func @f(%n: index, %go: i1) {{\n{constants}{text}\nreturn\n}}")
    KEPT.append(module)
    return module.body.operations[0].regions[0].blocks[0].operations[5]


@pytest.mark.parametrize(
    ("low", "end", "step"), [(2, 9, 3), (2, 10, 3), (0, 9, 2), (3, 10, 10), (9, 2, 2), (2, 2, 3)]
)
@pytest.mark.parametrize(
    "form", ["scf.for %i = %c{0} to %c{1} step %c{2}", "affine.for %i = {0} to {1} step {2}"]
)
def test_constant_counters(form: str, low: int, end: int, step: int) -> None:
    loop = loop_of(form.format(low, end, step) + " { }")
    found = counter_range_of(loop)
    counted = range(low, end, step)
    assert found is not None
    assert (found.trips, found.is_certain) == (len(counted), len(counted) > 0)
    assert found.bounds == ((min(counted), max(counted)) if counted else None)
    known = constant_counter_of(loop)
    assert known is not None
    assert (known[0].start, known[0].step, known[1]) == (low, step, len(counted))


def test_a_bound_of_run_time() -> None:
    loop = loop_of("scf.for %i = %c2 to %n step %c3 { }")
    found = counter_range_of(loop)
    assert found is not None
    assert (found.low, found.end, found.step) == (2, None, 3)
    assert (found.trips, found.bounds, found.is_certain) == (None, None, False)
    assert constant_counter_of(loop) is None


def test_a_step_of_run_time_is_at_least_one() -> None:
    found = counter_range_of(loop_of("scf.for %i = %c2 to %c9 step %n { }"))
    assert found is not None
    assert (found.trips, found.bounds, found.is_certain) == (None, (2, 8), True)


@pytest.mark.parametrize(
    "text",
    [
        "scf.while : () -> () { scf.condition(%go) } do { scf.yield }",
        "scf.if %go { }",
        "scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c3) step (%c2, %c2) { }",
    ],
)
def test_other_ops_have_no_counter(text: str) -> None:
    assert counter_range_of(loop_of(text)) is None
    assert constant_counter_of(loop_of(text)) is None


def test_only_induction_variables_count() -> None:
    loop = loop_of(
        "%r = scf.for %i = %c0 to %c9 step %c2 iter_args(%x = %n) -> index { scf.yield %x : index }"
    )
    counter, carried = loop.regions[0].blocks[0].arguments
    assert loop_counted_by(counter) == loop
    assert loop_counted_by(carried) is None
    assert loop_counted_by(loop.results[0]) is None
