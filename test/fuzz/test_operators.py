"""Single operators with fixed numbers beside TFLite Micro."""

import pytest
from common.sweep import sweep

pytest.importorskip("tflite_micro", reason="tflite-micro is not installed")

from fuzz.cases import run
from fuzz.operators import SECONDS, check


@pytest.mark.parametrize("count", sweep([16, 150]))
def test_random_operators_have_tflite_micros_bits(count: int) -> None:
    result = run(check, count, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    equal = sum(n for name, n in result.counts.items() if name.startswith("equal"))
    assert equal > count // 2
