"""Right plans, changed in every way that makes them wrong: the verifier refuses each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from common.mutants import plan_mutants as mutants
from common.programs.planned_modules import Planned
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.frontends.tflite import import_model
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages

Mutation = Callable[[Planned], Iterator[mutants.Change]]

WRONG: tuple[Mutation, ...] = (
    mutants.onto_another,
    mutants.into_the_last_byte,
    mutants.misaligned,
    mutants.in_a_wrong_pool,
)
EITHER: tuple[Mutation, ...] = (mutants.shifted, mutants.swapped)
PROGRAMS = tuple(sorted((Path(__file__).parents[1] / "inputs").glob("*.mlir")))
NETWORKS = (
    "resnet8_int8",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
    "mww_vad_int8",
    "resnet8_float",
)
MOST = 60
"""Mutants of one kind of one large network, evenly spread over all."""


def plan_program(path: Path) -> ir.Module:
    module = ir.Module.parse(path.read_text())
    run_pipeline(module, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
    return module


def plan_network(path: Path) -> ir.Module:
    module = import_model(path)
    pooled = Options(target="host", io="pool")
    for stage in (stages.lowering(pooled), stages.bufferization(pooled), stages.planning(pooled)):
        run_pipeline(module, stage)
    return module


def judge(planned: Planned, most: int | None = None) -> None:
    """All wrong mutants are refused, and of the others exactly those that are wrong."""
    assert planned.refusal({}) == ""
    for mutation in (*WRONG, *EITHER):
        changes = list(mutation(planned))
        for change in changes[:: max(len(changes) // most, 1) if most else 1]:
            wrong = mutation in WRONG or planned.is_wrong(change)
            assert bool(planned.refusal(change)) == wrong, (mutation.__name__, change)


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda path: path.stem)
def program(request: pytest.FixtureRequest) -> Iterator[Planned]:
    with ir.Context(), ir.Location.unknown():
        yield Planned(plan_program(request.param))


@pytest.mark.parametrize("mutation", WRONG)
def test_every_wrong_plan_of_a_program_is_refused(program: Planned, mutation: Mutation) -> None:
    changes = list(mutation(program))
    assert changes
    assert [change for change in changes if not program.refusal(change)] == []


def test_a_moved_buffer_is_refused_where_it_meets_another(program: Planned) -> None:
    judge(program)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_overflow_of_a_program_is_refused(path: Path) -> None:
    with ir.Context(), ir.Location.unknown():
        planned = Planned(plan_program(path), capped=True)
        assert planned.refusal({}) == ""
        for change in mutants.overflowing(planned):
            assert "exceeds the capacity" in planned.refusal(change)


def test_every_mutant_of_the_digits_network_is_judged_right(digits: Path) -> None:
    with ir.Context(), ir.Location.unknown():
        judge(Planned(plan_network(digits)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_mutants_of_the_shared_networks_are_judged_right(name: str, shared_models: Path) -> None:
    with ir.Context(), ir.Location.unknown():
        judge(Planned(plan_network(shared_models / f"{name}.tflite")), MOST)
