"""Corrupted files with fixed numbers through the command."""

from fuzz.cases import run
from fuzz.files import SECONDS, check

COUNT = 160


def test_corrupted_files_are_taken_or_refused_in_words() -> None:
    result = run(check, COUNT, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    kinds = {name.split()[0] for name in result.counts}
    assert kinds == {".csv", ".json", ".mlir", ".npz", ".py", ".tflite"}
    assert any(name.endswith("accepted") for name in result.counts)
