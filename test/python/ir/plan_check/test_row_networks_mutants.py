"""Networks as loops over rows, made wrong: what changes an output is refused, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.row_mutants import RowJudge
from common.sweep import sweep

import forebay

KINDS = {
    "ring one row short",
    "skew off by one",
    "skipped write",
    "wrong slot",
    "table entry swapped",
}


def judge_of(models: Path, name: str) -> RowJudge:
    compiled = forebay.compile(models / f"{name}.tflite", budget="min", io="pool")
    with np.load(models / "golden" / "tflm" / f"{name}.npz") as arrays:
        inputs = [[arrays["in0_0"]]]
    with compiled.planned.context:
        return RowJudge(compiled.planned, inputs, compiled.values())


@pytest.mark.parametrize("count", sweep([10, 200]))
def test_mutants_and_right_plans_of_a_network_of_rows(count: int, shared_models: Path) -> None:
    judge = judge_of(shared_models, "kws_dscnn_int8")
    judge.try_mutants(count)
    judge.try_replans(count // 5)
    score = judge.score
    assert not score.missed
    assert set(score.drawn) == KINDS
    assert score.drawn.total() == count
    assert 2 * score.matter.total() >= count
    assert score.by_plan_check.total() >= 0.9 * score.matter.total()
    assert (score.right, score.alarms) == (count // 5, [])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet8_int8", "person_detect_int8"])
def test_mutants_of_larger_networks(name: str, shared_models: Path) -> None:
    judge = judge_of(shared_models, name)
    judge.try_mutants(200)
    assert not judge.score.missed
    assert judge.score.drawn.total() == 200
