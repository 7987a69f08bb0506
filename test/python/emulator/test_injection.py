"""Mutants that matter are caught, right plans pass; `benchmarks/fault_injection.py` does more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from injection import token_program
from injection.score import Judge
from mlir import ir

import forebay
from forebay.emulator import Emulator


@pytest.fixture
def token_judge() -> Iterator[Judge]:
    dice = np.random.default_rng(0)
    inputs = [[dice.integers(-128, 128, (64, 32), np.int8)]]
    with ir.Context(), ir.Location.unknown():
        yield Judge("token_machine", token_program.placed().operation, inputs)


def test_the_token_machine_s_program(token_judge: Judge) -> None:
    token_judge.try_mutants(26)
    score = token_judge.score
    assert not score.missed
    assert score.total.total() == 26
    assert len(score.total) == 13  # kinds
    assert 2 * score.matter.total() >= 26
    assert set(score.faults) >= {"StillInFlight", "NeverWritten", "QueueFull", "WrongPool"}


@pytest.mark.parametrize("subject", ["resnet8_int8@host", "kws_dscnn_int8@fetch_conv"])
def test_networks(subject: str, shared_models: Path) -> None:
    name, _, target = subject.partition("@")
    compiled = forebay.compile(shared_models / f"{name}.tflite", target=target)
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as arrays:
        inputs = [[arrays["in0_0"]]]
    with compiled.planned.context:
        judge = Judge(subject, compiled.planned, inputs)
        judge.try_mutants(16)
        judge.try_replans(5)
    assert not judge.score.missed
    assert not judge.score.alarms
    assert (judge.score.total.total(), judge.score.replans) == (16, 5)
    assert judge.score.is_perfect


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
