"""Mutants that matter are caught, right plans pass; `benchmarks/fault_injection.py` does more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from common.injection import token_program
from common.injection.mutants import DEMANDED, all_kinds
from common.injection.score import Judge
from common.sweep import sweep
from mlir import ir

import forebay
from forebay.emulator import Emulator


@pytest.fixture
def token_judge() -> Iterator[Judge]:
    rng = np.random.default_rng(0)
    inputs = [[rng.integers(-128, 128, (64, 32), np.int8)]]
    with ir.Context(), ir.Location.unknown():
        module = token_program.placed()
        yield Judge("token_machine", module.operation, inputs, token_program.Product(module))


def test_every_kind_that_is_demanded_has_a_file() -> None:
    assert len(DEMANDED) == 12
    assert set(DEMANDED) < set(all_kinds())


@pytest.mark.parametrize("count", sweep([12, 48]))
def test_the_token_machine_s_program(count: int, token_judge: Judge) -> None:
    token_judge.try_mutants(count)
    token_judge.try_replans(4)
    score = token_judge.score
    assert not score.missed
    assert score.drawn.total() == count
    assert set(score.drawn) == set(DEMANDED)
    assert 2 * score.matter.total() >= count
    assert score.by_value["stale weights"] == count // 12
    assert set(score.faults) >= {"StillInFlight", "NeverWritten", "WrongPool", "WrongValue"}
    assert (score.replans, score.alarms) == (4, [])


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["resnet8_int8@host", "kws_dscnn_int8@fetch_conv"])
def test_networks(subject: str, shared_models: Path) -> None:
    name, _, target = subject.partition("@")
    compiled = forebay.compile(shared_models / f"{name}.tflite", target=target)
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as arrays:
        inputs = [[arrays["in0_0"]]]
    with compiled.planned.context:
        judge = Judge(subject, compiled.planned, inputs, compiled.values())
        judge.try_mutants(22)
        judge.try_replans(5)
    score = judge.score
    assert (score.drawn.total(), score.replans) == (22, 5)
    assert score.is_perfect, [f"{m.kind}: {m.what}" for m in score.missed] + score.alarms
    assert score.by_value["stale weights"] == score.matter["stale weights"] > 0
    assert score.by_memory + score.by_value == score.matter


@pytest.mark.slow
def test_without_values_the_judge_says_what_is_missed(shared_models: Path) -> None:
    """The score is no rubber stamp: checks of memory alone do not see the weights of others."""
    compiled = forebay.compile(shared_models / "kws_dscnn_int8.tflite", target="fetch_conv")
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as arrays:
        inputs = [[arrays["in0_0"]]]
    with compiled.planned.context:
        judge = Judge("kws", compiled.planned, inputs)
        judge.try_mutants(11)
    assert "stale weights" in {mutant.kind for mutant in judge.score.missed}
    assert not judge.score.is_perfect


def test_without_checks_a_dropped_wait_shows_in_the_bits(token_judge: Judge) -> None:
    """What decides whether a mutant matters is itself no rubber stamp."""
    x = np.random.default_rng(3).integers(-128, 128, (64, 32), np.int8)
    module = token_program.planned()
    last = [op for op in _ops(module) if op.operation.name == "accel.wait"][-1]
    last.operation.erase()
    lax = Emulator(module.operation, checks=False, disorder=1)
    (y,) = lax.call("main", [x])
    assert not np.array_equal(y, token_program.product(x))
    assert lax.noted is not None
    assert "when the run ends" in str(lax.noted)
    at_once = Emulator(module.operation, checks=False)
    np.testing.assert_array_equal(at_once.call("main", [x])[0], token_program.product(x))


def _ops(module: ir.Module) -> list[ir.OpView]:
    from forebay.ir.nested import ops_nested_in

    return ops_nested_in(module.operation)
