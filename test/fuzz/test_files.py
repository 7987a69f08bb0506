"""Corrupted files with fixed numbers through the command."""

import pytest
from common.sweep import sweep

from fuzz.cases import run
from fuzz.files import SECONDS, check


@pytest.mark.parametrize("count", sweep([24, 120]))
def test_corrupted_files_are_taken_or_refused_in_words(count: int) -> None:
    result = run(check, count, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    kinds = {name.split()[0] for name in result.counts}
    assert kinds == {".csv", ".json", ".mlir", ".npz", ".onnx", ".py", ".tflite"}
    assert any(name.endswith("accepted") for name in result.counts)
