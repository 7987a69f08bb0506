"""Numbers near 2^63 are refused in every form that a problem has, before anybody plans."""

from pathlib import Path

import pytest

from forebay.cli.main import main
from forebay.planning import planner_names

JSON = """{"pools": [{"name": "m", "alignment": %d}], "buffers": [%s]}"""
BUFFER = """{"name": "%s", "size": 4, "lifetime": [[0, 1]], "candidates": ["m"]}"""
MLIR = """memref_pool.problem @p {
  memref_pool.pool @m workspace align 1
  memref_pool.buffer @a workspace size %d live [0, 1] in [@m]
}"""


def json(alignment: int) -> str:
    return JSON % (alignment, ", ".join(BUFFER % name for name in "abc"))


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".json", json(2**62), "pool 'm' has alignment 4,611,686,018,427,387,904, which is too"),
        (".json", json(2**59), "pool 'm' is asked for too much: 3 buffers of 12 bytes above 0"),
        (".csv", f"id,lower,upper,size\na,0,1,{2**62}\n", "buffer 'a' has size 4,611,686,018"),
        (".csv", f"id,lower,upper,size\na,0,{2**63},1\n", "buffer 'a' has tick 9,223,372,036"),
        (".mlir", MLIR % (2**63 - 1), "buffer 'a' has size 9,223,372,036,854,775,807, which"),
    ],
)
def test_a_file_with_such_numbers_is_refused(
    suffix: str, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / f"p{suffix}"
    file.write_text(text)
    for planner in ("auto", "first-fit", "hill-climb"):
        assert planner in planner_names()
        assert main(["plan", str(file), "--planner", planner]) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"forebay: error: {file}: {message}")
        assert "too large" in error
