"""Networks with fixed numbers beside TFLite Micro."""

import pytest

pytest.importorskip("tflite_micro", reason="tflite-micro is not installed")

from fuzz.cases import run
from fuzz.graphs import SECONDS, check

COUNT = 40


def test_random_networks_have_tflite_micros_bits() -> None:
    result = run(check, COUNT, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["networks"] > COUNT * 3 // 4
    assert result.counts["runs by llvm"] > 0 and result.counts["runs by emulator"] > 0
