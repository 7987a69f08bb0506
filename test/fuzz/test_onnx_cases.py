"""ONNX's cases of operators with fixed numbers."""

from collections.abc import Mapping

import pytest

pytest.importorskip("onnx", reason="onnx is not installed")

from fuzz.cases import run
from fuzz.onnx_cases import SECONDS, check

pytestmark = pytest.mark.slow  # ONNX takes seconds to make its cases


def test_cases_of_onnx_have_the_expected_results() -> None:
    count = 200
    result = run(check_far_apart, count, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["equal"] > count // 4


def check_far_apart(seed: int) -> Mapping[str, int]:
    """Judge cases of many operators, as those of one follow each other."""
    return check(seed * 97)
