"""Optima with mixed alignments and a pin, re-established by CP-SAT where it is installed."""

import random
from typing import Any

import pytest

from forebay.planning import Buffer, Pool, Problem, certify_pool, live, plan

cp_model: Any = pytest.importorskip("ortools.sat.python.cp_model")


def problem(seed: int) -> Problem:
    rng = random.Random(seed)
    buffers: list[Buffer] = []
    for i in range(12):
        start, alignment = rng.randrange(8), rng.choice([16, 64, 256])
        life = live(start, start + rng.randrange(1, 5))
        size, pin = rng.randrange(1, 400), 256 if i == 3 else None
        buffers.append(Buffer(f"b{i}", size, life, ("ram",), alignment, pinned_offset=pin))
    return Problem((Pool("ram"),), tuple(buffers))


def optimum(problem: Problem) -> int:
    model = cp_model.CpModel()
    most = 300 + sum(b.size + 256 for b in problem.buffers)
    peak = model.new_int_var(0, most, "peak")
    ticks, ranges = [], []
    for b in problem.buffers:
        offset = model.new_int_var(0, most, "")
        model.add_modulo_equality(0, offset, b.alignment)
        if b.pinned_offset is not None:
            model.add(offset == b.pinned_offset)
        model.add(peak >= offset + b.size)
        start, end = b.lifetime[0]
        ranges.append(model.new_fixed_size_interval_var(offset, b.size, ""))
        ticks.append(model.new_fixed_size_interval_var(start, end - start, ""))
    model.add_no_overlap_2d(ticks, ranges)
    model.minimize(peak)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return int(solver.objective_value)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_auto_equals_cp_sat(seed: int):
    found = plan(problem(seed))
    assert found.peak("ram") == optimum(problem(seed))
    assert certify_pool(found, "ram").optimal
