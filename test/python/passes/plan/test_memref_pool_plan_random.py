"""Random programs, executed: a plan changes no result; the verifier refuses what changes one."""

from __future__ import annotations

import pytest
from common.mutants import plan_mutants as mutants
from common.oracles.memref_interpreter import Interpreter
from common.programs.planned_modules import Planned
from common.programs.random_memref_programs import Program
from common.sweep import sweep
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.pipelines import run_pipeline
from forebay.planning import Placement

RUNS = range(4)
"""Seeds of the coins that decide branches and loops."""


def results(module: ir.Module, planned: Planned | None, change: mutants.Change) -> list[bytes]:
    places = None if planned is None else planned.offsets(change)
    size = 64 if places is None else max(places.values()) + 64
    return [Interpreter(module, places, size, coins).run() for coins in RUNS]


def harmful_changes(module: ir.Module, planned: Planned) -> list[mutants.Change]:
    """Moves of one buffer onto another that change what the program computes."""
    expected = results(module, None, {})
    assert results(module, planned, {}) == expected
    moves = (
        {one.name: Placement("ws", planned.places[other.name].offset)}
        for one in planned.buffers
        for other in planned.buffers[:6]
    )
    return [move for move in moves if results(module, planned, move) != expected]


def plan(seed: int) -> ir.Module:
    module = ir.Module.parse(Program(seed).text())
    run_pipeline(
        module, "builtin.module(memref-pool-plan{planner=first-fit},memref-pool-verify-plan)"
    )
    return module


@pytest.mark.parametrize("seed", sweep(range(40), fast=8))
def test_plans_of_random_programs(seed: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = plan(seed)
        planned = Planned(module)
        harmful = harmful_changes(module, planned)
        assert [change for change in harmful if not planned.refusal(change)] == []
        run_pipeline(module, "builtin.module(memref-pool-materialize,memref-pool-verify-plan)")


def test_the_programs_can_tell_a_wrong_plan() -> None:
    with ir.Context(), ir.Location.unknown():
        modules = [plan(seed) for seed in range(5)]
        assert sum(len(harmful_changes(m, Planned(m))) for m in modules) > 50
