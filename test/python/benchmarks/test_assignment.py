"""The work of the assignment grows with the number of tiles, not with its square."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_twice_the_tiles_are_twice_the_calls(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import assignment

    monkeypatch.delitem(sys.modules, "assignment")
    assert assignment.main(["--tiles", "40", "80"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[-2:]] == ["40", "80"]
    assert not assignment.grows(2.3, 2)
    assert assignment.grows(2.31, 2)
