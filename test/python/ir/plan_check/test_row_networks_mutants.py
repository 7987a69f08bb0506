"""Networks as loops over rows, made wrong: what changes an output is refused, and nothing else.

A sample of each kind; `benchmarks/row_faults.py` draws 200 mutants and 200 right plans.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.mutants.row_mutants import RowJudge

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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kws_dscnn_int8", "resnet8_int8", "person_detect_int8"])
def test_mutants_and_right_plans_of_a_network_of_rows(name: str, shared_models: Path) -> None:
    judge = judge_of(shared_models, name)
    judge.try_mutants(10)
    judge.try_replans(2)
    score = judge.score
    assert not score.missed
    assert set(score.drawn) == KINDS
    assert score.drawn.total() == 10
    assert 2 * score.matter.total() >= 10
    assert score.by_plan_check.total() >= 0.9 * score.matter.total()
    assert (score.right, score.alarms) == (2, [])
